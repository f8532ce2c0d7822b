internal import JSON
internal import Outbox
internal import Records
internal import Sabotage
internal import Storage

extension SyncEngine {
    /// A whole push failed: who is charged and who waits follows from the kind.
    ///
    /// Nothing tells which of a batch was at fault, so the next ones are smaller, down to one. One
    /// that keeps failing alone while others pass is the one.
    ///
    /// What was sent before may have arrived then: that it did not arrive now changes nothing, its
    /// outcome stays unknown.
    func fail(_ batch: PreparedBatch, _ error: BackendError) throws(SyncError) {
        let sent = batch.sent
        let isAlone = sent.count == 1
        switch error.kind {
        case .auth, .untrusted, .unavailable:
            try requeueUntaken(batch)
        case .tooLarge, .permanent, .unsupported:
            if isAlone || sabotage(.chargeSiblings) {
                return try refuse(batch, error)
            }
            try requeueUntaken(batch, pause(narrowingTo: sent.count / 2))
        case .rateLimited:
            try requeueUntaken(batch, pause(after: error, batch: nil))
        case .cancelled:
            try lose(sent)
        case .retryable, .broken, .hung, .cursorExpired:
            let failures = try pause()?.failures ?? 0
            let narrows = !isAlone && failures >= SyncEngine.patience
            let pause = try pause(after: error, batch: narrows ? sent.count / 2 : nil)
            if isAlone, let mutation = sent.first, pause.failures > SyncEngine.patience {
                return try suspect(mutation, error, pause)
            }
            try lose(sent, pause)
        }
    }

    /// True when pushes failed so often, though the backend answers, that what they hold may be why.
    func suspectsMutations() throws(SyncError) -> Bool {
        guard let pause = try pause(), pause.failures > SyncEngine.patience else { return false }
        return try !able().answersPing || isAnswered()
    }

    /// True when the backend answers at all.
    func isAnswered() -> Bool {
        do throws(BackendError) {
            try backend.ping()
            return true
        } catch {
            return false
        }
    }

    /// Failures of whole pushes in a row before the batch itself is suspected.
    static let patience = 2
    /// Failures of one mutation alone, others having passed meanwhile, before it is charged.
    static let loneFailures = 3

    /// One mutation failed alone.
    ///
    /// Others get their turn first; once it is known to be at fault the context does not wait for
    /// it any more, unless nothing answers.
    private func suspect(_ mutation: Mutation, _ error: BackendError, _ pause: ContextPause)
        throws(SyncError)
    {
        heldBack[mutation.seq] = max(pause.until, ports.now() + 1) + 1
        failedAlone[mutation.seq] = error.message
        let lone =
            mutation.failure?.kind == SyncEngine.loneKind ? mutation.attempts : 0
        guard lone >= SyncEngine.loneFailures, isAnswered() else {
            return try lose([mutation], pause)
        }
        var alone = pause
        alone.until = 0
        try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) in
                if var present = try sending(mutation) {
                    present.state = .unknown
                    present.notBefore = pause.until
                    try store.updateMutation(present)
                }
                try save(alone)
            }
        }
    }

    /// Others passed: what failed alone before is charged, and in the end refused.
    ///
    /// While nothing passes nobody is: it may be the network, or the server.
    ///
    /// - Returns: What to tell of those that are refused.
    func chargeLoners() throws(StoreError) -> [SyncNotice] {
        var notices: [SyncNotice] = []
        for (seq, message) in failedAlone.sorted(by: { $0.key < $1.key }) {
            guard var mutation = try store.mutation(seq), mutation.state == .unknown else {
                continue
            }
            mutation.count(SyncEngine.loneKind, "fails alone while others pass")
            if mutation.attempts < settings.conflictBound {
                try store.updateMutation(mutation)
                continue
            }
            let failure = Mutation.Failure(
                kind: Mutation.Failure.unsettledKind,
                message: "failed \(mutation.attempts) times while others passed: \(message); "
                    + unsettled(mutation))
            notices.append(.rejected(try reject(mutation, failure)))
        }
        failedAlone = [:]
        return notices
    }

    /// The failure of a mutation that fails alone.
    static let loneKind = "lone"

    private func pause(narrowingTo batch: Int) throws(SyncError) -> ContextPause {
        let now = ports.now()
        var pause =
            try pause()
            ?? ContextPause(
                until: now, since: now, failures: 0, isAnnounced: false, reason: "")
        pause.batch = max(1, batch)
        return pause
    }

    /// The backend refuses what was sent, as a whole.
    ///
    /// What was sent before may have arrived then: its key is kept for whoever tries it again.
    private func refuse(_ batch: PreparedBatch, _ error: BackendError) throws(SyncError) {
        let kind = error.kind == .tooLarge ? "too_large" : "refused"
        try written { (notices) throws(StoreError) in
            // Whoever took over is sending it under the same key.
            guard try isPusher() else { return }
            for mutation in batch.sent {
                guard let present = try sending(mutation) else { continue }
                var failure = Mutation.Failure(kind: kind, message: error.message)
                if batch.again.contains(mutation.seq) {
                    failure = Mutation.Failure(
                        kind: Mutation.Failure.unsettledKind,
                        message: "\(error.message); \(unsettled(mutation))")
                }
                notices.append(.rejected(try reject(present, failure)))
            }
        }
    }

    private func unsettled(_ mutation: Mutation) -> String {
        "it may have arrived before: queue retry \(mutation.seq) finds out"
    }

    /// Puts back what was not taken, but for what was sent before: of that the outcome is unknown
    /// all the same.
    private func requeueUntaken(_ batch: PreparedBatch, _ pause: ContextPause? = nil)
        throws(SyncError)
    {
        try written { (notices) throws(StoreError) in
            for mutation in try isPusher() ? batch.sent : [] {
                guard var present = try sending(mutation) else { continue }
                present.state = batch.again.contains(present.seq) ? .unknown : .queued
                notices += try putBack(present, batch.asked)
            }
            if let pause { try save(pause) }
        }
    }

    /// Of what was sent nobody knows whether it arrived.
    private func lose(_ sent: [Mutation], _ pause: ContextPause? = nil) throws(SyncError) {
        try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) in
                for mutation in sent {
                    guard var present = try sending(mutation) else { continue }
                    present.state = .unknown
                    try place(present)
                }
                if let pause { try save(pause) }
            }
        }
    }

    /// The mutation as it is now, if it still is the one that was sent: another process may have
    /// taken over.
    ///
    /// `state` is the present of its record where that was just read.
    func sending(_ mutation: Mutation, in state: RecordState? = nil) throws(StoreError)
        -> Mutation?
    {
        var found = state?.live.first { $0.seq == mutation.seq }
        if found == nil { found = try store.mutation(mutation.seq) }
        guard let present = found,
            present.key.sameBytes(as: mutation.key), present.isInFlight
        else { return nil }
        return present
    }
}
