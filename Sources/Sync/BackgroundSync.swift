internal import Records
internal import Storage

/// Keeps a store and its backend together while a session lasts, one turn at a time.
///
/// Whoever drives it waits until `wakeAt` or until something was queued.
package struct BackgroundSync {
    /// What the session shows.
    package enum Notice: Sendable, Equatable {
        case network(NetworkMonitor.State)
        case record(SyncNotice)
        /// A sync ended with this many delivered and taken in; only when there were any.
        case synced(pushed: Int, pulled: Int, deleted: Int)
        case failed(SyncError)
    }

    let engine: SyncEngine
    let ports: SyncPorts
    let backend: any Backend
    package private(set) var monitor: NetworkMonitor
    /// When to take the next turn, in milliseconds since 1970; nil for not before a wake-up.
    package private(set) var wakeAt: Int64?
    private var lastFailure: SyncError?
    var live = LiveLine()
    /// The backend answers, but not what is asked of it: no pull before an instant, in milliseconds
    /// since 1970.
    private(set) var hold = PullHold()
    /// Whether the store was paused when last looked at.
    private var wasPaused: Bool?
    private let notify: (Notice) -> Void
    /// How often to look whether another process has resumed, in milliseconds.
    private static let heeding: Int64 = 2_000

    package init(
        engine: SyncEngine, backend: any Backend, isPaused: Bool,
        notify: @escaping (Notice) -> Void
    ) {
        self.engine = engine
        self.backend = backend
        self.notify = notify
        ports = engine.ports
        monitor = NetworkMonitor(isPaused: isPaused, now: engine.ports.now())
        wakeAt = monitor.pollAt
        engine.notify = { notice in
            switch notice {
            case .pulled, .waiting: break
            case .delivered, .rejected, .conflict, .undecided, .quarantined, .doubtful,
                .modelRefused, .restarted:
                notify(.record(notice))
            }
        }
    }

    /// Takes one turn: asks where it is time to, sends what is due, pulls.
    package mutating func turn() {
        heed()
        let now = ports.now()
        if monitor.isDue(now: now) { take(.timer) }
        if monitor.state == .online { listen() }
        if monitor.state == .online, hold.hasEnded(now: now) { sync(pulls: true) }
        if monitor.state == .online, isDue(now) { sync(pulls: false) }
        plan()
    }

    /// Another process may have paused the store, or resumed it.
    private mutating func heed() {
        do throws(SyncError) {
            let isPaused = try stored { () throws(StoreError) in
                try engine.store.meta(.paused) == "1"
            }
            if let wasPaused, wasPaused != isPaused { take(isPaused ? .paused : .resumed) }
            wasPaused = isPaused
        } catch {
            notify(.failed(error))
        }
    }

    /// Something outside the engine happened: paused, resumed, logged in, an interface changed.
    package mutating func receive(_ event: NetworkMonitor.Event) {
        take(event)
        plan()
    }

    /// A sync that somebody asked for has ended: what it heard of the backend counts as well.
    package mutating func heard(_ outcome: SyncOutcome) {
        if outcome.hasPulled { hold.lift() }
        if case .backend(let cause)? = outcome.failure, cause.kind == .auth {
            take(.refusedAuth)
        } else if outcome.hasPulled || outcome.report.pushed > 0 {
            take(.answered)
        }
        plan()
    }

    mutating func take(_ event: NetworkMonitor.Event) {
        var pending = [event]
        while let next = pending.popLast() {
            let effects = monitor.receive(next, now: ports.now(), random: ports.random())
            for effect in effects {
                switch effect {
                case .report(let state): report(state)
                case .ping: pending.append(ping())
                case .sync:
                    tryAtOnce()
                    open()
                    hold.tryAtOnce()
                    sync(pulls: !hold.isOn(now: ports.now()))
                }
            }
        }
    }

    /// While online a poll is also the time to look for what others changed.
    private mutating func ping() -> NetworkMonitor.Event {
        do throws(BackendError) {
            try backend.ping()
        } catch {
            return event(for: error)
        }
        if monitor.state == .online { sync(pulls: !hold.isOn(now: ports.now())) }
        return .answered
    }

    mutating func sync(pulls: Bool, pushes: Bool = true, models: [String]? = nil) {
        var options = SyncOptions()
        options.pulls = pulls
        options.pushes = pushes
        options.models = models
        options.isAsked = false
        var run = SyncRun(engine: engine, options: options)
        let outcome = run.run()
        let report = outcome.report
        if report.pushed + report.pulled + report.deleted > 0 {
            notify(
                .synced(pushed: report.pushed, pulled: report.pulled, deleted: report.deleted))
        }
        if outcome.hasPulled { hold.lift() }
        guard let failure = outcome.failure else {
            lastFailure = nil
            return
        }
        if failure != lastFailure, isWorthTelling(failure) { notify(.failed(failure)) }
        lastFailure = failure
        if case .backend(let cause) = failure {
            weigh(cause, hasPulled: pulls ? outcome.hasPulled : nil)
        }
    }

    /// A sync failed: a backend that still answers is not away, and what it refused waits its time.
    ///
    /// Changes wait by what is kept with the queue. `hasPulled` is nil where no pull was asked for.
    private mutating func weigh(_ cause: BackendError, hasPulled: Bool?) {
        var delay: Int64?
        switch cause.kind {
        case .rateLimited(let announced): delay = announced
        case .retryable
        where monitor.state == .online && (hasPulled == true || engine.isAnswered()):
            break
        default: return take(event(for: cause))
        }
        if hasPulled == false { hold.extend(delay, now: ports.now(), random: ports.random()) }
        take(.answered)
    }

    /// Being offline and needing a login are states of the network, told as such.
    private func isWorthTelling(_ failure: SyncError) -> Bool {
        guard case .backend(let cause) = failure else { return true }
        switch cause.kind {
        case .retryable, .auth, .cancelled, .rateLimited: return false
        default: return true
        }
    }

    func event(for error: BackendError) -> NetworkMonitor.Event {
        switch error.kind {
        case .auth: .refusedAuth
        case .retryable, .broken, .hung, .unavailable, .untrusted, .cancelled: .unreachable
        case .rateLimited, .permanent, .cursorExpired, .tooLarge, .unsupported: .answered
        }
    }

    private mutating func report(_ state: NetworkMonitor.State) {
        if state != .online, live.isOpen { live.dropped(now: ports.now()) }
        notify(.network(state))
    }

    /// Online again: what waited for that need not wait any longer.
    private func tryAtOnce() {
        do throws(SyncError) { try engine.resume() } catch { notify(.failed(error)) }
    }

    private func isDue(_ now: Int64) -> Bool {
        do throws(SyncError) {
            if let pause = try engine.pause(), pause.until > now { return false }
            return try stored { () throws(StoreError) in
                try !engine.store.readyMutations(now: now, limit: 1).isEmpty
            }
        } catch {
            notify(.failed(error))
            return false
        }
    }

    private mutating func plan() {
        let now = ports.now()
        wakeAt = monitor.pollAt.map { min($0, now + NetworkMonitor.offlineCap) }
        if monitor.state == .paused { wakeAt = now + BackgroundSync.heeding }
        guard monitor.state == .online else { return }
        if let until = hold.until { wakeAt = min(wakeAt ?? .max, until) }
        if live.isOpen { wakeAt = min(wakeAt ?? .max, now + BackgroundSync.listening) }
        if let at = live.wantedAt { wakeAt = min(wakeAt ?? .max, max(at, now + 50)) }
        do throws(SyncError) {
            let due = try stored { () throws(StoreError) in try engine.store.nextDueAt() }
            let until = try engine.pause()?.until ?? 0
            if let due { wakeAt = min(wakeAt ?? .max, max(due, until, now + 50)) }
        } catch {
            notify(.failed(error))
        }
    }
}
