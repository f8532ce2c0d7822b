internal import Records
internal import Storage

// Events: a line that is opened before a pull, and again with one after it broke.
extension BackgroundSync {
    /// True while events may come at any time: each turn takes in those that have.
    package var isListening: Bool { live.isOpen && monitor.state == .online }

    /// How often to look whether events have come where nothing tells, in milliseconds.
    static let listening: Int64 = 200

    /// Asks for events before the pull that is to follow: what happens in between arrives later.
    mutating func open() {
        guard live.isWanted(now: ports.now()) else { return }
        do throws(SyncError) {
            guard try engine.able().hasEvents else { return live.refused() }
            try asked { () throws(BackendError) in
                try backend.subscribe(models: engine.store.schema.models.map(\.name))
            }
            live.opened()
        } catch {
            if case .backend(let cause) = error, cause.kind == .unsupported {
                return live.refused()
            }
            live.dropped(now: ports.now())
        }
    }

    /// Takes in the events that have come; a line that broke is opened again, with a pull after it.
    mutating func listen() {
        guard live.isOpen else {
            guard live.isWanted(now: ports.now()) else { return }
            open()
            if live.isOpen, !hold.isOn(now: ports.now()) { sync(pulls: true) }
            return
        }
        do throws(SyncError) {
            let events = try asked { () throws(BackendError) in try backend.nextEvents() }
            if events.isEmpty { return }
            live.served()
            let models = try engine.takeHints(events)
            // What is to be pushed is no part of it, and the lease for that would take its time.
            // Where pulls are put off, the one that is to come brings these too.
            if !models.isEmpty, !hold.isOn(now: ports.now()) {
                sync(pulls: true, pushes: false, models: models)
            }
        } catch {
            live.dropped(now: ports.now())
            guard case .backend(let cause) = error else { return }
            // That the line broke does not say that the backend is away: that it is asked itself.
            let event = event(for: cause)
            take(event == .unreachable && engine.isAnswered() ? .answered : event)
        }
    }
}
