import JSON
import Records
import Storage
import Sync

/// Phase 2: nothing fails any more, so what can be delivered is, what cannot waits for a person
/// with its reason, and once a person has decided all are equal.
struct Settling {
    private let world: World
    private let invariants: Invariants

    init(_ world: World) {
        self.world = world
        invariants = Invariants(world)
    }

    func settle() throws {
        world.server.heal()
        // Nobody asks for it: what waits has to come to its time by itself.
        if world.setting.hasSessions {
            try Vigil(world).keep(until: { try isAtRest() })
            for client in world.clients where client.filter.isEmpty && !client.hasDoubts {
                if try queue(client).isEmpty { try converged(client) }
            }
        } else {
            try rest(isAsked: false)
        }
        for _ in 0..<12 {
            if try world.clients.allSatisfy({ try queue($0).isEmpty }) { break }
            for client in world.clients { try decide(client) }
            try rest(isAsked: true)
        }
        for client in world.clients {
            // What was kept in doubt is for a pull of everything to remove.
            if client.hasDoubts { try sync(client, isFull: true) }
            try converged(client)
            // A backend that filters may not tell what left the filter.
            if !client.filter.isEmpty { try sync(client, isFull: true) }
            try converged(client, isExact: true)
        }
    }

    private func isAtRest() throws -> Bool {
        try world.clients.allSatisfy { try stuck($0) == nil }
    }

    /// Syncs until a whole round has changed nothing.
    private func rest(isAsked: Bool) throws {
        for round in 0..<8 {
            let before = world.server.stream.count
            for client in world.clients { try sync(client, isAsked: isAsked) }
            // The first round may still take in pages that were made long ago.
            if round > 0, world.server.stream.count == before,
                try isAtRest()
            {
                return
            }
        }
        for client in world.clients {
            if let mutation = try stuck(client) {
                throw Violation(
                    invariant: "I6", detail: "\(client.name) is stuck with \(mutation)")
            }
        }
        throw Violation(invariant: "I6", detail: "the clients never come to rest")
    }

    private func sync(_ client: SimulatedClient, isAsked: Bool = true, isFull: Bool = false)
        throws
    {
        world.now += 600_000
        for process in client.processes {
            Trace.note("settle \(process.name)")
            if process.isOutdated { try process.restart() }
            var options = SyncOptions()
            options.acceptDeletions = true
            options.acceptRemote = true
            options.isAsked = isAsked
            options.full = isFull
            try Person(world, process).sync(options)
        }
        if let violation = world.violation { throw violation }
        try invariants.check(client)
    }

    private func queue(_ client: SimulatedClient) throws -> [Mutation] {
        try client.processes[0].store.mutations()
    }

    private func decide(_ client: SimulatedClient) throws {
        let process = client.processes[0]
        for mutation in try process.store.mutations(states: [.conflict, .rejected]) {
            guard let present = try process.store.mutation(mutation.seq),
                present.state == .conflict || present.state == .rejected
            else { continue }
            try Person(world, process).mend(present)
            try invariants.check(client)
        }
    }

    /// I6: whatever is left is parked with its reason, or waits for what is.
    ///
    /// - Returns: A mutation that is not.
    private func stuck(_ client: SimulatedClient) throws -> Mutation? {
        let store = client.processes[0].store
        let left = try queue(client)
        var stuck: Set<Int64> = []
        for mutation in left where mutation.state == .conflict || mutation.state == .rejected {
            if mutation.failure == nil {
                throw Violation(invariant: "I6", detail: "parked without a reason: \(mutation)")
            }
            stuck.insert(mutation.seq)
        }
        var grows = true
        while grows {
            grows = false
            for mutation in left where !stuck.contains(mutation.seq) {
                let waitsInRecord = left.contains {
                    $0.record == mutation.record && $0.seq < mutation.seq && $0.state.isLive
                        && stuck.contains($0.seq)
                }
                let waits = try store.dependencies(of: mutation.seq).contains(where: stuck.contains)
                if waits || waitsInRecord { grows = stuck.insert(mutation.seq).inserted || grows }
            }
        }
        return left.first { !stuck.contains($0.seq) }
    }

    private func converged(_ client: SimulatedClient, isExact: Bool = false) throws {
        let left = try queue(client)
        if !left.isEmpty {
            throw Violation(invariant: "I6", detail: "\(client.name) still queues \(left)")
        }
        let store = client.processes[0].store
        for model in store.schema.models {
            let ids = Set(try store.ids(Query(model: model.name), limit: .max))
            let there = try world.server.entries.filter { key, entry in
                guard key.model == model.name, let record = entry.record else { return false }
                return try client.wants(key, record)
            }
            let wanted = Set(there.keys.map(\.id))
            let mayKeepMore = !isExact && !client.filter.isEmpty && model.name == "Post"
            if mayKeepMore ? !ids.isSuperset(of: wanted) : ids != wanted {
                throw Violation(
                    invariant: "I6",
                    detail: "\(client.name) has \(model.name) \(ids.map(\.text).sorted()), the "
                        + "server \(there.keys.map(\.id.text).sorted())")
            }
            for (key, entry) in there {
                let record = try store.record(model, key.id)?.record
                if record.map({ invariants.plain($0, key, client) }) != entry.record {
                    throw Violation(
                        invariant: "I6",
                        detail: "\(client.name) differs from the server in \(key.id)")
                }
            }
        }
    }
}
