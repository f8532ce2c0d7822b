internal import JSON
package import Records
internal import Sabotage
package import Storage

extension Outbox {
    /// Gives what a store needs to bring its queue to another schema: see `StoreOptions.adopt`.
    package static func adopter(
        now: @escaping () -> Int64, makeKey: @escaping () -> String,
        policies: @escaping (String) -> MergePolicies
    ) -> StoreOptions.Adopt {
        { (store, change) throws(StoreError) in
            try Outbox(store: store, now: now, makeKey: makeKey).adopt(change, policies)
        }
    }

    /// Brings the queue to another schema, after the tables and bases.
    ///
    /// Nothing unsent is lost. What still fits goes on, under present names and in present types;
    /// what does not is rejected with its reason and rolled back in view, and what depends on it
    /// waits. What was sent and has no verdict keeps its key.
    ///
    /// - Returns: How many mutations were parked.
    func adopt(
        _ change: SchemaChange, _ policies: (String) -> MergePolicies
    ) throws(StoreError) -> Int {
        if sabotage(.forgetCarrying) { return 0 }
        var parked = 0
        var last: Int64 = 0
        while true {
            let page = try store.mutations(after: last, limit: 256)
            guard let end = page.last else { return parked }
            last = end.seq
            for mutation in page {
                guard let model = change.model(mutation.model),
                    model.concernsMutations || mutation.isParkedBySchema,
                    let whole = try wholeQueue(from: mutation)
                else { continue }
                parked += try adopt(whole, model, change, policies)
            }
        }
    }

    /// All mutations of a record, if `mutation` is the first of them.
    private func wholeQueue(from mutation: Mutation) throws(StoreError) -> [Mutation]? {
        let all = try store.mutations(of: mutation.record)
        return all.first?.seq == mutation.seq ? all : nil
    }

    /// Brings one record's mutations to the schema.
    private func adopt(
        _ mutations: [Mutation], _ change: ModelChange, _ schema: SchemaChange,
        _ policies: (String) -> MergePolicies
    ) throws(StoreError) -> Int {
        let model = change.new ?? change.old
        let key = mutations[0].record
        let before = try state(of: model, key.id)
        var misfits: [(seq: Int64, failure: Mutation.Failure)] = []
        for mutation in mutations {
            let carried = schema.carried(mutation)
            var present = carried.mutation
            if carried.isRewritten, present.isFrozen {
                present.key = makeKey()
                present.isFrozen = false
            }
            if let field = mutation.failure?.field {
                present.failure?.field = change.presentName(of: field)
            }
            if mutation.isParkedBySchema {
                present.failure = carried.misfit ?? .fitsAgain(mutation.seq)
            } else if mutation.state.isLive, let misfit = carried.misfit {
                misfits.append((mutation.seq, misfit))
            }
            if present != mutation { try store.updateMutation(present) }
        }
        for misfit in misfits {
            try park(misfit.seq, misfit.failure)
            if sabotage(.dropMisfit) { try store.removeMutation(misfit.seq) }
        }
        var view: ViewChange?
        if !before.live.isEmpty {
            let gone = mutations.first { mutation in
                mutation.stoodOnOlder && misfits.contains { $0.seq == mutation.seq }
            }
            view = try rest(on: before.base, without: gone, model, key.id, policies)
        }
        for misfit in misfits {
            guard let mutation = try store.mutation(misfit.seq) else { continue }
            _ = try store.appendChange(
                Change(
                    model: key.model, id: key.id, kind: .rejected, origin: .rollback,
                    group: mutation.group, at: now(), fields: view?.fields ?? []))
        }
        if change.isRelated, change.new != nil {
            for mutation in mutations { try relink(mutation.seq, model) }
        }
        return misfits.count
    }

    /// Rejects a mutation for the schema's sake; current is refolded by the caller.
    private func park(_ seq: Int64, _ failure: Mutation.Failure) throws(StoreError) {
        guard var mutation = try store.mutation(seq) else { return }
        // Where the backend may have it already, key and payload stay what they are.
        if !mutation.isInFlight { mutation.isFrozen = false }
        mutation.state = .rejected
        mutation.failure = failure
        mutation.notBefore = 0
        try store.updateMutation(mutation)
        try leaveLater(than: mutation)
    }

    /// Makes a mutation wait for the creates that it refers to now, and for no others; a delete for
    /// what ends a reference to its record.
    private func relink(_ seq: Int64, _ model: Model) throws(StoreError) {
        guard let mutation = try store.mutation(seq),
            mutation.state == .queued || mutation.state == .waiting
        else { return }
        if mutation.kind == .delete { return try settleDelete(mutation, model) }
        let targets = references(in: mutation.set, model)
        for other in try store.dependencies(of: seq) {
            guard let create = try store.mutation(other), create.kind == .create,
                create.record != mutation.record, !targets.contains(create.record)
            else { continue }
            try store.removeDependency(seq: seq, on: other)
        }
        try place(try stillWaiting(mutation), model)
    }
}

extension Outbox {
    /// Why a mutation that was parked for the schema's sake still does not fit; nil when it does.
    func standingMisfit(_ mutation: Mutation, _ model: Model, _ base: Base)
        throws(StoreError) -> Mutation.Failure?
    {
        if mutation.hasUnknownOutcome { return nil }
        let examiner = MisfitExaminer(
            model: model, schema: store.schema, gone: try store.goneFields(of: model.name))
        var misfit = examiner.misfit(of: mutation)
        let ground =
            mutation.kind == .create || mutation.kind == .replace
            ? mutation.set : base.record ?? base.deletedRecord ?? mutation.was
        if misfit == nil, let id = model.id(of: ground), id != mutation.id {
            misfit = .key(old: [mutation.id.text], new: model.key)
        }
        return misfit?.failure(of: mutation)
    }

    /// The fields it sets that the schema has no more.
    func goneFields(in mutation: Mutation) throws(StoreError) -> [String] {
        let gone = try store.goneFields(of: mutation.model)
        return mutation.set.keys.filter { name in gone.contains { $0.sameBytes(as: name) } }
    }
}

extension Mutation {
    /// Rejected because the schema changed.
    var isParkedBySchema: Bool {
        state == .rejected && failure?.kind == Failure.schemaKind
    }
}

extension Mutation.Failure {
    static func fitsAgain(_ seq: Int64) -> Mutation.Failure {
        Mutation.Failure(
            kind: schemaKind, message: "it fits the schema again: queue retry \(seq) offers it")
    }
}
