internal import JSON
package import Records
package import Storage

extension Outbox {
    /// Takes `base` as the backend's new word on a record: rebases the live mutations onto it and
    /// refolds. Other records are not touched.
    ///
    /// - Returns: What changed in view; nil when nothing did.
    @discardableResult
    package func rebase(
        _ model: Model, _ id: RecordID, onto base: Base, policies: MergePolicies,
        cause: Rebase.Cause
    ) throws(StoreError) -> ViewChange? {
        let live = try store.mutations(of: RecordKey(model.name, id)).filter(\.state.isLive)
        if live.isEmpty { return try refold(model, id, base: base) }
        let results = Rebase(policies: policies, makeKey: makeKey)
            .apply(live, onto: base, cause: cause)
        for (before, result) in zip(live, results) {
            switch result {
            case .keep(let mutation):
                if mutation == before { continue }
                try store.updateMutation(try stillWaiting(mutation))
            case .drop(let seq):
                try store.releaseDependents(of: seq)
                try store.removeMutation(seq)
            }
        }
        return try refold(model, id, base: base)
    }

    /// A mutation that goes back to the queue keeps waiting for what it depends on.
    func stillWaiting(_ mutation: Mutation) throws(StoreError) -> Mutation {
        guard mutation.state == .queued, try !store.dependencies(of: mutation.seq).isEmpty else {
            return mutation
        }
        var held = mutation
        held.state = .waiting
        return held
    }
}
