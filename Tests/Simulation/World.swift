import JSON
import Outbox
import Platform
import Records
import Storage
import Sync

/// One seed's world: three clients, a server, and what happens to them.
final class World {
    let dice: Dice
    let setting: Setting
    let schema: Schema
    let server: SimulatedServer
    private(set) var clients: [SimulatedClient] = []
    /// Virtual time, in milliseconds since 1970.
    var now: Int64 = 1_700_000_000_000
    var isFaulty = true
    /// Owners of leases that still run.
    var alive: Set<String> = []
    /// Keys of the mutations that were sent, or may have been.
    var sent: Set<String> = []
    /// What went wrong where nothing could be thrown.
    var violation: Violation?
    private(set) var faults: [String: Int] = [:]
    private(set) var steps = 0
    private var values = 0

    init(seed: UInt64, folder: String) throws {
        dice = Dice(seed: seed)
        setting = Setting(dice)
        schema = try Schema.parse(Setting.sdl)
        server = SimulatedServer(setting, schema: schema)
        for name in ["a", "b", "c"] {
            clients.append(
                try SimulatedClient(
                    name: name, folder: folder, world: self,
                    processes: name == "a" && setting.isDoubled ? 2 : 1))
        }
    }

    /// Lets go of what refers back here.
    func close() { clients.removeAll() }

    /// Phase 1: actions under faults; phase 2: faults off, all must settle.
    func play(actions: Int) throws {
        let invariants = Invariants(self)
        for _ in 0..<actions {
            steps += 1
            now += Int64(dice.number(1..<2_000))
            guard let client = dice.pick(clients), let process = dice.pick(client.processes) else {
                return
            }
            try act(client, process)
            if let violation { throw violation }
            if Trace.isOn { try watch(process) }
            try invariants.check(client)
        }
        isFaulty = false
        try Settling(self).settle()
    }

    /// Shows the queue of the record that somebody looks at.
    private func watch(_ process: SimulatedProcess) throws {
        for mutation in try process.store.mutations() where mutation.id.text == Trace.watched {
            let waits = try process.store.dependencies(of: mutation.seq)
            Trace.note(
                "    = \(mutation.seq) \(mutation.kind) \(mutation.state) on "
                    + "\(mutation.baseVersion?.serialized() ?? "nothing") "
                    + "\(JSONValue.object(mutation.set).serialized()) waits for \(waits)")
        }
    }

    func act(_ client: SimulatedClient, _ process: SimulatedProcess) throws {
        let person = Person(self, client, process)
        let action = dice.weigh(Action.weights) ?? .sync
        Trace.note("\(steps) \(process.name) \(action)")
        try process.live { try perform(action, person, process) }
    }

    private func perform(_ action: Action, _ person: Person, _ process: SimulatedProcess) throws {
        switch action {
        case .createPost: try person.create("Post")
        case .createChild: try person.create(dice.chance(70) ? "Comment" : "Note")
        case .update: try person.update()
        case .delete: try person.delete()
        case .replace: try person.replace()
        case .undo: try person.undo()
        case .repair: try person.repair()
        case .push: try person.push()
        case .pull: try person.pull()
        case .sync: try person.sync()
        case .turn: process.turn()
        case .restart: try process.restart()
        case .clockAhead: now += 31_536_000_000
        case .clockBack: now -= 31_536_000_000
        case .newEpoch:
            count("epoch reset")
            server.beginEpoch()
        case .forget:
            count("window expired")
            server.forget()
        case .breakRecord:
            let keys = server.entries.keys.sorted { $0.id.text < $1.id.text }
            if let key = dice.pick(keys) {
                count("record broken")
                server.breakRecord(key)
            }
        case .mendRecords: server.mend()
        }
    }

    func count(_ fault: String) {
        Trace.note("    \(fault)")
        faults[fault, default: 0] += 1
    }

    /// A text that was never used before; some the server will refuse.
    func text() -> JSONValue {
        values += 1
        return .string(isFaulty && dice.chance(5) ? "bad\(values)" : "v\(values)")
    }

    func group() -> String { "g\(dice.next())" }
}

/// What one step may be, and how often.
enum Action {
    case createPost, createChild, update, delete, replace, undo, repair
    case push, pull, sync, turn, restart, clockAhead, clockBack
    case newEpoch, forget, breakRecord, mendRecords

    static let weights: [(Int, Action)] = [
        (14, .createPost), (10, .createChild), (22, .update), (6, .delete), (4, .replace),
        (4, .undo), (6, .repair), (12, .push), (10, .pull), (8, .sync), (6, .turn),
        (2, .restart), (1, .clockAhead), (1, .clockBack), (1, .newEpoch), (1, .forget),
        (1, .breakRecord), (1, .mendRecords),
    ]
}

/// The steps of a run on stderr, where somebody looks into a seed.
enum Trace {
    static let isOn = Environment.current()["SATCHEL_TRACE"] != nil

    static let watched = Environment.current()["SATCHEL_WATCH"]

    static func note(_ line: @autoclosure () -> String) {
        if isOn { Console.note(line()) }
    }
}
