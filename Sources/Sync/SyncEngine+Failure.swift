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
                let kind = error.kind == .tooLarge ? "too_large" : "refused"
                return try refuse(sent, Mutation.Failure(kind: kind, message: error.message))
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
                return try charge(mutation, error, pause)
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
    /// it any more, and in the end it is refused.
    private func charge(_ mutation: Mutation, _ error: BackendError, _ pause: ContextPause)
        throws(SyncError)
    {
        heldBack[mutation.seq] = max(pause.until, ports.now() + 1) + 1
        failedAlone.insert(mutation.seq)
        let lone =
            mutation.failure?.kind == SyncEngine.loneKind ? mutation.attempts : 0
        if lone + 1 >= settings.conflictBound {
            return try refuse(
                [mutation],
                Mutation.Failure(
                    kind: "server",
                    message: "failed \(lone + 1) times while others passed: \(error.message)"))
        }
        if lone >= SyncEngine.loneFailures {
            try stored { () throws(StoreError) in
                try store.write { () throws(StoreError) in
                    guard var charged = try sending(mutation) else { return }
                    charged.state = .unknown
                    charged.attempts = lone + 1
                    charged.notBefore =
                        ports.now() + Backoff.delay(attempts: lone, random: ports.random())
                    try store.updateMutation(charged)
                }
            }
            return
        }
        try lose([mutation], pause)
    }

    /// Others passed: what failed alone before is suspected the more.
    func suspectLoners() throws(StoreError) {
        for seq in failedAlone.sorted() {
            guard var mutation = try store.mutation(seq), mutation.state == .unknown else {
                continue
            }
            if mutation.failure?.kind != SyncEngine.loneKind { mutation.attempts = 0 }
            mutation.attempts += 1
            mutation.failure = Mutation.Failure(
                kind: SyncEngine.loneKind, message: "fails alone while others pass")
            try store.updateMutation(mutation)
        }
        failedAlone = []
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

    private func refuse(_ sent: [Mutation], _ failure: Mutation.Failure) throws(SyncError) {
        try written { (notices) throws(StoreError) in
            for mutation in sent {
                guard let present = try sending(mutation) else { continue }
                notices.append(.rejected(try reject(present, failure)))
            }
        }
    }

    /// Puts back what was not taken, but for what was sent before: of that the outcome is unknown
    /// all the same.
    private func requeueUntaken(_ batch: PreparedBatch, _ pause: ContextPause? = nil)
        throws(SyncError)
    {
        try written { (notices) throws(StoreError) in
            for mutation in batch.sent {
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
