internal import JSON
internal import Outbox
internal import Records
internal import Storage

/// Which queued mutations a push may take.
package struct PushSelection: Sendable, Equatable {
    /// A person asked: stored delays do not count.
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
        let now = ports.now()
        let ready = try stored { () throws(StoreError) in
            try store.readyMutations(
                now: now, limit: max(1, min(able.batch, batchLimit, 1_000)),
                ignoringDelay: selection.ignoresDelay, group: selection.group,
                models: selection.models)
        }
        guard !ready.isEmpty else { return .idle }
        let unsettled = ready.filter { $0.state == .unknown }
        if !unsettled.isEmpty, able.idempotency != .key {
            return try settleUnknown(unsettled, conditional: able.idempotency == .conditional)
        }
        var operations: [PushOperation] = []
        var sent: [Mutation] = []
        var bytes = 0
        let bound = able.batchBytes > 0 ? able.batchBytes : 8 << 20
        for mutation in ready {
            guard let operation = try operation(for: mutation) else { continue }
            let size = operation.size
            if !operations.isEmpty, bytes + size > bound { break }
            bytes += size
            operations.append(operation)
            sent.append(mutation)
        }
        if operations.isEmpty { return .idle }
        sent = try mark(sent)
        let verdicts: [String: PushOutcome]
        do throws(BackendError) {
            verdicts = try backend.push(operations)
        } catch {
            try fail(sent, error)
            return .failed(error)
        }
        return .answered(try settle(sent, verdicts))
    }

    /// Freezes key and payload and charges an attempt, before a byte leaves.
    ///
    /// - Throws: `leaseHeld` when another process took over meanwhile: it sends them.
    private func mark(_ mutations: [Mutation]) throws(SyncError) -> [Mutation] {
        let sent = try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) -> [Mutation]? in
                guard try store.renewLease(lease) else { return nil }
                var sent: [Mutation] = []
                for mutation in mutations {
                    var sending = mutation
                    sending.state = .sending
                    sending.isFrozen = true
                    sending.attempts += 1
                    try store.updateMutation(sending)
                    sent.append(sending)
                }
                return sent
            }
        }
        guard let sent else {
            let holder = try stored { () throws(StoreError) in try store.lease() }
            throw .leaseHeld(pid: holder?.pid ?? 0)
        }
        return sent
    }

    private func operation(for mutation: Mutation) throws(SyncError) -> PushOperation? {
        guard let model = model(mutation.model) else { return nil }
        let state = try stored { () throws(StoreError) in
            try outbox.state(of: model, mutation.id)
        }
        let wanted = mutation.applied(to: state.base.record, orElse: state.base.deletedRecord)
        return PushOperation(
            key: mutation.key, group: mutation.group, model: mutation.model, id: mutation.id,
            kind: mutation.kind, baseVersion: mutation.baseVersion, set: mutation.set,
            record: mutation.kind == .delete ? nil : wanted)
    }

    /// A whole push failed: who is charged and who waits follows from the kind.
    private func fail(_ sent: [Mutation], _ error: BackendError) throws(SyncError) {
        failures += 1
        let now = ports.now()
        let pause = Backoff.delay(attempts: failures, random: ports.random())
        let alone = sent.count == 1
        if !alone, error.kind == .tooLarge || error.kind == .permanent || failures > 2 {
            batchLimit = max(1, sent.count / 2)
        }
        try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) in
                for mutation in sent {
                    guard var failed = try store.mutation(mutation.seq) else { continue }
                    failed.state = .unknown
                    failed.notBefore = now + pause
                    switch error.kind {
                    case .rateLimited(let delay):
                        failed.state = .queued
                        failed.attempts -= 1
                        failed.notBefore = now + (delay ?? pause)
                    case .auth, .untrusted, .unavailable:
                        failed.state = .queued
                        failed.attempts -= 1
                        failed.notBefore = 0
                    case .tooLarge, .permanent, .unsupported:
                        failed.state = .queued
                        failed.attempts -= alone ? 0 : 1
                        failed.notBefore = 0
                        if alone {
                            let kind = error.kind == .tooLarge ? "too_large" : "refused"
                            try reject(
                                failed, Mutation.Failure(kind: kind, message: error.message))
                            continue
                        }
                    case .retryable, .cancelled, .broken, .cursorExpired:
                        break
                    }
                    try store.updateMutation(failed)
                }
            }
        }
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
