internal import Outbox
internal import Platform
internal import Plugins
internal import Records
internal import Storage
internal import Sync

extension Session {
    /// Runs one whole sync, at the prompt on the worker's thread, and keeps what it learned.
    ///
    /// With `groups` it is run for each of them, as far as the first that fails.
    ///
    /// - Throws: As `recipe`, for a command that may not use the network; kind `.interrupted`.
    func runSync(
        _ wanted: SyncOptions, groups: [String]? = nil, _ open: OpenWorkspace
    ) throws(ShellError) -> SyncOutcome {
        let recipe = try recipe(open)
        var sync = wanted
        if let bound = options.timeoutMilliseconds { sync.deadline = clock.now() + bound }
        waitsFor = .backend
        let syncs = (groups ?? []).map { group in
            var sync = sync
            sync.group = group
            return sync
        }
        let first = syncs.first ?? sync
        let more = syncs.dropFirst()
        let outcome: SyncOutcome
        if let worker {
            let interrupt = interrupt
            outcome = try Self.each(first, more) { (sync) throws(ShellError) in
                try worker.run(sync, interrupt)
            }
        } else {
            outcome = try runSyncs(first, more, open, recipe)
        }
        try remember(outcome, open)
        // What an interrupted sync waited for stays known, for the words of a time-out.
        if case .backend(let error) = outcome.failure, error.kind == .cancelled { return outcome }
        waitsFor = .nothing
        return outcome
    }

    /// Runs a sync on this thread and tells what happens to single records.
    private func runSyncs(
        _ first: SyncOptions, _ more: ArraySlice<SyncOptions>, _ open: OpenWorkspace,
        _ recipe: BackendRecipe
    ) throws(ShellError) -> SyncOutcome {
        let teller = SyncTeller(console, clock, open.store, recipe.masker)
        defer { teller.finish() }
        let settings = try syncSettings(open)
        let merging = MergeProgram(open.workspace, open.schema, environment)
        var place = try stored { () throws(StoreError) in try open.store.lastChangeSeq() }
        let outcome = try withPlugin(recipe) { (backend) throws(ShellError) in
            let engine = SyncEngine(
                store: open.store, backend: backend, settings: settings,
                ports: .real(clock, identifiers, interrupt, merging: merging),
                notify: teller.tell)
            return try Self.each(first, more) { sync in
                var run = SyncRun(engine: engine, options: sync)
                return run.run()
            }
        }
        teller.finish()
        if let hook = AfterSync(open.workspace, environment),
            let problem = hook.tell(open.store, since: &place, interrupt)
        {
            console.warn(problem)
        }
        return outcome
    }

    /// Runs syncs one after the other; what the last of them came to.
    private static func each(
        _ first: SyncOptions, _ more: ArraySlice<SyncOptions>,
        _ run: (SyncOptions) throws(ShellError) -> SyncOutcome
    ) throws(ShellError) -> SyncOutcome {
        var outcome = try run(first)
        for sync in more where outcome.failure == nil { outcome = try run(sync) }
        return outcome
    }

    /// Keeps what the sync learned of the network, for `status` of later processes.
    private func remember(_ outcome: SyncOutcome, _ open: OpenWorkspace) throws(ShellError) {
        var network = NetworkMonitor.State.online
        var message: String?
        switch outcome.failure {
        case nil: break
        case .backend(let error):
            message = error.message
            switch error.kind {
            case .auth: network = .needsAuth
            case .retryable, .unavailable: network = .offline
            case .cancelled: return
            default: network = .unknown
            }
        case .store, .leaseHeld: return
        case .identityChanged, .deletionsRefused:
            message = outcome.failure.map { ShellError($0).message }
        }
        try stored { () throws(StoreError) in
            let known = (try open.store.meta(.network), try open.store.meta(.lastError))
            let isNews = known != (network.rawValue, message)
            guard isNews else { return }
            try open.store.write { () throws(StoreError) in
                try open.store.setMeta(.network, network.rawValue)
                try open.store.setMeta(.lastError, message)
            }
        }
    }

    /// A note that a write waits for the network, where it is known not to be there, or that the
    /// backend will not take it.
    func tellOffline(_ open: OpenWorkspace) {
        let isOffline = options.isOffline || settings.isOffline
        guard !open.store.isInBatch else { return }
        do throws(StoreError) {
            if try open.store.meta(.readOnly) != nil {
                return console.warn(
                    spoken(
                        "the backend is read-only: the change stays here; take it back: satchel undo"
                    ))
            }
            guard !isInteractive else { return }
            let network = try open.store.meta(.network).flatMap(NetworkMonitor.State.init)
            guard isOffline || network == .offline || network == .needsAuth else { return }
            let count = try open.store.mutationCounts().values.reduce(0, +)
            console.note(
                "queued: \(Quantity.count(count, "change")) to deliver when the network allows")
        } catch {
            console.detail(error.message)
        }
    }
}

extension ShellError {
    init(_ error: SyncError) {
        switch error {
        case .store(let error): self.init(error)
        case .backend(let error): self.init(error)
        case .identityChanged(let known, let found):
            self.init(
                .needsConsent,
                "the backend is another data set now: \(found), not \(known)",
                hint: "take it as the new one, queue kept: satchel sync --accept-remote")
        case .deletionsRefused(let model, let count, let total):
            self.init(
                .needsConsent,
                "a full pull would remove \(count) of \(total) records of \(model)",
                hint: "look at the backend, and if it is right: satchel sync --accept-deletions")
        case .leaseHeld(let pid):
            self.init(.busy, "process \(pid) is pushing", hint: "try again when it is done")
        }
    }
}

extension ShellError {
    /// As the error is told at `now`: a backend that asked to be left alone for long said until when.
    init(_ error: SyncError, now: Int64) {
        self.init(error)
        guard case .backend(let cause) = error,
            case .rateLimited(let delay?) = cause.kind, delay > 1_000
        else { return }
        let time = BackendWait.time(now + delay, now: now)
        hint = (hint.map { "\($0); " } ?? "") + "it asked to wait until \(time)"
    }
}

/// Tells what happens to single records while a sync runs.
final class SyncTeller {
    private let console: Console
    private let clock: Clock
    private let store: Store
    private let masker: Masker
    private var progress: Progress?
    private var model = ""
    private var lastWait: String?

    init(_ console: Console, _ clock: Clock, _ store: Store, _ masker: Masker) {
        self.console = console
        self.clock = clock
        self.store = store
        self.masker = masker
    }

    func tell(_ told: SyncNotice) {
        if case .pulled(let model, let count) = told { return advance(model, to: count) }
        guard let notice = NoticeText(told.masked(by: masker)) else { return }
        // A pause after a pause for the same reason is no news.
        if case .waiting = told, notice.text == lastWait { return }
        if case .waiting = told { lastWait = notice.text }
        switch notice.weight {
        case .detail: console.detail(notice.text)
        case .note:
            interrupted()
            console.note(notice.text, lines: .kept)
        case .warning:
            interrupted()
            console.warn(notice.text, lines: .kept)
            if let loss = CascadeLoss(notice: told, in: store) { console.warn(loss.text) }
        }
    }

    private func advance(_ model: String, to count: Int) {
        if model != self.model {
            interrupted()
            self.model = model
            progress = console.progress("pulling \(model)", clock: clock)
        }
        let step = count - (progress?.count ?? 0)
        progress?.advance(by: step)
    }

    /// The progress line is taken away before another line is shown.
    private func interrupted() {
        progress?.finish()
        progress = nil
        model = ""
    }

    func finish() { interrupted() }
}
