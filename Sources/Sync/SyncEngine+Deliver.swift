internal import JSON
internal import Outbox
internal import Records
internal import Sabotage
internal import Storage

extension SyncEngine {
    /// The backend holds the mutation now: its answer is the new base.
    ///
    /// `known` is the present of the record where that was just read.
    func deliver(
        _ mutation: Mutation, version: JSONValue?, record: JSONObject?, assigned: RecordID? = nil,
        known: RecordState? = nil
    ) throws(StoreError) {
        guard let model = model(mutation.model) else {
            return try store.removeMutation(mutation.seq)
        }
        var mutation = mutation
        var known = known
        if let assigned, assigned != mutation.id {
            try outbox.reassign(model, mutation.id, to: assigned)
            guard let moved = try store.mutation(mutation.seq) else { return }
            mutation = moved
            known = nil
        }
        var state: RecordState
        if let known { state = known } else { state = try outbox.state(of: model, mutation.id) }
        let wanted = mutation.applied(to: state.base.record, orElse: state.base.deletedRecord)
        var told = record
        if let record, try unreadable(record, mutation.id, model) != nil { told = nil }
        let base = Base(
            version: version,
            record: mutation.kind == .delete ? nil : (told ?? wanted).map(model.normalized))
        if !sabotage(.forgetDependents) { try store.releaseDependents(of: mutation.seq) }
        try store.removeMutation(mutation.seq)
        // Others of the record may have waited for this one: they are read anew.
        let isLast = state.live.map(\.seq) == [mutation.seq]
        if isLast { state.live = [] }
        let change = try outbox.rebase(
            model, mutation.id, onto: base, policies: settings.policies(of: model.name),
            cause: .ownWrite, known: isLast ? state : nil)
        try feed(.synced, .push, mutation, change?.fields ?? [], version: version)
    }

    /// Takes in that the backend has a mutation, where its answer may be older than what is known:
    /// what is known stays, and `remote`, if it was asked for since, is the newest word.
    ///
    /// `origin` is a pull where that told it: then nothing was heard of the record just now, and a
    /// pull of everything that has not met it may take it for gone.
    func acknowledge(
        _ mutation: Mutation, _ remote: RemoteRecord?, origin: ChangeOrigin = .push
    ) throws(StoreError) {
        guard let model = model(mutation.model) else {
            return try store.removeMutation(mutation.seq)
        }
        var base = try outbox.state(of: model, mutation.id).base
        var remote = remote
        if let record = remote?.record, try unreadable(record, mutation.id, model) != nil {
            // Of a record that nobody here has read yet, what was written is known.
            if base.record == nil {
                let written = mutation.applied(to: nil, orElse: base.deletedRecord)
                base = Base(version: remote?.version, record: written.map(model.normalized))
            }
            remote = nil
        }
        if let remote {
            let last =
                base.record ?? mutation.applied(to: base.record, orElse: base.deletedRecord)
            base = Base(
                version: remote.version, record: remote.record.map(model.normalized),
                deletedRecord: remote.isDeleted ? last.map(model.normalized) : nil)
        }
        try store.releaseDependents(of: mutation.seq)
        try store.removeMutation(mutation.seq)
        let change = try outbox.rebase(
            model, mutation.id, onto: base, policies: settings.policies(of: model.name),
            cause: .ownWrite)
        try feed(.synced, origin, mutation, change?.fields ?? [], version: remote?.version)
    }
}
