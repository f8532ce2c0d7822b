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

    private let engine: SyncEngine
    private let ports: SyncPorts
    private let backend: any Backend
    package private(set) var monitor: NetworkMonitor
    /// When to take the next turn, in milliseconds since 1970; nil for not before a wake-up.
    package private(set) var wakeAt: Int64?
    private var lastFailure: SyncError?
    private let notify: (Notice) -> Void

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
            case .delivered, .rejected, .conflict, .quarantined, .modelRefused, .restarted:
                notify(.record(notice))
            }
        }
    }

    /// Takes one turn: asks where it is time to, sends what is due, pulls.
    package mutating func turn() {
        let now = ports.now()
        if let poll = monitor.pollAt, poll <= now { take(.timer) }
        if monitor.state == .online, isDue(now) { sync(pulls: false) }
        plan()
    }

    /// Something outside the engine happened: paused, resumed, logged in, an interface changed.
    package mutating func receive(_ event: NetworkMonitor.Event) {
        take(event)
        plan()
    }

    private mutating func take(_ event: NetworkMonitor.Event) {
        var pending = [event]
        while let next = pending.popLast() {
            let effects = monitor.receive(next, now: ports.now(), random: ports.random())
            for effect in effects {
                switch effect {
                case .report(let state): report(state)
                case .ping: pending.append(ping())
                case .sync: sync(pulls: true)
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
        if monitor.state == .online { sync(pulls: true) }
        return .answered
    }

    private mutating func sync(pulls: Bool) {
        var options = SyncOptions()
        options.pulls = pulls
        options.isAsked = false
        var run = SyncRun(engine: engine, options: options)
        let outcome = run.run()
        let report = outcome.report
        if report.pushed + report.pulled + report.deleted > 0 {
            notify(
                .synced(pushed: report.pushed, pulled: report.pulled, deleted: report.deleted))
        }
        guard let failure = outcome.failure else {
            lastFailure = nil
            return
        }
        if failure != lastFailure, isWorthTelling(failure) { notify(.failed(failure)) }
        lastFailure = failure
        if case .backend(let cause) = failure { take(event(for: cause)) }
    }

    /// Being offline and needing a login are states of the network, told as such.
    private func isWorthTelling(_ failure: SyncError) -> Bool {
        guard case .backend(let cause) = failure else { return true }
        switch cause.kind {
        case .retryable, .auth, .cancelled, .rateLimited: return false
        default: return true
        }
    }

    private func event(for error: BackendError) -> NetworkMonitor.Event {
        switch error.kind {
        case .auth: .refusedAuth
        case .retryable, .broken, .unavailable, .untrusted, .cancelled: .unreachable
        case .rateLimited, .permanent, .cursorExpired, .tooLarge, .unsupported: .answered
        }
    }

    private mutating func report(_ state: NetworkMonitor.State) {
        notify(.network(state))
    }

    private func isDue(_ now: Int64) -> Bool {
        do throws(StoreError) {
            return try !engine.store.readyMutations(
                now: now, limit: 1, ignoringDelay: false, group: nil, models: nil
            ).isEmpty
        } catch {
            notify(.failed(.store(error)))
            return false
        }
    }

    private mutating func plan() {
        wakeAt = monitor.pollAt
        guard monitor.state == .online else { return }
        do throws(StoreError) {
            if let due = try engine.store.nextDueAt() {
                wakeAt = min(wakeAt ?? due, max(due, ports.now() + 50))
            }
        } catch {
            notify(.failed(.store(error)))
        }
    }
}
