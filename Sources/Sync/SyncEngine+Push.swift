internal import JSON
internal import Outbox
internal import Records
internal import Sabotage
internal import Storage

/// Which queued mutations a push may take.
package struct PushSelection: Sendable, Equatable {
    /// A person asked: stored delays do not count, but for those the backend announced.
    package var ignoresDelay: Bool
    package var group: String?
    package var models: [String]?

    package init(ignoresDelay: Bool = false, group: String? = nil, models: [String]? = nil) {
        self.ignoresDelay = ignoresDelay
        self.group = group
        self.models = models
    }
}

/// What one batch came to.
package enum PushStep: Sendable, Equatable {
    /// Nothing is ready to be sent.
    case idle
    /// So many mutations got a verdict that takes them out of the way.
    case answered(Int)
    /// The backend took none of it now; the mutations are as safe as before.
    case failed(BackendError)
}

extension SyncEngine {
    /// Sends one batch of mutations whose dependencies are met and takes in the verdicts.
    package func pushStep(_ selection: PushSelection) throws(SyncError) -> PushStep {
        let able = try able()
        guard able.pushes else { return .idle }
        if let batch = try takePrepared(selection) { return try send(batch, able) }
        let pause = try pause()
        if let pause, pause.until > ports.now() {
            if pause.isAnnounced {
                return .failed(
                    BackendError(
                        .rateLimited(afterMilliseconds: pause.until - ports.now()), pause.reason))
            }
            if !selection.ignoresDelay { return .idle }
        }
        let asked = try vantage()
        switch try takeBatch(selection, able, bound: pause?.batch) {
        case .nothing: return .idle
        case .settled(let count): return .answered(count)
        case .unsettled(let mutations): return try settleUnknown(mutations, able)
        case .operations(var batch):
            batch.asked = asked
            return try send(batch, able)
        }
    }

    private func send(_ batch: PreparedBatch, _ able: Capabilities) throws(SyncError) -> PushStep {
        var failure: SyncError?
        let verdicts: [String: PushOutcome]
        do throws(BackendError) {
            verdicts = try backend.push(batch.operations) {
                do throws(SyncError) { try prepare(batch.selection, able) } catch {
                    failure = error
                }
            }
        } catch {
            try fail(batch, error)
            try putBackPrepared()
            return .failed(error)
        }
        let count: Int
        do throws(SyncError) {
            count = try settle(batch.sent, verdicts, batch.asked, batch.again)
        } catch {
            try putBackPrepared()
            throw error
        }
        if !isPlain(verdicts, of: batch.sent) || count < batch.sent.count {
            try putBackPrepared()
        }
        if let failure { throw failure }
        return .answered(count)
    }

    enum Batch {
        case nothing
        /// Their outcome has to be found out before anything of their records is sent.
        case unsettled([Mutation])
        /// The outcome of so many was known from what was pulled since.
        case settled(Int)
        case operations(PreparedBatch)
    }

    /// Chooses what to send and marks it, in one transaction: what is edited afterwards is a new
    /// mutation, and no other process sends the same.
    ///
    /// - Throws: `leaseHeld` when another process took over: it sends them.
    func takeBatch(_ selection: PushSelection, _ able: Capabilities, bound: Int?)
        throws(SyncError) -> Batch
    {
        let now = ports.now()
        let limit = max(1, min(able.batch, bound ?? able.batch, 1_000))
        // One that is held back for longer than anything may be is so by a clock that jumped.
        let latest = now + Backoff.capMilliseconds + 2
        heldBack = heldBack.filter { $0.value > now && $0.value <= latest }
        let batch = try written { (notices) throws(StoreError) -> Batch? in
            guard try store.renewLease(lease) || sabotage(.ignoreLease) else { return nil }
            if !sabotage(.forgetClockJump) {
                try store.clampDelays(
                    latest: latest, announced: now + SyncEngine.longestDelay)
            }
            var ready = try store.readyMutations(
                now: now, limit: limit + heldBack.count,
                ignoringDelay: selection.ignoresDelay, group: selection.group,
                models: selection.models)
            if !heldBack.isEmpty { ready.removeAll { heldBack[$0.seq] != nil } }
            let unsettled = ready.filter { $0.state == .unknown }
            if able.idempotency != .key, !unsettled.isEmpty {
                if able.hasFetch { return .unsettled(unsettled) }
                let settled = try settleByPulled(unsettled)
                notices = settled.flatMap { $0 }
                if !settled.isEmpty { return .settled(settled.count) }
            }
            return try mark(ready.prefix(limit), able, selection)
        }
        guard let batch else {
            let holder = try stored { () throws(StoreError) in try store.lease() }
            throw .leaseHeld(pid: holder?.pid ?? 0)
        }
        return batch
    }

    /// Freezes key and payload before a byte leaves, as many as fit the bytes of one push.
    private func mark(
        _ ready: ArraySlice<Mutation>, _ able: Capabilities, _ selection: PushSelection
    ) throws(StoreError) -> Batch {
        var batch = PreparedBatch(
            selection: selection, operations: [], before: [], sent: [], again: [],
            asked: Vantage(feed: 0, data: 0))
        var bytes = 0
        let bound = able.batchBytes > 0 ? able.batchBytes : 8 << 20
        for var mutation in ready {
            if sabotage(.resendUnderNewKey), mutation.isFrozen {
                mutation.key = ports.makeKey()
                try store.updateMutation(mutation)
            }
            guard let operation = try operation(for: mutation) else { continue }
            bytes += operation.size
            if !batch.operations.isEmpty, bytes > bound { break }
            batch.operations.append(operation)
            // An answer to one that was sent before may be an old one.
            if mutation.state == .unknown { batch.again.insert(mutation.seq) }
            batch.before.append(mutation)
            batch.sent.append(try store.markSending(mutation))
        }
        return batch.operations.isEmpty ? .nothing : .operations(batch)
    }

    private func operation(for mutation: Mutation) throws(StoreError) -> PushOperation? {
        guard let model = model(mutation.model) else { return nil }
        let base = try outbox.state(of: model, mutation.id).base
        let wanted = mutation.applied(to: base.record, orElse: base.deletedRecord)
        return PushOperation(
            key: mutation.key, group: mutation.group, model: mutation.model, id: mutation.id,
            kind: mutation.kind, baseVersion: mutation.baseVersion, set: mutation.set,
            record: mutation.kind == .delete ? nil : wanted)
    }
}

extension PushOperation {
    /// About how many bytes it takes on the wire.
    fileprivate var size: Int {
        var bytes: [UInt8] = []
        JSONValue.object(set).write(into: &bytes)
        if let record { JSONValue.object(record).write(into: &bytes) }
        return bytes.count + 200
    }
}
