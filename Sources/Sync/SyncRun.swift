internal import Records
internal import Storage

/// One whole sync: push until nothing is ready, pull every model to its end, push what that freed.
package struct SyncRun {
    let engine: SyncEngine
    let options: SyncOptions
    let ports: SyncPorts
    var report = SyncReport()
    var hasLease = false
    /// Why a model's pull came to its last page and yet not to its end.
    var unended: SyncError?
    private var hasPulled = false
    private let delivered = Counter()

    private final class Counter {
        var count = 0
    }

    package init(engine: SyncEngine, options: SyncOptions) {
        self.engine = engine
        self.options = options
        ports = engine.ports
    }

    package mutating func run() -> SyncOutcome {
        let (tell, delivered) = (engine.notify, delivered)
        engine.notify = { notice in
            if case .delivered = notice { delivered.count += 1 }
            tell(notice)
        }
        defer { engine.notify = tell }
        var failure: SyncError?
        do throws(SyncError) { try go() } catch { failure = error }
        report.pushed = delivered.count
        do throws(SyncError) {
            if hasLease { try engine.releaseLease() }
            try tally()
            if failure == nil { try engine.pruneFeed() }
        } catch { failure = failure ?? error }
        return SyncOutcome(report: report, failure: failure, hasPulled: hasPulled)
    }

    private mutating func go() throws(SyncError) {
        report.isReadOnly = !(try engine.open(acceptRemote: options.acceptRemote)).pushes
        if options.pulls { try engine.reexamineQuarantine() }
        if options.pushes { try lease() }
        var unasked: SyncError?
        for round in 1...4 {
            var refused: SyncError?
            if hasLease { refused = try pushAsFarAsPossible() }
            if options.pulls, round == 1 {
                unasked = try pull()
                hasPulled = unasked == nil
            }
            if let refused { throw refused }
            _ = try engine.resolveByCommand()
            // What a merge freed goes out in the same sync.
            guard hasLease, options.pulls, try hasReady() else { break }
        }
        if let unasked { throw unasked }
        try refuseUntold()
    }

    /// Pushes; a backend that takes no changes now may be read all the same.
    ///
    /// - Returns: Why it took none, where it answers though.
    private mutating func pushAsFarAsPossible() throws(SyncError) -> SyncError? {
        do throws(SyncError) {
            try push()
            return nil
        } catch {
            if case .leaseHeld = error {
                // Taken over while this process slept, or pulled for long: the other one pushes.
                hasLease = false
                return nil
            }
            guard options.pulls, case .backend(let cause) = error, cause.kind == .retryable,
                engine.isAnswered()
            else { throw error }
            return error
        }
    }

    /// Waits up to ten seconds for another process to finish pushing, then leaves that to it.
    private mutating func lease() throws(SyncError) {
        var waited: Int64 = 0
        while true {
            do throws(SyncError) {
                try engine.takeLease()
                hasLease = true
                return
            } catch {
                guard case .leaseHeld(let pid) = error else { throw error }
                guard waited < 10_000, allows(100), ports.wait(100) else { return }
                if waited == 1_000 {
                    engine.notify(.waiting(milliseconds: 9_000, reason: "process \(pid) pushes"))
                }
                waited += 100
            }
        }
    }

    func allows(_ delay: Int64) -> Bool {
        options.deadline.map { ports.now() + delay < $0 } ?? true
    }

    private func hasReady() throws(SyncError) -> Bool {
        try stored { () throws(StoreError) in
            try !engine.store.readyMutations(
                now: ports.now(), limit: 1, ignoringDelay: false, group: options.group,
                models: options.models
            ).isEmpty
        }
    }

    private mutating func tally() throws(SyncError) {
        let counts = try stored { () throws(StoreError) in try engine.store.mutationCounts() }
        report.conflicts = counts[.conflict] ?? 0
        report.rejected = counts[.rejected] ?? 0
        report.waiting = counts[.waiting] ?? 0
        report.remaining =
            (counts[.queued] ?? 0) + (counts[.sending] ?? 0) + (counts[.unknown] ?? 0)
            + report.waiting
        report.quarantined = try stored { () throws(StoreError) in
            try engine.store.quarantineCount()
        }
    }

    /// Answers in a row that bring nothing on before it is left to a later sync.
    static let patience = 20
    static let interrupted = BackendError(.cancelled, "interrupted")
}
