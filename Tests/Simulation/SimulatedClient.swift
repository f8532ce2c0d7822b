import JSON
import Records
import Storage

/// One workspace: a store on disk and the one or two processes that use it.
final class SimulatedClient {
    let name: String
    private(set) var processes: [SimulatedProcess] = []
    private let world: World
    private var keys = 0
    private var isBusy = false
    /// Values the user was told are kept, by record and field.
    var acknowledged: [RecordKey: [String: JSONValue]] = [:]
    /// The newest version of each record this client has shown.
    var seen: [RecordKey: Int64] = [:]

    init(name: String, folder: String, world: World, processes count: Int) throws {
        self.name = name
        self.world = world
        for number in 0..<count {
            let process = try SimulatedProcess(
                name: "\(name)\(number == 0 ? "" : "'")", path: "\(folder)/\(name).sqlite",
                world: world)
            processes.append(process)
        }
        guard count > 1 else { return }
        for process in processes {
            process.meanwhile = { [unowned self, unowned process] in interleave(process) }
        }
    }

    /// Between two transactions of one process the other gets its turn.
    private func interleave(_ process: SimulatedProcess) {
        guard !isBusy, world.isFaulty, world.dice.chance(4),
            let other = processes.first(where: { $0 !== process })
        else { return }
        world.count("interleaved")
        isBusy = true
        defer { isBusy = false }
        do {
            try world.act(self, other)
        } catch let violation as Violation {
            world.violation = world.violation ?? violation
        } catch {
            world.violation =
                world.violation ?? Violation(invariant: "error", detail: "\(error)")
        }
    }

    func nextID() -> RecordID {
        keys += 1
        return RecordID("\(name)\(keys)")
    }
}
