internal import JSON
package import Records
internal import Sabotage
package import Storage

extension Outbox {
    /// Takes `base` as the backend's new word on a record: rebases its live mutations and refolds.
    ///
    /// Other records are not touched. `known` is the present of this one where that was just read.
    ///
    /// - Returns: What changed in view; nil when nothing did.
    @discardableResult
    package func rebase(
        _ model: Model, _ id: RecordID, onto base: Base, policies: MergePolicies,
        cause: Rebase.Cause, known: RecordState? = nil
    ) throws(StoreError) -> ViewChange? {
        let live = try live(of: RecordKey(model.name, id), known)
        if live.isEmpty { return try refold(model, id, base: base, known: known) }
        var before = known?.base
        if before == nil { before = try store.base(RecordKey(model.name, id)) }
        var base = base
        let results = Rebase(policies: policies, model: model, makeKey: makeKey)
            .apply(live, onto: base, cause: cause, held: try held(live))
        for (before, result) in zip(live, results) {
            switch result {
            case .keep(let mutation):
                if mutation == before { continue }
                // The backend has the record: what refers to it need not wait for this any more.
                if before.kind == .create, mutation.kind == .update {
                    try store.releaseDependents(of: mutation.seq)
                }
                if mutation.kind == .create, before.kind != .create {
                    // There is nothing to delete first any more; what refers to it waits now.
                    try store.removeDependencies(of: mutation.seq)
                    try place(try stillWaiting(mutation), model)
                    try settleCreate(mutation.seq, model)
                } else {
                    try place(try stillWaiting(mutation), model)
                }
            case .drop(let seq):
                try store.releaseDependents(of: seq)
                try store.removeMutation(seq)
            }
        }
        let first = results.lazy.compactMap(\.kept).first
        if let first, first.kind == .create, !first.isInFlight {
            // Made anew: what was deleted before it is no sign that it arrived.
            base.deletedRecord = nil
        }
        if sabotage(.forgetRefold) { return nil }
        let change = try refold(model, id, base: base)
        if let before { try releaseDeletes(behind: live, model, from: before, to: base) }
        return change
    }

    /// Has the model pulled from the start next time, where only some of its records are kept.
    ///
    /// A pull of everything that does not meet a record with changes leaves it, for it may only have
    /// left the filter; once the changes are taken back, nothing else would tell that it is gone.
    package func doubtFilteredPull(of model: Model) throws(StoreError) {
        guard let cursor = try store.cursor(model.name), !cursor.scope.isEmpty else { return }
        try store.restartPull(of: model.name)
    }

    /// A mutation that goes back to the queue waits while there is something it depends on.
    func stillWaiting(_ mutation: Mutation) throws(StoreError) -> Mutation {
        guard mutation.state == .queued || mutation.state == .waiting else { return mutation }
        var held = mutation
        held.state = try store.dependencies(of: mutation.seq).isEmpty ? .queued : .waiting
        return held
    }

    /// Makes later mutations of the record forget what `gone` set: they now stand on what was
    /// there before it.
    package func standLater(without gone: Mutation) throws(StoreError) {
        try standLater(than: gone, from: gone.set, on: gone.was)
    }

    /// Moves the ground under the record's later mutations: where they stand on `old` values they
    /// then stand on the `new` ones.
    ///
    /// Those after one that sets a field stand on what that one sets.
    func standLater(
        than mutation: Mutation, from old: JSONObject, on new: JSONObject,
        only isMoved: (Int64) -> Bool = { _ in true }
    ) throws(StoreError) {
        var open = old
        for later in try store.mutations(of: mutation.record) where later.seq > mutation.seq {
            if later.kind == .create { return }
            var moved = later
            for (name, value) in open.pairs
            where later.was[name] == value && isMoved(later.seq) {
                moved.was[name] = new[name] ?? .null
            }
            if moved != later { try store.updateMutation(moved) }
            guard later.state.isLive else { continue }
            if later.kind != .update { return }
            for name in later.set.keys { open[name] = nil }
        }
    }
}
