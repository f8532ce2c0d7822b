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

    /// Looks at every record where `isWhole`, else at those that moved since the last look.
    func check(_ client: SimulatedClient, isWhole: Bool = true) throws {
        if let key = server.doubled {
            throw Violation(invariant: "I4", detail: "\(key) took effect twice")
        }
        guard let process = client.processes.first else { return }
        // Whoever looks into the store has to know its tables.
        if process.variant.name != client.variant.name { try process.restart() }
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
        let queue = Queue(
            mutations: try process.store.mutations(),
            quarantined: Set(
                try process.store.quarantine().compactMap { item in
                    item.id.map { RecordKey(item.model, $0) }
                }))
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
    private struct Queue {
        var mutations: [Mutation]
        var quarantined: Set<RecordKey>
        var byRecord: [RecordKey: [Mutation]]

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
        try standing(state, client)
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
    private func standing(_ state: RecordState, _ client: SimulatedClient) throws {
        guard let first = state.live.first, first.kind == .update, !first.isInFlight,
            first.state != .conflict, let base = state.base.record
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

    /// I5: what the cursor has passed is in the store.
    private func cursor(
        _ client: SimulatedClient, _ process: SimulatedProcess, _ model: Model, _ queue: Queue,
        _ bases: [RecordID: Base]
    ) throws {
        guard let cursor = try process.store.cursor(model.name) else { return }
        if model.name == "Post", client.hasPulledPosts, cursor.scope != client.filter {
            throw Violation(
                invariant: "I5",
                detail: "\(client.name) goes on from where \"\(cursor.scope)\" had come to, not "
                    + "\"\(client.filter)\"")
        }
        guard cursor.complete, let token = cursor.token, token["epoch"] == .int(server.epoch),
            cursor.scope == (model.name == "Post" ? client.filter : ""),
            token["after"] == nil, let since = token["since"]?.integer
        else { return }
        for (key, entry) in server.entries where key.model == model.name {
            guard let record = entry.record, !queue.quarantined.contains(key),
                try client.wants(key, record), let newest = server.state(of: key, upTo: since),
                try client.wants(key, newest.record)
            else { continue }
            let known = bases[key.id]?.version?.integer ?? 0
            if known < newest.seq {
                throw Violation(
                    invariant: "I5",
                    detail: "\(client.name) is at \(since) but knows "
                        + "\(known) of \(key.id), not \(newest.seq)")
            }
        }
        // A backend that filters does not tell what is gone from what left the filter.
        let mayHold: Set<RecordID> =
            cursor.scope.isEmpty || world.setting["filters"] == "no"
            ? [] : Set(queue.byRecord.keys.map(\.id))
        for (id, base) in bases
        where base.record != nil && server.isGone(RecordKey(model.name, id), upTo: since)
            && !mayHold.contains(id)
        {
            throw Violation(
                invariant: "I5",
                detail: "\(client.name) is at \(since) but still knows \(id), which is gone")
        }
    }

    /// I3: what the user was told is kept is at the server, or in the queue.
    private func acknowledged(_ client: SimulatedClient, _ queue: Queue) throws {
        for (original, fields) in client.acknowledged {
            let names = server.names(of: original)
            let queued = names.flatMap { queue.byRecord[$0] ?? [] }
                .map { client.variant.plain($0.set, $0.model) }
            for (field, value) in fields {
                let accepted = names.flatMap { server.accepted[$0]?[field] ?? [] }
                let spellings = spellings(of: value, field)
                if spellings.contains(where: accepted.contains) { continue }
                if queued.contains(where: { $0[field].map(spellings.contains) ?? false }) {
                    continue
                }
                if hasGivenWay(field, names, to: accepted) { continue }
                throw Violation(
                    invariant: "I3",
                    detail: "\(client.name) lost \(field) = \(value) of \(names)")
            }
        }
    }

    /// A reference follows the record that it names to its other id.
    private func spellings(of value: JSONValue, _ field: String) -> [JSONValue] {
        guard let target = ["postID": "Post", "replyToID": "Comment"][field], let id = value.text
        else { return [value] }
        let key = server.original(of: RecordKey(target, RecordID(id)))
        return server.names(of: key).map { .string($0.id.text) }
    }

    /// True where a policy may have given the value up for another's, and there is another's.
    private func hasGivenWay(_ field: String, _ names: [RecordKey], to accepted: [JSONValue])
        -> Bool
    {
        guard let model = names.first?.model else { return false }
        let policies = world.policies(of: model)
        // Edits of what is gone there go with it, where the policy says so.
        if policies.model == .server, names.contains(where: server.everDeleted.contains) {
            return true
        }
        switch policies.policy(of: field) {
        case .manual, .local: return false
        case .server, .max, .min, .command: return !accepted.isEmpty
        case .union, .counter: return true
        }
    }

    /// I7: whatever is refused was refused itself, not for another's sake.
    private func refused(_ client: SimulatedClient, _ queue: Queue) throws {
        for mutation in queue.mutations where mutation.state == .rejected {
            if mutation.failure?.kind == "dependency" { continue }
            if mutation.failure?.kind == Mutation.Failure.schemaKind,
                !client.variants.allSatisfy({ $0.fits(mutation) })
            {
                continue
            }
            // Refused, and rewritten for another schema since: it has another key by now.
            if client.refusals.contains(mutation.key) { client.refused.insert(mutation.seq) }
            if !client.refused.contains(mutation.seq) {
                throw Violation(
                    invariant: "I7",
                    detail: "\(client.name) holds \(mutation) for refused, but nobody refused it")
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
