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
        world.server.mend()
        for _ in 0..<4 { for client in world.clients { try sync(client) } }
        for client in world.clients { try parkedOnly(client) }
        for _ in 0..<12 {
            for client in world.clients {
                try sync(client)
                try decide(client)
            }
            if try world.clients.allSatisfy({ try queue($0).isEmpty }) { break }
        }
        for _ in 0..<2 { for client in world.clients { try sync(client) } }
        for client in world.clients { try converged(client) }
    }

    private func sync(_ client: SimulatedClient) throws {
        world.now += 600_000
        for process in client.processes {
            Trace.note("settle \(process.name)")
            try Person(world, client, process).sync()
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
            try Person(world, client, process).mend(present)
            try invariants.check(client)
        }
    }

    /// I6, I7: whatever is left is parked with its reason, or waits for what is.
    private func parkedOnly(_ client: SimulatedClient) throws {
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
        for mutation in left where !stuck.contains(mutation.seq) {
            throw Violation(
                invariant: "I6", detail: "\(client.name) is stuck with \(mutation) of \(left)")
        }
    }

    private func converged(_ client: SimulatedClient) throws {
        let left = try queue(client)
        if !left.isEmpty {
            throw Violation(invariant: "I6", detail: "\(client.name) still queues \(left)")
        }
        let store = client.processes[0].store
        for model in world.schema.models {
            let ids = Set(try store.ids(Query(model: model.name), limit: .max))
            let there = world.server.entries.filter {
                $0.key.model == model.name && $0.value.record != nil
            }
            if ids != Set(there.keys.map(\.id)) {
                throw Violation(
                    invariant: "I6",
                    detail: "\(client.name) has \(model.name) \(ids.map(\.text).sorted()), the "
                        + "server \(there.keys.map(\.id.text).sorted())")
            }
            for (key, entry) in there {
                if try store.record(model, key.id)?.record != entry.record {
                    throw Violation(
                        invariant: "I6",
                        detail: "\(client.name) differs from the server in \(key.id)")
                }
            }
        }
    }
}
