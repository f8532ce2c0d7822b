import JSON
import Outbox
import Records
import Storage
import Sync

/// The promises that hold after each step, whatever failed.
struct Invariants {
    let world: World
    var server: SimulatedServer { world.server }

    init(_ world: World) { self.world = world }

    /// Looks at every record where `isWhole`, else at those that moved since the last look.
    func check(_ client: SimulatedClient, isWhole: Bool = true) throws {
        if let key = server.doubled {
            throw Violation(invariant: "I4", detail: "\(key) took effect twice")
        }
        // Whoever looks into the store has to know its tables; another may be in the middle of a turn.
        let knowing = client.processes.first { $0.adopted == client.variants.count }
        guard let process = knowing ?? client.processes.first else { return }
        if knowing == nil { try process.restart() }
        let commits = client.processes.reduce(0) { $0 + $1.commits }
        if commits == client.checkedAt, !isWhole {
            // Whatever was told, nothing was taken in.
            client.toldGone = [:]
            client.toldRenamed = [:]
            return
        }
        client.checkedAt = commits
        try process.store.read({ () throws(any Error) in
            try check(client, process, isWhole: isWhole)
        }) { $0 }
    }

    private func check(
        _ client: SimulatedClient, _ process: SimulatedProcess, isWhole: Bool
    ) throws {
        var queue = Queue(
            mutations: try process.store.mutations(),
            quarantined: Set(
                try process.store.quarantine().compactMap { item in
                    item.id.map { RecordKey(item.model, $0) }
                }))
        queue.held = try held(process.store, queue)
        digest(client, queue)
        for key in queue.quarantined where !server.everBroken.contains(key) {
            throw Violation(invariant: "I2", detail: "\(key.id) is in quarantine for nothing")
        }
        let moved = try moved(client, process.store, queue)
        if !isWhole {
            for key in moved {
                guard let model = process.store.schema.model(key.model) else { continue }
                _ = try check(client, process, model, key.id, queue)
            }
        }
        for model in process.store.schema.models where isWhole {
            var ids = Set(try process.store.ids(Query(model: model.name), limit: .max))
            ids.formUnion(queue.byRecord.keys.filter { $0.model == model.name }.map(\.id))
            var bases: [RecordID: Base] = [:]
            for id in ids { bases[id] = try check(client, process, model, id, queue) }
            try cursor(client, process, model, queue, bases)
        }
        try outcomes(queue)
        try deletes(process.store, queue.mutations)
        try acknowledged(client, queue)
        try refused(client, queue)
    }

    /// The records of which the feed or the queue has news since the last look.
    private func moved(_ client: SimulatedClient, _ store: Store, _ queue: Queue) throws
        -> Set<RecordKey>
    {
        let last = try store.lastChangeSeq()
        var keys = Set(
            try store.changes(after: client.lookedUpTo).map { RecordKey($0.model, $0.id) })
        client.lookedUpTo = last
        for (key, mutations) in queue.byRecord where client.lastQueue[key] != mutations {
            keys.insert(key)
        }
        for key in client.lastQueue.keys where queue.byRecord[key] == nil { keys.insert(key) }
        client.lastQueue = queue.byRecord
        return keys
    }

    /// What a client's store holds beside records.
    struct Queue {
        var mutations: [Mutation]
        var quarantined: Set<RecordKey>
        var byRecord: [RecordKey: [Mutation]]
        /// Places of those that wait to know whether a refused one of their record arrived.
        var held: Set<Int64> = []

        init(mutations: [Mutation], quarantined: Set<RecordKey>) {
            self.mutations = mutations
            self.quarantined = quarantined
            byRecord = Dictionary(grouping: mutations, by: \.record)
        }
    }

    /// What was told in this step counts where the engine took it in.
    private func digest(_ client: SimulatedClient, _ queue: Queue) {
        let keys = Set(queue.mutations.map(\.key))
        for (key, (record, version)) in client.toldGone where !keys.contains(key) {
            client.seen[record] = max(client.seen[record] ?? 0, version)
        }
        for (key, record) in client.toldRenamed where !keys.contains(key) {
            client.renamed.insert(record)
        }
        client.toldGone = [:]
        client.toldRenamed = [:]
        // A process may have died just before the request left: nobody knows that.
        for mutation in queue.mutations where mutation.isInFlight {
            client.sent.insert(mutation.key)
        }
    }

    private func check(
        _ client: SimulatedClient, _ process: SimulatedProcess, _ model: Model, _ id: RecordID,
        _ queue: Queue
    ) throws -> Base {
        let key = RecordKey(model.name, id)
        let state = try process.outbox.state(of: model, id)
        let folded = fold(state.base, state.live)
        if folded.map(model.normalized).map(told) != state.current.map(told) {
            throw Violation(
                invariant: "I1",
                detail: "\(client.name) shows \(text(state.current)) for \(key.id), "
                    + "the fold is \(text(folded)) of \(state.base) and \(state.live)")
        }
        if let record = state.base.record { try base(record, key, client, queue) }
        try standing(state, client, queue)
        if let version = state.base.version?.integer, state.base.record != nil,
            server.remembers(key, version)
        {
            if let seen = client.seen[key], version < seen {
                throw Violation(
                    invariant: "I8",
                    detail: "\(client.name) went back from \(seen) to \(version) of \(key.id)")
            }
            client.seen[key] = version
        }
        return state.base
    }

    /// I2: base only ever holds what the backend said.
    private func base(
        _ record: JSONObject, _ key: RecordKey, _ client: SimulatedClient, _ queue: Queue
    ) throws {
        let record = plain(record, key, client)
        if server.history[key]?.contains(record) ?? false { return }
        // Of what was written but came back unreadable, what was written is known.
        let original = server.original(of: key)
        if server.everBroken.contains(key),
            ((client.posted[key] ?? []) + (client.posted[original] ?? []))
                .contains(where: { written in
                    let id = JSONObject([("id", .string(key.id.text))])
                    return server.normal(written.overlaid(with: id), key) == record
                })
        {
            return
        }
        throw Violation(
            invariant: "I2",
            detail: "\(client.name) holds \(text(record)) as the base of \(key.id)")
    }

    /// What is to be sent next stands on what the backend holds.
    ///
    /// What waits to know whether a refused change before it arrived is put there once that is known.
    private func standing(
        _ state: RecordState, _ client: SimulatedClient, _ queue: Queue
    ) throws {
        guard let first = state.live.first, first.kind == .update, !first.isInFlight,
            first.state != .conflict, !queue.held.contains(first.seq), let base = state.base.record
        else { return }
        let model = first.model
        let set = client.variant.plain(first.set, model)
        let there = client.variant.plain(base, model)
        for (name, was) in client.variant.plain(first.was, model).pairs where set[name] != nil {
            if was != there[name] ?? .null {
                throw Violation(
                    invariant: "was",
                    detail: "\(client.name): \(first) stands on \(name) = \(was), "
                        + "the backend has \(text(base))")
            }
        }
    }

    /// A record of a client's store as the backend keeps it.
    func plain(_ record: JSONObject, _ key: RecordKey, _ client: SimulatedClient) -> JSONObject {
        server.normal(client.variant.plain(record, key.model), key)
    }

    /// A null under a name that the schema no longer has tells as much as none.
    private func told(_ record: JSONObject) -> JSONObject {
        JSONObject(unchecked: record.pairs.filter { !$0.value.isNull })
    }

    private func text(_ record: JSONObject?) -> String {
        record.map { JSONValue.object($0).serialized() } ?? "nothing"
    }
}
