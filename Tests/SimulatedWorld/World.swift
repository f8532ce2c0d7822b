import JSON
import Outbox
import Platform
import Records
import Storage
import Sync

/// One run's world: three clients, a server, and what happens to them.
final class World {
    let draw = Draw()
    let setting: Setting
    let policies: [String: MergePolicies]
    /// The backend's.
    let schema: Schema
    let server: SimulatedServer
    private(set) var clients: [SimulatedClient] = []
    /// Virtual time, in milliseconds since 1970.
    var now: Int64 = 1_700_000_000_000
    var isFaulty: Bool {
        get { draw.isFaulty }
        set { draw.isFaulty = newValue }
    }
    /// Owners of leases that still run.
    var alive: Set<String> = []
    /// What went wrong where nothing could be thrown.
    var violation: Violation?
    private(set) var totals = Totals()
    private var values = 0
    /// Looks at every record after each step: what takes too long for many seeds.
    private var isLookedAtWhole = false

    init(_ setting: Setting, folder: String) throws {
        self.setting = setting
        draw.calm = setting.calm
        policies = try setting.policies()
        schema = try SchemaVariant.named(.plain).schema
        server = SimulatedServer(setting, schema: schema)
        for name in ["a", "b", "c"] {
            clients.append(
                try SimulatedClient(
                    name: name, folder: folder, world: self,
                    processes: name == "a" && setting["processes"] == "2" ? 2 : 1))
        }
        totals.seeds = 1
    }

    func policies(of model: String) -> MergePolicies { policies[model] ?? MergePolicies() }

    /// Lets go of what refers back here.
    func close() { clients.removeAll() }

    // MARK: Phase 1

    /// Draws `actions` steps and takes them; `steps` holds them also where one breaks a promise.
    func play(seed: UInt64, actions: Int, recording steps: inout [Scenario.Step]) throws {
        let processes = clients.flatMap(\.processes)
        for number in 0..<actions {
            let seed = Draw.mix(seed, UInt64(number))
            draw.begin(seed)
            guard let process = draw.pick(.who, processes, name: \.name),
                let action = draw.weigh(
                    .action, Action.allCases.map { ($0.weight(in: setting), $0.rawValue, $0) })
            else { return }
            var step = Scenario.Step(
                process: process.name, action: action, seed: seed, faults: [])
            defer {
                step.faults = draw.struck
                steps.append(step)
            }
            try take(action, process)
        }
    }

    func replay(_ steps: [Scenario.Step]) throws {
        isLookedAtWhole = true
        let processes = clients.flatMap(\.processes)
        for step in steps {
            draw.begin(step.seed, faults: step.faults)
            // A simpler setting may have one process less.
            guard let process = processes.first(where: { $0.name == step.process }) else {
                continue
            }
            try take(step.action, process)
        }
    }

    private func take(_ action: Action, _ process: SimulatedProcess) throws {
        totals.steps += 1
        now += Int64(draw.number(.time, 1..<2_000))
        try act(action, process)
        totals.sign(
            "\(now) \(server.seq) \(server.stream.count) \(process.commits) \(draw.struck.count)")
        if let violation { throw violation }
        if Trace.isOn { try watch(process) }
        process.client.steps += 1
        try Invariants(self).check(
            process.client, isWhole: isLookedAtWhole || process.client.steps % 8 == 0)
    }

    /// Phase 2: faults off, all must settle.
    func settle() throws {
        isFaulty = false
        draw.begin(0, faults: [])
        try Settling(self).settle()
        for (key, entry) in server.entries.sorted(by: { $0.value.version < $1.value.version }) {
            let record = entry.record.map { JSONValue.object($0).serialized() } ?? ""
            totals.sign("\(key.id.text) \(entry.version) \(record)")
        }
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

    // MARK: Actions

    /// What another process does between two transactions of one.
    func intrusion() -> Action? {
        if let action = Action(rawValue: draw.detail) { return action }
        // What two processes get in each other's way by comes more often.
        let often: [Action: Int] = [.overtake: 15, .pull: 80]
        let choices = Action.allCases.map { (often[$0] ?? $0.weight(in: setting), $0.rawValue, $0) }
        let action = draw.weigh(.action, choices)
        if let action { draw.note(action.rawValue) }
        return action
    }

    func interleave(_ process: SimulatedProcess, _ action: Action) throws {
        try act(action, process)
    }

    private func act(_ action: Action, _ process: SimulatedProcess) throws {
        Trace.note("\(totals.steps) \(process.name) \(action)")
        totals.count(action)
        if process.isOutdated { try process.restart() }
        let person = Person(self, process)
        let guardian = try DeletionGuard(action, process)
        try process.live { try perform(action, person, process) }
        try guardian?.check(self, process)
    }

    private func perform(_ action: Action, _ person: Person, _ process: SimulatedProcess) throws {
        switch action {
        case .createPost: try person.create("Post")
        case .createChild: try person.create(draw.chance(.model, 70) ? "Comment" : "Note")
        case .update: try person.update()
        case .delete: try person.delete()
        case .replace: try person.replace()
        case .undo: try person.undo()
        case .repair: try person.repair()
        case .weave: try person.weave()
        case .chase: try person.chase()
        case .relay: try person.relay()
        case .overtake: try person.overtake()
        case .push: try person.push()
        case .pull: try person.pull()
        case .sync: try person.sync()
        case .turn: try person.turn()
        case .restart: try process.restart()
        case .refilter: process.client.refilter()
        case .changeSchema: try changeSchema(process.client)
        default: befall(action)
        }
    }

    // MARK: Chance

    func count(_ fault: Fault) {
        Trace.note("    \(fault)")
        totals.count(fault)
    }

    func strikes(_ fault: Fault, _ percent: Int, alike: Bool = false) -> Bool {
        guard draw.strikes(fault, percent, alike: alike) else { return false }
        count(fault)
        return true
    }

    /// A text that was never used before; some the server will refuse, some it cannot bear.
    func text() -> JSONValue {
        values += 1
        if strikes(.badValue, 5) { return .string("bad\(values)") }
        if strikes(.sickValue, 1) { return .string("sick\(values)") }
        if strikes(.hugeValue, 1) { return .string("huge\(values)") }
        return .string("v\(values)")
    }

    func group() -> String { "g\(draw.bits(.group))" }
}
