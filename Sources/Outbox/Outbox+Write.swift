package import JSON
package import Records
internal import Sabotage
package import Storage

extension Outbox {
    /// Creates a record: visible at once, queued for the backend.
    ///
    /// `record` is validated already; fields it lacks are left to the backend and shown as null.
    /// An id that `isFresh` was made just now: nothing can be known of it, so nothing is looked up.
    /// With `isAnew` the record was there before.
    package func create(
        _ model: Model, _ id: RecordID, _ record: JSONObject, group: String, isFresh: Bool = false,
        isAnew: Bool = false
    ) throws(StoreError) -> WriteOutcome {
        if !isFresh, try store.recordExists(model, id) { return .exists }
        if !isFresh { try store.forgetRenaming(of: RecordKey(model.name, id)) }
        let record = try naming(record, model)
        let mutation = Mutation(
            key: makeKey(), group: group, model: model.name, id: id, kind: .create, set: record,
            createdAt: now())
        let earlier = isFresh ? nil : try store.lastMutation(of: mutation.record)
        try store.putRecord(model, id, record, version: nil)
        let seq = try enqueue(
            mutation, after: earlier.flatMap { $0.state.isLive ? $0 : nil }, model)
        if let seq, !isFresh { try settleCreate(seq, model, isAnew: isAnew || earlier != nil) }
        // All fields are concerned: the feed keeps none for it.
        try note(.insert, model, id, group, [])
        return .written
    }

    /// Changes fields of a record; those that already hold the value are left out.
    package func update(
        _ model: Model, _ id: RecordID, set wanted: JSONObject, group: String
    ) throws(StoreError) -> WriteOutcome {
        guard let stored = try store.record(model, id) else { return .notFound }
        let wanted = try naming(wanted, model)
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
                var isBack = merged.kind == .update && merged.set == merged.was
                if isBack, merged.state == .waiting { isBack = try held([merged]).isEmpty }
                if isBack
                    || sabotage(.forgetReplace) && merged.kind == .replace
                {
                    try store.releaseDependents(of: merged.seq)
                    try store.removeMutation(merged.seq)
                    return nil
                }
                if earlier.group != mutation.group { try noteMerging(mutation, into: earlier) }
                try place(merged.kind == .replace ? merged.clearing(model) : merged, model)
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

    /// Undo asks what a group made: where one mutation stands for those of two, it does not say.
    private func noteMerging(_ mutation: Mutation, into earlier: Mutation) throws(StoreError) {
        if mutation.kind == .create {
            try store.keepCreatedState(mutation, at: earlier.seq)
        } else if earlier.kind != .update {
            try store.keepCreatedState(of: earlier.seq)
        }
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
        if state.live.isEmpty { try store.setBase(key, state.base) }
        let (kept, unsent) = state.live.splitBeforeUnsent()
        let there = fold(state.base, kept)
        let mutation = Mutation(
            key: makeKey(), group: group, model: model.name, id: id, kind: .delete,
            was: there ?? JSONObject(), baseVersion: state.base.version,
            createdAt: now())
        guard let first = unsent.first else { return (.written, try place(mutation, model)) }
        // The backend hears of none of them, but only that the record goes, if it has it at all.
        // A create may wait to know whether a delete before it arrived: then the record is there.
        let vanishes = first.kind == .create && there == nil
        for absorbed in unsent.reversed() {
            if absorbed.kind == .create, vanishes { try forgetReferences(to: absorbed, model) }
            if !vanishes, absorbed.seq == first.seq { continue }
            try store.releaseDependents(of: absorbed.seq)
            try store.removeMutation(absorbed.seq)
        }
        if vanishes {
            try refold(model, id, base: state.base)
            return (.written, nil)
        }
        if first.kind == .create { try store.releaseDependents(of: first.seq) }
        var delete = first
        delete.kind = .delete
        delete.set = JSONObject()
        (delete.was, delete.baseVersion) = (mutation.was, mutation.baseVersion)
        // It refers to nothing: of creates it waits for its own record's alone.
        for other in try store.dependencies(of: delete.seq) {
            guard let create = try store.mutation(other), create.kind == .create,
                create.record != delete.record
            else { continue }
            try store.removeDependency(seq: delete.seq, on: other)
        }
        try place(try stillWaiting(delete), model)
        return (.written, first.seq)
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

extension [Mutation] {
    /// What a delete leaves of a record's live mutations, and the last ones, which it stands for:
    /// none of them was ever sent.
    fileprivate func splitBeforeUnsent() -> (kept: [Mutation], unsent: [Mutation]) {
        var start = endIndex
        while start > startIndex, self[start - 1].isUnsent, self[start - 1].kind != .delete {
            start -= 1
            if self[start].kind == .create { break }
        }
        return (Array(self[..<start]), Array(self[start...]))
    }
}
