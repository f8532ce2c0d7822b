internal import Outbox
internal import Records
internal import Sabotage
internal import Storage

/// A batch that was chosen and marked while the one before it was on its way.
struct PreparedBatch {
    var selection: PushSelection
    var operations: [PushOperation]
    /// The mutations as they were before they were marked.
    var before: [Mutation]
    var sent: [Mutation]
    var again: Set<Int64>
    /// When the batch was chosen.
    var asked: Vantage
}

// The backend's time is also ours: while it answers one batch, the next is made.
extension SyncEngine {
    /// Chooses and marks the next batch, to be sent as soon as the answer to this one is taken in.
    ///
    /// Not where a kill would leave more of unknown outcome than anybody can tell about.
    func prepare(_ selection: PushSelection, _ able: Capabilities) throws(SyncError) {
        guard able.idempotency != .none, prepared == nil else { return }
        let asked = try vantage()
        let bound = try pause()?.batch
        guard case .operations(var batch) = try takeBatch(selection, able, bound: bound) else {
            return
        }
        batch.asked = asked
        prepared = batch
    }

    /// The prepared batch, if it may be sent as it is.
    ///
    /// Whoever slept since it was made may have lost the lease: then another process sends it.
    func takePrepared(_ selection: PushSelection) throws(SyncError) -> PreparedBatch? {
        guard let batch = prepared else { return nil }
        let holder = try stored { () throws(StoreError) in try store.lease() }
        let isOurs = holder?.owner == ports.owner && (holder?.expiresAt ?? 0) > ports.now()
        guard isOurs, batch.selection == selection else {
            try putBackPrepared()
            return nil
        }
        prepared = nil
        return batch
    }

    /// Queues the prepared batch again, as if it had not been chosen: no byte of it has left.
    package func putBackPrepared() throws(SyncError) {
        guard let batch = prepared else { return }
        prepared = nil
        try written { (notices) throws(StoreError) in
            guard try isPusher() else { return }
            for (before, sent) in zip(batch.before, batch.sent) {
                // What is not being sent any more is in another process's hands.
                guard let present = try sending(sent), present.state == .sending else { continue }
                notices += try putBack(before, batch.asked)
            }
        }
    }

    /// False once another process has taken over: what was sent is its to settle, under the same keys.
    func isPusher() throws(StoreError) -> Bool {
        if sabotage(.ignoreLease) { return true }
        return try store.lease()?.owner == ports.owner
    }

    /// True when the answers changed nothing but the records that they are about: what was chosen
    /// before they came would be chosen still.
    func isPlain(_ verdicts: [String: PushOutcome], of sent: [Mutation]) -> Bool {
        sent.allSatisfy { mutation in
            guard case .ok(_, _, let assigned)? = verdicts[mutation.key] else { return false }
            return assigned == nil || assigned == mutation.id
        }
    }
}
