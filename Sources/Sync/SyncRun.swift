internal import JSON
internal import Records
internal import Storage

/// What a person asked of one sync.
package struct SyncOptions: Sendable, Equatable {
    package var pushes = true
    package var pulls = true
    /// Nil for all models.
    package var models: [String]?
    package var full = false
    package var acceptDeletions = false
    package var acceptRemote = false
    /// Only this command's mutations.
    package var group: String?
    /// True where a person waits: stored delays that the backend did not announce do not count.
    package var isAsked = true
    /// Milliseconds since 1970 by which it has to end; nil for no bound.
    package var deadline: Int64?

    package init() {}
}

/// What one sync did and what it left: `sync`'s answer.
package struct SyncReport: Sendable, Equatable {
    package var pushed = 0
    package var pulled = 0
    package var deleted = 0
    /// Items in quarantine now.
    package var quarantined = 0
    /// Records in conflict now.
    package var conflicts = 0
    /// Rejected mutations in the queue now.
    package var rejected = 0
    package var waiting = 0
    /// Mutations still to be delivered.
    package var remaining = 0
    /// Every model asked for was pulled to its end.
    package var complete = true
    package var refusedModels: [String] = []
    /// The backend takes no changes.
    package var isReadOnly = false

    package init() {}
}

/// A sync's report, and why it stopped early if it did.
package struct SyncOutcome: Sendable, Equatable {
    package var report: SyncReport
    package var failure: SyncError?
}

/// One whole sync: push until nothing is ready, pull every model to its end, push what that freed.
package struct SyncRun {
    private let engine: SyncEngine
    private let options: SyncOptions
    private let ports: SyncPorts
    private var report = SyncReport()
    private var hasLease = false
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
        return SyncOutcome(report: report, failure: failure)
    }

    private mutating func go() throws(SyncError) {
        report.isReadOnly = !(try engine.open(acceptRemote: options.acceptRemote)).pushes
        if options.pulls { try engine.reexamineQuarantine() }
        if options.pushes { try lease() }
        for round in 1...4 {
            if hasLease { try push() }
            if options.pulls, round == 1 { try pull() }
            _ = try engine.resolveByCommand()
            // What a merge freed goes out in the same sync.
            guard hasLease, options.pulls, try hasReady() else { break }
        }
        try refuseUntold()
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

    private mutating func push() throws(SyncError) {
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
        guard options.deadline != nil || delay <= 10_000, allows(delay) else { return false }
        engine.notify(
            .waiting(milliseconds: delay, reason: try reason(pause, at: ports.now() + delay)))
        return ports.wait(delay)
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
    private func refuseUntold() throws(SyncError) {
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

    private func allows(_ delay: Int64) -> Bool {
        options.deadline.map { ports.now() + delay < $0 } ?? true
    }

    private mutating func pull() throws(SyncError) {
        for model in engine.store.schema.models
        where options.models?.contains(model.name) ?? true {
            do throws(SyncError) {
                try pull(model)
            } catch {
                guard case .backend(let cause) = error,
                    cause.kind == .permanent || cause.kind == .unsupported
                else { throw error }
                report.complete = false
                report.refusedModels.append(model.name)
                engine.notify(.modelRefused(model: model.name, reason: cause.message))
            }
        }
    }

    private mutating func pull(_ model: Model) throws(SyncError) {
        var full = options.full
        var restarts = 0
        var pauses = 0
        var count = 0
        var met: Set<JSONValue> = []
        var barren = 0
        while true {
            if ports.isInterrupted() { throw .backend(SyncRun.interrupted) }
            do throws(SyncError) {
                let step = try engine.pullStep(model, full: full)
                full = false
                switch step {
                case .overtaken: continue
                case .page(let tally):
                    add(tally, model, &count)
                    try refuseCircle(model, &met)
                    barren = tally == PageTally() ? barren + 1 : 0
                    try refuseBarren(model, pages: barren)
                case .truncated(let tally):
                    add(tally, model, &count)
                    report.complete = false
                    return
                case .complete(let tally):
                    add(tally, model, &count)
                    report.deleted += try engine.finish(
                        model, acceptDeletions: options.acceptDeletions)
                    return
                }
            } catch {
                guard case .backend(let cause) = error else { throw error }
                switch cause.kind {
                case .cursorExpired:
                    restarts += 1
                    if restarts > 1 {
                        throw .backend(
                            BackendError(
                                .broken,
                                "\(engine.backend.title) refused its own cursor of \(model.name) "
                                    + "right after a full pull began"))
                    }
                    full = true
                    met = []
                    engine.notify(.restarted(model: model.name, reason: cause.message))
                case .tooLarge where engine.pageLimit > 1: engine.pageLimit /= 2
                case .tooLarge:
                    throw .backend(
                        BackendError(
                            .broken, "\(cause.message) (one record of \(model.name) was asked for)",
                            hint: cause.hint))
                case .rateLimited(let delay):
                    // A bound, for a backend that only ever says later.
                    pauses += 1
                    guard let delay, pauses <= SyncRun.patience, allows(delay),
                        ports.wait(max(delay, 100))
                    else { throw error }
                default: throw error
                }
            }
        }
    }

    /// A cursor that comes again would have pages without end.
    private func refuseCircle(_ model: Model, _ met: inout Set<JSONValue>) throws(SyncError) {
        let cursor = try stored { () throws(StoreError) in try engine.store.cursor(model.name) }
        guard let cursor, let token = cursor.token else { return }
        // Another process may have begun anew: then its cursors come again rightly.
        let place: JSONValue = [token, .bool(cursor.isFull), .int(cursor.fullSince)]
        guard !met.insert(place).inserted else { return }
        throw .backend(
            BackendError(
                .broken,
                "\(engine.backend.title) gave a cursor of \(model.name) that it had given before",
                hint: "its pages would never end; report it to its author"))
    }

    /// Ever new cursors that bring nothing would go on for ever too.
    ///
    /// A pull of everything may meet each known record on a page of its own, and find it unchanged:
    /// so many pages are no fault.
    private func refuseBarren(_ model: Model, pages: Int) throws(SyncError) {
        let bound = engine.settings.barrenPages
        guard pages >= bound, pages % bound == 0 else { return }
        let known = try stored { () throws(StoreError) in
            try engine.store.count(Query(model: model.name))
        }
        guard pages > known else { return }
        throw .backend(
            BackendError(
                .broken,
                "\(engine.backend.title) gave \(pages) pages of \(model.name) in a row that brought "
                    + "nothing new, each with a new cursor",
                hint: "its pages seem never to end: report it to its author; "
                    + "the next sync goes on from here"))
    }

    private mutating func add(_ tally: PageTally, _ model: Model, _ count: inout Int) {
        report.pulled += tally.applied
        report.deleted += tally.deleted
        count += tally.applied
        engine.notify(.pulled(model: model.name, count: count))
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
    private static let patience = 20
    private static let interrupted = BackendError(.cancelled, "interrupted")
}
