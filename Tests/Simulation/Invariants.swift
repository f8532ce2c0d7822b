import JSON
import Outbox
import Records
import Storage
import Sync

/// The promises that hold after each step, whatever failed.
struct Invariants {
    let world: World
    private var server: SimulatedServer { world.server }

    init(_ world: World) { self.world = world }

    func check(_ client: SimulatedClient) throws {
        if let key = server.doubled {
            throw Violation(invariant: "I4", detail: "\(key) took effect twice")
        }
        guard let process = client.processes.first else { return }
        let quarantined = Set(
            try process.store.quarantine().compactMap { item in
                item.id.map { RecordKey(item.model, $0) }
            })
        let mutations = try process.store.mutations()
        // A process may have died just before the request left: nobody knows that.
        for mutation in mutations where mutation.isInFlight { world.sent.insert(mutation.key) }
        for model in world.schema.models {
            var ids = Set(try process.store.ids(Query(model: model.name), limit: .max))
            for mutation in mutations where mutation.model == model.name { ids.insert(mutation.id) }
            for id in ids { try check(client, process, model, id, quarantined) }
            try cursor(client, process, model)
        }
        try acknowledged(client, mutations)
    }

    private func check(
        _ client: SimulatedClient, _ process: SimulatedProcess, _ model: Model, _ id: RecordID,
        _ quarantined: Set<RecordKey>
    ) throws {
        let key = RecordKey(model.name, id)
        let state = try process.outbox.state(of: model, id)
        let folded = fold(state.base, state.live)
        if folded.map(model.normalized) != state.current {
            throw Violation(
                invariant: "I1",
                detail: "\(client.name) shows \(text(state.current)) for \(key.id), "
                    + "the fold is \(text(folded)) of \(state.base) and \(state.live)")
        }
        // Of what was written but came back unreadable, what was written is known.
        if let record = state.base.record, !quarantined.contains(key) {
            if !(server.history[key]?.contains(record) ?? false) {
                throw Violation(
                    invariant: "I2",
                    detail: "\(client.name) holds \(text(record)) as the base of \(key.id)")
            }
        }
        if let version = state.base.version?.integer, state.base.record != nil {
            if let seen = client.seen[key], version < seen {
                throw Violation(
                    invariant: "I8",
                    detail: "\(client.name) went back from \(seen) to \(version) of \(key.id)")
            }
            client.seen[key] = version
        }
    }

    /// I5: what the cursor has passed is in the store.
    private func cursor(
        _ client: SimulatedClient, _ process: SimulatedProcess, _ model: Model
    ) throws {
        guard let cursor = try process.store.cursor(model.name), cursor.complete,
            let token = cursor.token, token["epoch"] == .int(server.epoch),
            token["after"] == nil, let since = token["since"]?.integer
        else { return }
        let quarantined = Set(try process.store.quarantine().compactMap(\.id))
        for (key, entry) in server.entries
        where key.model == model.name && entry.record != nil && !quarantined.contains(key.id) {
            guard let newest = server.version(of: key, upTo: since) else { continue }
            let base = try process.outbox.state(of: model, key.id).base
            if (base.version?.integer ?? 0) < newest {
                throw Violation(
                    invariant: "I5",
                    detail: "\(client.name) is at \(since) but knows "
                        + "\(base.version?.integer ?? 0) of \(key.id), not \(newest)")
            }
        }
    }

    /// I3: what the user was told is kept is at the server, or in the queue.
    private func acknowledged(_ client: SimulatedClient, _ mutations: [Mutation]) throws {
        for (key, fields) in client.acknowledged {
            for (field, value) in fields {
                let arrived = server.accepted[key]?[field]?.contains(value) ?? false
                let queued = mutations.contains { $0.record == key && $0.set[field] == value }
                if !arrived, !queued {
                    throw Violation(
                        invariant: "I3",
                        detail: "\(client.name) lost \(field) = \(value) of \(key.id)")
                }
            }
        }
    }

    private func text(_ record: JSONObject?) -> String {
        record.map { JSONValue.object($0).serialized() } ?? "nothing"
    }
}
