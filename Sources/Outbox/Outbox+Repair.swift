package import JSON
package import Records
package import Storage

/// What became of a repair of the queue.
package enum RepairOutcome: Sendable, Equatable {
    case done
    case notFound
    /// It is on its way: its outcome has to be known first.
    case inFlight
    /// It has nothing to repair in this way; says why.
    case refused(String)
}

extension Outbox {
    /// Takes a mutation out of the queue for good and out of view.
    ///
    /// What depends on a dropped create can never be delivered: it is kept, rejected, naming the
    /// drop. What was edited on top of it then stands on what the backend has, by the merge
    /// policies of the record's model.
    package func drop(_ seq: Int64, policies: (String) -> MergePolicies, group: String)
        throws(StoreError) -> RepairOutcome
    {
        guard let mutation = try store.mutation(seq) else { return .notFound }
        if mutation.state == .sending { return .inFlight }
        guard let model = store.schema.model(mutation.model) else {
            if mutation.kind == .create {
                try rejectDependents(try store.dependents(on: seq), of: mutation, policies)
            } else {
                try store.releaseDependents(of: seq)
            }
            try store.removeMutation(seq)
            return .done
        }
        let state = try state(of: model, mutation.id)
        if mutation.kind == .create {
            var orphans = try store.dependents(on: seq)
            // What was edited since a refused one's record came by a pull never stood on it.
            if mutation.state.isLive || state.base.record == nil {
                orphans += state.live.drop { $0.seq <= seq }.prefix { $0.kind != .create }
                    .map(\.seq)
            }
            try rejectDependents(orphans, of: mutation, policies)
        } else {
            try store.releaseDependents(of: seq)
            try standLater(given: mutation, state.base)
            try passHolds(of: mutation)
            try doubtFilteredPull(of: model)
        }
        try store.removeMutation(seq)
        let change = try rest(
            on: state.base, without: mutation, model, mutation.id, policies)
        try view(change, model, mutation, group)
        return .done
    }

    /// Folds a record anew without a mutation that left the queue or was parked.
    ///
    /// What was edited on top of one that stood on older values than the base has stands on them
    /// too by now, and has to be merged with the base.
    package func rest(
        on base: Base, without gone: Mutation?, _ model: Model, _ id: RecordID,
        _ policies: (String) -> MergePolicies
    ) throws(StoreError) -> ViewChange? {
        guard let gone, gone.stoodOnOlder else { return try refold(model, id, base: base) }
        let before = try store.record(model, id)?.record
        try rebase(model, id, onto: base, policies: policies(model.name), cause: .remote)
        return ViewChange(from: before, to: try store.record(model, id)?.record)
    }

    private func rejectDependents(
        _ orphans: [Int64], of dropped: Mutation, _ policies: (String) -> MergePolicies
    ) throws(StoreError) {
        for orphan in orphans {
            guard var mutation = try store.mutation(orphan), mutation.state.isLive,
                let model = store.schema.model(mutation.model)
            else { continue }
            let state = try state(of: model, mutation.id)
            let before = mutation
            mutation.state = .rejected
            mutation.failure = Mutation.Failure(
                kind: "dependency",
                message: "the create of \(dropped.model) \(dropped.id) (queue number "
                    + "\(dropped.seq)), which it refers to, was dropped")
            try store.updateMutation(mutation)
            try leaveLater(than: mutation)
            let change = try rest(
                on: state.base, without: before, model, mutation.id, policies)
            try view(change, model, mutation, mutation.group)
        }
        try store.releaseDependents(of: dropped.seq)
    }

    /// Offers a rejected, delayed or parked mutation again, rebased onto what the backend has now.
    package func retry(_ seq: Int64, policies: MergePolicies, group: String)
        throws(StoreError) -> RepairOutcome
    {
        guard var mutation = try store.mutation(seq) else { return .notFound }
        guard let model = store.schema.model(mutation.model) else {
            return .refused(withoutModel(mutation))
        }
        switch mutation.state {
        case .sending, .unknown: return .inFlight
        case .waiting:
            var awaited: [Int64] = []
            for other in try store.dependencies(of: seq) where try store.mutation(other) != nil {
                awaited.append(other)
            }
            guard awaited.isEmpty else { return .refused("it waits for \(awaited)") }
            // What it waited for is gone without a trace: nothing else would ever free it.
            try store.removeDependencies(of: seq)
            mutation.state = .queued
            mutation.notBefore = 0
            try store.updateMutation(mutation)
            return .done
        case .conflict:
            if try askAgain(mutation, model, policies) { return .done }
            return .refused(
                "it is in conflict: conflicts resolve \(mutation.model) \(mutation.id)")
        case .queued:
            mutation.notBefore = 0
            try store.updateMutation(mutation)
            return .done
        case .rejected:
            break
        }
        let state = try state(of: model, mutation.id)
        let base = state.base
        if let reason = try unknownAfter(mutation) { return .refused(reason) }
        // The schema may have changed since it was refused, for whatever reason.
        if let misfit = try standingMisfit(mutation, model, base) {
            if mutation.isFrozen {
                // It was refused: nothing is open about it, as frozen and parked would say.
                mutation.isFrozen = false
                mutation.key = makeKey()
            }
            mutation.failure = misfit
            try store.updateMutation(mutation)
            return .refused(misfit.message)
        }
        if mutation.hasUnknownOutcome {
            if mutation.isUnsettled, mutation.kind == .delete {
                try discardLaterEdits(than: mutation, state)
            }
            return try settleLater(mutation, model, base: base, policies, group)
        }
        if mutation.kind == .update, base.record == nil, base.deletedRecord == nil,
            !state.live.contains(where: { $0.seq < seq && $0.kind == .create })
        {
            return .refused(
                "there is no \(mutation.model) \(mutation.id) any more: create it anew")
        }
        if mutation.kind == .delete { try discardLaterEdits(than: mutation, state) }
        mutation.state = .queued
        mutation.key = makeKey()
        mutation.isFrozen = false
        mutation.attempts = 0
        mutation.notBefore = 0
        mutation.failure = nil
        try place(try stillWaiting(mutation), model)
        if mutation.kind == .create { try settleCreate(seq, model) }
        let change = try rebase(
            model, mutation.id, onto: base, policies: policies, cause: .remote)
        try view(change, model, mutation, group)
        return .done
    }

