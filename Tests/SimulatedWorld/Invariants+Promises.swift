import JSON
import Outbox
import Records
import Storage
import Sync

// What was promised: of a cursor, of what was acknowledged, of what counts as refused.
extension Invariants {
    /// I5: what the cursor has passed is in the store.
    func cursor(
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
    func acknowledged(_ client: SimulatedClient, _ queue: Queue) throws {
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
    func refused(_ client: SimulatedClient, _ queue: Queue) throws {
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
}
