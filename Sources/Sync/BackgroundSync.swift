internal import Records
internal import Storage

/// Keeps a store and its backend together while a session lasts, one turn at a time.
///
/// Whoever drives it waits until `wakeAt` or until something was queued.
package struct BackgroundSync {
    let engine: SyncEngine
    let ports: SyncPorts
    let backend: any Backend
    package private(set) var monitor: NetworkMonitor
    /// When to take the next turn, in milliseconds since 1970; nil for not before a wake-up.
    package private(set) var wakeAt: Int64?
    private(set) var live = LiveLine()
    /// Events that brought nothing, however much was asked for: others are left to come together.
    private(set) var eventLull = Lull(first: 50, longest: 10_000)
    /// The backend answers, but not what is asked of it: no pull before an instant.
    private(set) var hold = PullHold()
    /// What is due was offered, and none of it went.
    private var pushLull = Lull(first: 50, longest: 60_000)
    /// The end of the change feed then: what came after it is offered at once.
    private var offeredAt: Int64?
    private var told = ToldFailures()
    private let notify: (Notice) -> Void
    /// How often to look whether another process has resumed, in milliseconds.
    private static let heeding: Int64 = 2_000
    /// Two turns that nobody asked for lie so far apart, in milliseconds.
    private static let least: Int64 = 50

    package init(
        engine: SyncEngine, backend: any Backend, isPaused: Bool,
        notify: @escaping (Notice) -> Void
    ) {
        self.engine = engine
        self.backend = backend
        self.notify = notify
        ports = engine.ports
        monitor = NetworkMonitor(isPaused: isPaused, now: engine.ports.now())
        wakeAt = engine.ports.now()
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
        told.begin()
        heed()
        let now = ports.now()
        if monitor.isDue(now: now) { take(.timer) }
        if monitor.state == .online { listen() }
        if monitor.state == .online, hold.hasEnded(now: now) { sync(pulls: true) }
        if monitor.state == .online, isDue(now) { offer() }
        plan()
    }

    /// Another process may have paused the store, or resumed it.
    private mutating func heed() {
        do throws(SyncError) {
            let isPaused = try stored { () throws(StoreError) in
                try engine.store.meta(.paused) == "1"
            }
            if isPaused != (monitor.state == .paused) { take(isPaused ? .paused : .resumed) }
        } catch {
            tell(error)
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
        if outcome.report.pushed > 0 { pushLull.end() }
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
                case .report(let state):
                    if state != .online, live.isOpen { line(.dropped) }
                    notify(.network(state))
                case .ping: if let event = ping() { pending.append(event) }
                case .sync:
                    tryAtOnce()
                    open()
                    sync(pulls: !hold.isOn(now: ports.now()))
                }
            }
        }
    }

    /// While online a poll is also the time to look for what others changed.
    ///
    /// - Returns: Nil where the sync that followed found out otherwise.
    private mutating func ping() -> NetworkMonitor.Event? {
        do throws(BackendError) { try backend.ping() } catch {
            // Whatever it says against it, it is there.
            guard error.event == .answered else { return error.event }
        }
        guard monitor.state == .online else { return .answered }
        sync(pulls: !hold.isOn(now: ports.now()))
        return monitor.state == .online ? .answered : nil
    }

    /// Runs one sync, and weighs how it ended.
    ///
    /// - Returns: How many changes were delivered.
    @discardableResult
    mutating func sync(pulls: Bool, pushes: Bool = true, models: [String]? = nil) -> Int {
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
        if report.pushed > 0 { pushLull.end() }
        guard let failure = outcome.failure else {
            // Where nothing was pulled, what a pull failed by may still be so.
            if outcome.hasPulled { told.recover() }
            return report.pushed
        }
        if told.isNews(failure), failure.isWorthTelling { notify(.failed(failure)) }
        weigh(failure, hasPulled: pulls ? outcome.hasPulled : nil)
        return report.pushed
    }

    /// A sync failed: a backend that still answers is not away, and what it refused waits its time.
    ///
    /// What waits for a person, or by what is kept with the queue, is tried by each poll. `hasPulled`
    /// is nil where no pull was asked for.
    private mutating func weigh(_ failure: SyncError, hasPulled: Bool?) {
        let misses = hasPulled == false
        guard case .backend(let cause) = failure else {
            if misses { hold.lift() }
            return
        }
        var delay: Int64?
        if case .rateLimited(let announced) = cause.kind {
            delay = announced
        } else if !(cause.mayPass && monitor.state == .online
            && (hasPulled == true || isAnswered()))
        {
            if misses { hold.lift() }
            return take(cause.event)
        }
        if misses { hold.extend(delay, now: ports.now(), random: ports.random()) }
        take(.answered)
    }

    /// Online again: what waited for that need not wait any longer.
    private mutating func tryAtOnce() {
        hold.tryAtOnce()
        pushLull.interrupt()
        do throws(SyncError) { try engine.resume() } catch { tell(error) }
    }

    /// Something happened to the line for events.
    mutating func line(_ event: LiveLine.Event) { live.receive(event, now: ports.now()) }

    /// Whether what events named brought anything.
    mutating func heard(news: Bool) {
        if news { eventLull.end() } else { eventLull.lengthen(now: ports.now()) }
    }

    /// Tells that the store failed beside a sync.
    private mutating func tell(_ failure: SyncError) {
        if told.isNews(beside: failure) { notify(.failed(failure)) }
    }

    private mutating func offer() {
        if sync(pulls: false) > 0 { return }
        pushLull.lengthen(now: ports.now())
        offeredAt = nil
        do throws(SyncError) { offeredAt = try place() } catch { tell(error) }
    }

    /// Before when nothing is to be offered, in milliseconds since 1970.
    private func offerableAt(_ now: Int64) throws(SyncError) -> Int64 {
        let pause = try engine.pause()?.until ?? 0
        guard pushLull.isOn(now: now), let until = pushLull.until else { return pause }
        if let offeredAt, try place() != offeredAt { return pause }
        return max(pause, until)
    }

    /// A backend that takes no changes is offered none.
    private var isWritable: Bool { engine.capabilities?.pushes ?? true }

    private mutating func isDue(_ now: Int64) -> Bool {
        guard isWritable else { return false }
        do throws(SyncError) {
            guard try offerableAt(now) <= now else { return false }
            let due = try stored { () throws(StoreError) in try engine.store.nextDueAt() }
            return due.map { $0 <= now } ?? false
        } catch {
            tell(error)
            return false
        }
    }

    private mutating func plan() {
        let now = ports.now()
        wakeAt = monitor.pollAt.map { min($0, now + NetworkMonitor.offlineCap) }
        if monitor.state == .paused { wakeAt = now + BackgroundSync.heeding }
        guard monitor.state == .online else { return }
        let least = now + BackgroundSync.least
        if let until = hold.until { wake(max(until, least)) }
        if live.isOpen { wake(max(eventLull.until ?? 0, now + BackgroundSync.listening)) }
        if let at = live.wantedAt { wake(max(at, least)) }
        guard isWritable else { return }
        do throws(SyncError) {
            let due = try stored { () throws(StoreError) in try engine.store.nextDueAt() }
            if let due { wake(max(due, try offerableAt(now), least)) }
        } catch {
            tell(error)
        }
    }

    private mutating func wake(_ instant: Int64) { wakeAt = min(wakeAt ?? .max, instant) }
}
