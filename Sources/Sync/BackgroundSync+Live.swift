internal import Records
internal import Storage

// Events: a line that is opened before a pull, and again with one after it broke.
extension BackgroundSync {
    /// True while events may come at any time: each turn takes in those that have.
    package var isListening: Bool {
        live.isOpen && monitor.state == .online && !eventLull.isOn(now: ports.now())
    }

    /// How often to look whether events have come where nothing tells, in milliseconds.
    static let listening: Int64 = 200

    /// Asks for events before the pull that is to follow: what happens in between arrives later.
    mutating func open() {
        guard live.isWanted(now: ports.now()) else { return }
        do throws(SyncError) {
            guard try engine.able().hasEvents else { return line(.refused) }
            try asked { () throws(BackendError) in
                try backend.subscribe(models: engine.store.schema.models.map(\.name))
            }
            line(.opened)
        } catch {
            guard case .backend(let cause) = error, cause.kind == .unsupported else {
                return line(.dropped)
            }
            line(.refused)
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
        guard isListening else { return }
        do throws(SyncError) {
            let events = try asked { () throws(BackendError) in try backend.nextEvents() }
            line(.answered)
            if !events.isEmpty { try take(in: events) }
        } catch {
            line(.dropped)
            guard case .backend(let cause) = error else { return }
            // That the line broke does not say that the backend is away: that it is asked itself.
            let event = cause.event
            take(event == .unreachable && isAnswered() ? .answered : event)
        }
    }

    private mutating func take(in events: [RemoteEvent]) throws(SyncError) {
        let place = try place()
        let models = try engine.takeHints(events)
        // What is to be pushed is no part of it, and the lease for that would take its time.
        // Where pulls are put off, the one that is to come brings these too.
        if !models.isEmpty, !hold.isOn(now: ports.now()) {
            sync(pulls: true, pushes: false, models: models)
        }
        let isNews = try stored { () throws(StoreError) in
            try engine.store.changes(after: place, limit: 1_000).contains { $0.kind != .heard }
        }
        if isNews { return heard(news: true) }
        // What is known asks for nothing; where there are no deltas, records may have been asked for.
        let hasDelta = try engine.able().hasDelta
        if !models.isEmpty || !hasDelta { heard(news: false) }
    }

    /// True when the backend answers at all, be it by a refusal.
    func isAnswered() -> Bool {
        do throws(BackendError) {
            try backend.ping()
            return true
        } catch {
            return error.event == .answered
        }
    }

    /// The end of the change feed.
    func place() throws(SyncError) -> Int64 {
        try stored { () throws(StoreError) in try engine.store.lastChangeSeq() }
    }
}
