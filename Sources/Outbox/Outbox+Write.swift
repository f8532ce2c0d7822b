package import JSON
package import Records
internal import Sabotage
package import Storage

extension Outbox {
    /// Creates a record: visible at once, queued for the backend.
    ///
    /// `record` is validated already; fields it lacks are left to the backend and shown as null.
    /// An id that `isFresh` was made just now: nothing can be known of it, so nothing is looked up.
    package func create(
        _ model: Model, _ id: RecordID, _ record: JSONObject, group: String, isFresh: Bool = false
    ) throws(StoreError) -> WriteOutcome {
        if !isFresh, try store.recordExists(model, id) { return .exists }
        let mutation = Mutation(
            key: makeKey(), group: group, model: model.name, id: id, kind: .create, set: record,
            createdAt: now())
        let earlier = isFresh ? nil : try store.lastMutation(of: mutation.record)
        try store.putRecord(model, id, record, version: nil)
        let seq = try enqueue(
            mutation, after: earlier.flatMap { $0.state.isLive ? $0 : nil }, model)
        if let seq, !isFresh { try holdChildren(of: mutation, seq: seq, model) }
        // All fields are concerned: the feed keeps none for it.
        try note(.insert, model, id, group, [])
        return .written
    }

    /// Changes fields of a record; those that already hold the value are left out.
    package func update(
        _ model: Model, _ id: RecordID, set wanted: JSONObject, group: String
    ) throws(StoreError) -> WriteOutcome {
        guard let stored = try store.record(model, id) else { return .notFound }
        let changed = wanted.pairs.filter { stored.record[$0.key] ?? .null != $0.value }
        if changed.isEmpty { return .unchanged }
        let set = JSONObject(unchecked: changed)
        let was = JSONObject(unchecked: changed.map { ($0.key, stored.record[$0.key] ?? .null) })
        let key = RecordKey(model.name, id)
        let mutation = Mutation(
            key: makeKey(), group: group, model: model.name, id: id, kind: .update, set: set,
            was: was, baseVersion: stored.version, createdAt: now())
        let earlier = try store.lastMutation(of: key).flatMap { $0.state.isLive ? $0 : nil }
        if earlier == nil, try !store.hasLiveMutations(key) {
            try store.setBase(key, Base(version: stored.version, record: stored.record))
        }
        try store.putRecord(
            model, id, stored.record.overlaid(with: set), version: stored.version)
        try store.journal(group: group, key: key, before: was, after: set)
        if try enqueue(mutation, after: earlier, model) == nil,
            try !store.hasLiveMutations(key)
        {
            try store.removeBase(key)
        }
        try note(.update, model, id, group, set.keys)
        return .written
    }

    /// Queues `mutation`, folded into the record's last one where neither was sent.
    ///
    /// - Returns: Its place in the queue; nil when the two cancel out.
    private func enqueue(_ mutation: Mutation, after earlier: Mutation?, _ model: Model)
        throws(StoreError) -> Int64?
    {
        if let earlier {
            if sabotage(.swallowEdit), earlier.isInFlight {
                var swallowed = earlier
                swallowed.set = earlier.set.overlaid(with: mutation.set)
                return try place(swallowed, model)
            }
            let refers = try refersToLaterCreate(mutation, than: earlier.seq, model)
            switch earlier.absorbing(mutation, refersToLaterCreate: refers) {
            case .merged(let merged):
                // Set back to what the backend has: nothing is left to send.
                if merged.kind == .update && merged.set == merged.was
                    || sabotage(.forgetReplace) && merged.kind == .replace
                {
                    try store.releaseDependents(of: merged.seq)
                    try store.removeMutation(merged.seq)
                    return nil
                }
                try place(merged, model)
                return merged.seq
            case .vanishes:
                try forgetReferences(to: earlier, model)
                try store.releaseDependents(of: earlier.seq)
                try store.removeMutation(earlier.seq)
                return nil
            case .separate: break
            }
        }
        return try place(mutation, model)
    }

    /// Deletes one record without regard to its children; `plan(deleting:)` finds those.
    ///
    /// - Returns: The queued delete's seq; nil when nothing is left to send.
    @discardableResult
    package func delete(
        _ model: Model, _ id: RecordID, group: String
    ) throws(StoreError) -> (outcome: WriteOutcome, seq: Int64?) {
        guard let stored = try store.record(model, id) else { return (.notFound, nil) }
        let key = RecordKey(model.name, id)
        let state = try state(of: model, id)
        try store.journal(group: group, key: key, before: stored.record, after: nil)
        try store.removeRecord(model, id)
        try note(.delete, model, id, group, stored.record.keys)
        // An unsent last mutation is about to become this delete: the backend never sees it.
        let sent = state.live.last?.isFrozen ?? true ? state.live : Array(state.live.dropLast())
        let ground = fold(state.base, sent)
        let mutation = Mutation(
            key: makeKey(), group: group, model: model.name, id: id, kind: .delete,
            was: ground ?? JSONObject(), baseVersion: state.base.version, createdAt: now())
        if state.live.isEmpty { try store.setBase(key, state.base) }
        guard let earlier = state.live.last else {
            return (.written, try store.appendMutation(mutation))
        }
        switch earlier.absorbing(mutation, refersToLaterCreate: false) {
        case .merged(let merged):
            try store.updateMutation(merged)
            return (.written, merged.seq)
        case .vanishes:
            try forgetReferences(to: earlier, model)
            try store.releaseDependents(of: earlier.seq)
            try store.removeMutation(earlier.seq)
            try refold(model, id, base: state.base)
            return (.written, nil)
        case .separate:
            return (.written, try store.appendMutation(mutation))
        }
    }

    func note(
        _ kind: ChangeKind, _ model: Model, _ id: RecordID, _ group: String, _ fields: [String]
    ) throws(StoreError) {
        _ = try store.appendChange(
            Change(
                seq: 0, model: model.name, id: id, kind: kind, origin: .local, group: group,
                at: now(), fields: fields))
    }
}
