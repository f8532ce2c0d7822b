internal import JSON
internal import Records
internal import Sabotage
internal import Storage

// A record is deleted after what refers to it was deleted or refers to another one.
extension Outbox {
    /// Gives a mutation that came into the queue its place among deletes: a delete waits for what
    /// ends a reference to its record, and what ends one has the delete of the other record wait.
    func settleDelete(_ mutation: Mutation, _ model: Model) throws(StoreError) {
        if sabotage(.deleteParentFirst) { return }
        for target in try detached(by: mutation, model) {
            try store.noteDetachment(seq: mutation.seq, from: target)
            // What was refused keeps nothing waiting; once it is offered again it is placed again.
            guard mutation.state.isLive else { continue }
            for delete in try store.mutations(of: target) where delete.kind == .delete {
                try hold(delete, on: mutation.seq)
            }
        }
        guard mutation.kind == .delete else { return }
        for seq in try store.detachments(from: mutation.record) where seq != mutation.seq {
            guard let other = try store.mutation(seq), other.state.isLive,
                let child = store.schema.model(other.model),
                try detached(by: other, child).contains(mutation.record),
                // What was held before changed the row.
                let delete = try store.mutation(mutation.seq)
            else { continue }
            try hold(delete, on: seq)
        }
    }

    /// Lets deletes go that waited for one of `live` to end a reference which the backend's record,
    /// that was `before` and is `base`, does not hold any more.
    func releaseDeletes(
        behind live: [Mutation], _ model: Model, from before: Base, to base: Base
    ) throws(StoreError) {
        let named = references(in: base.record ?? JSONObject(), model)
        let ended = references(in: before.record ?? JSONObject(), model)
            .filter { !named.contains($0) }
        for target in ended {
            for mutation in live {
                // Nor does a change before it make one.
                if references(in: mutation.set, model).contains(target) { break }
                for seq in try store.dependents(on: mutation.seq) {
                    guard let delete = try store.mutation(seq), delete.kind == .delete,
                        delete.record == target
                    else { continue }
                    try store.removeDependency(seq: seq, on: mutation.seq)
                    try store.updateMutation(try stillWaiting(delete))
                }
            }
        }
    }

    /// The records to which the backend's record refers before `mutation`, and not after it.
    private func detached(by mutation: Mutation, _ model: Model) throws(StoreError) -> [RecordKey] {
        var found: [RecordKey] = []
        for relation in foreignKeys.held(by: model) {
            guard let other = store.schema.model(relation.model),
                mutation.concerns(relation.fields)
            else { continue }
            let before = try known(relation.fields, before: mutation)
            guard let id = other.idNamed(by: before, relation) else { continue }
            let after = mutation.applied(to: before)
            if let after, other.idNamed(by: after, relation) == id { continue }
            let target = RecordKey(other.name, id)
            if target != mutation.record, !found.contains(target) { found.append(target) }
        }
        return found
    }

    /// The values of `fields` that `mutation` found; a part of a key that it does not touch is as
    /// it was.
    ///
    /// One in conflict found what is there no more.
    private func known(_ fields: [String], before mutation: Mutation) throws(StoreError)
        -> JSONObject
    {
        if mutation.state == .conflict {
            return try store.base(mutation.record)?.record ?? JSONObject()
        }
        if fields.allSatisfy({ mutation.was.index(of: $0) != nil }) { return mutation.was }
        return try store.base(mutation.record)?.record?.overlaid(with: mutation.was) ?? mutation.was
    }
}

extension Mutation {
    /// True when it may change one of `fields` of a record that the backend has.
    fileprivate func concerns(_ fields: [String]) -> Bool {
        switch kind {
        case .create: false
        case .update: fields.contains { set.index(of: $0) != nil }
        case .replace, .delete: true
        }
    }
}