    /// What became of what was sent is found out with the same key: its model is back, or somebody
    /// wants it tried again.
    private func settleLater(
        _ mutation: Mutation, _ model: Model, base: Base, _ policies: MergePolicies,
        _ group: String
    ) throws(StoreError) -> RepairOutcome {
        var unknown = mutation
        unknown.state = .unknown
        unknown.failure = nil
        unknown.attempts = 0
        unknown.notBefore = 0
        try store.updateMutation(unknown)
        try resumeLater(than: unknown)
        let change = try rebase(
            model, mutation.id, onto: base, policies: policies, cause: .remote)
        try view(change, model, mutation, group)
        return .done
    }

    /// Why a mutation may not come before those after it: of one of them the outcome is unknown, and
    /// what it set could be taken for somebody else's.
    private func unknownAfter(_ mutation: Mutation) throws(StoreError) -> String? {
        let later = try store.mutations(of: mutation.record)
            .first { $0.seq > mutation.seq && $0.hasUnknownOutcome }
        guard let later else { return nil }
        return "number \(later.seq), a later change of the same record, "
            + (later.isInFlight
                ? "is on its way: what became of it must be known first, and a sync finds out"
                : "may have arrived: queue retry \(later.seq) finds that out first")
    }

    private func withoutModel(_ mutation: Mutation) -> String {
        if mutation.isParkedBySchema, let failure = mutation.failure { return failure.message }
        return "the schema has no model \(mutation.model)"
    }

    /// Changes fields of a mutation that is not on its way; a rejected one stays so until `retry`.
    ///
    /// One that was rejected because fields left the schema goes without them from then on.
    package func edit(_ seq: Int64, set: JSONObject, group: String) throws(StoreError)
        -> RepairOutcome
    {
        guard var mutation = try store.mutation(seq) else { return .notFound }
        if mutation.state == .sending || mutation.state == .unknown { return .inFlight }
        if mutation.kind == .delete { return .refused("a delete has no fields to edit") }
        if mutation.isUnsettled {
            return .refused("it may have arrived before: queue retry \(seq) finds that out first")
        }
        guard let model = store.schema.model(mutation.model), !mutation.hasUnknownOutcome else {
            return .refused(withoutModel(mutation))
        }
        let state = try state(of: model, mutation.id)
        if mutation.isParkedBySchema {
            for name in try goneFields(in: mutation) {
                mutation.set[name] = nil
                mutation.was[name] = nil
            }
        }
        var before = mutation.set
        if mutation.kind == .update {
            let ground = fold(state.base, state.live.filter { $0.seq < seq })
            for name in set.keys where mutation.was.index(of: name) == nil {
                mutation.was[name] = ground?[name] ?? .null
            }
        }
        for name in set.keys where before.index(of: name) == nil {
            before[name] = mutation.kind == .update ? mutation.was[name] ?? .null : .null
        }
        mutation.set = mutation.set.overlaid(with: try naming(set, model))
        if mutation.isFrozen {
            mutation.key = makeKey()
            mutation.isFrozen = false
        }
        if mutation.isParkedBySchema {
            mutation.failure =
                try standingMisfit(mutation, model, state.base) ?? .fitsAgain(seq)
        }
        try place(mutation, model)
        if mutation.state.isLive { try standLater(than: mutation, from: before, on: mutation.set) }
        try view(try refold(model, mutation.id, base: state.base), model, mutation, group)
        return .done
    }

    /// Puts a change of view that a repair made into the feed.
    func view(_ change: ViewChange?, _ model: Model, _ mutation: Mutation, _ group: String)
        throws(StoreError)
    {
        guard let change else { return }
        _ = try store.appendChange(
            Change(
                seq: 0, model: model.name, id: mutation.id, kind: change.kind, origin: .rollback,
                group: group, at: now(), fields: change.fields))
    }
}
