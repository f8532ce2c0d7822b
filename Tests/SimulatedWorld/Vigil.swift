import Sync

/// Sessions alone bring everything to rest, each by its own clock; a person only logs in, and says yes
/// where that is asked.
struct Vigil {
    private let world: World
    private let invariants: Invariants
    /// Virtual time in which all must be at rest, in milliseconds: a day's wait is the longest that a
    /// backend may ask for, and none here asks for more than seconds.
    private static let bound: Int64 = 6 * 3_600_000
    /// So long after that each has heard of the last change, in milliseconds.
    private static let rounds: Int64 = 120_000

    init(_ world: World) {
        self.world = world
        invariants = Invariants(world)
    }

    func keep(until isAtRest: () throws -> Bool) throws {
        let processes = world.clients.flatMap(\.processes)
        for process in processes where process.isOutdated { try process.restart() }
        var due = [Int64](repeating: world.now, count: processes.count)
        let end = world.now + Self.bound
        var restsSince: Int64?
        while let next = due.indices.min(by: { due[$0] < due[$1] }) {
            world.now = max(world.now, due[next])
            try turn(processes[next])
            due[next] = processes[next].nextTurn
            if try !isAtRest() {
                restsSince = nil
                guard world.now < end else {
                    throw Violation(invariant: "I6", detail: "sessions never come to rest")
                }
            } else if world.now - (restsSince ?? world.now) > Self.rounds {
                return
            } else {
                restsSince = restsSince ?? world.now
            }
        }
    }

    private func turn(_ process: SimulatedProcess) throws {
        Trace.note("vigil \(process.name) at \(world.now)")
        if process.needsLogin { process.logIn() }
        process.acceptsDeletions = false
        process.told = []
        try process.turn()
        if process.consent.isWanted {
            process.consent.isWanted = false
            var options = SyncOptions()
            options.acceptDeletions = true
            options.acceptRemote = true
            options.isAsked = false
            try Person(world, process).sync(options)
        }
        if let violation = world.violation { throw violation }
        try invariants.check(process.client, isWhole: false)
    }
}
