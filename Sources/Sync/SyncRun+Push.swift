internal import Outbox
internal import Records
internal import Storage

// Pushing: until nothing is ready, or waiting is no use.
extension SyncRun {
    mutating func push() throws(SyncError) {
        var broken = 0
        var idle = 0
        var narrowed = 0
        if options.isAsked { try engine.tryAtOnce() }
        let selection = PushSelection(group: options.group, models: options.models)
        while true {
            if ports.isInterrupted() { throw .backend(SyncRun.interrupted) }
            switch try engine.pushStep(selection) {
            case .idle: return
            case .answered(0):
                // Nothing moved on; asking at once would turn in circles.
                idle += 1
                if idle > SyncRun.patience { return }
                if !(try waitForDelay()) { return }
            case .answered:
                idle = 0
            case .failed(let error):
                switch error.kind {
                case .broken:
                    broken += 1
                    if broken > 1 { throw .backend(error) }
                    try engine.resume()
                case .retryable:
                    narrowed += 1
                    guard options.isAsked, narrowed <= SyncRun.patience,
                        try engine.suspectsMutations()
                    else { throw .backend(error) }
                    try engine.resume()
                case .tooLarge, .permanent, .unsupported: continue
                case .rateLimited:
                    idle += 1
                    if idle > SyncRun.patience { return }
                    if !(try waitForDelay()) { return }
                default: throw .backend(error)
                }
            }
        }
    }

    /// Waits until something may be sent again, if the command's time allows.
    private func waitForDelay() throws(SyncError) -> Bool {
        guard options.isAsked else { return false }
        let pause = try engine.pause()
        let due = try stored { () throws(StoreError) in try engine.store.nextDueAt() }
        guard let due = due.map({ max($0, pause?.until ?? 0) }) else { return false }
        let delay = due - ports.now()
        if delay <= 0 { return true }
        guard mayWait(delay) else { return false }
        engine.notify(
            .waiting(milliseconds: delay, reason: try reason(pause, at: ports.now() + delay)))
        return ports.wait(delay)
    }

    /// Waits as the backend asked before a pull goes on, if the command's time allows.
    func wait(_ delay: Int64, for cause: BackendError) -> Bool {
        let delay = max(delay, 100)
        guard options.isAsked, mayWait(delay) else { return false }
        engine.notify(.waiting(milliseconds: delay, reason: cause.message))
        return ports.wait(delay)
    }

    /// A person waits ten seconds, or as long as they said.
    private func mayWait(_ delay: Int64) -> Bool {
        (options.deadline != nil || delay <= 10_000) && allows(delay)
    }

    /// Why nothing is sent before then: what the whole context waits for, or the first change.
    private func reason(_ pause: ContextPause?, at due: Int64) throws(SyncError) -> String {
        if let pause, pause.until >= due { return pause.reason }
        let first = try stored { () throws(StoreError) in
            try engine.store.readyMutations(
                now: due, limit: 1, ignoringDelay: false, group: options.group,
                models: options.models
            ).first
        }
        guard let first, let failure = first.failure else {
            return "a change waits to be sent again"
        }
        return failure.message
    }

    /// A change about which the backend does not tell what became of it, however often it is asked, is
    /// a fault of the backend's; once or twice an answer may have been lost on its way.
    func refuseUntold() throws(SyncError) {
        guard options.isAsked, hasLease else { return }
        let untold = try stored { () throws(StoreError) in
            try engine.store.mutations(
                states: [.unknown], group: options.group, after: 0, limit: .max
            )
            .first {
                $0.failure?.kind == SyncEngine.unknownKind && $0.attempts > SyncEngine.patience
                    && options.models?.contains($0.model) ?? true
            }
        }
        guard let untold, let failure = untold.failure else { return }
        throw .backend(
            BackendError(
                .broken, "\(failure.message) on the \(untold.summary)",
                hint: "what became of it is unknown, and nothing is lost: the next sync asks again")
        )
    }
}
