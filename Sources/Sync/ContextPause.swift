internal import JSON
internal import Outbox
internal import Sabotage
internal import Storage

/// Why and until when a whole context waits: kept in the store, so that every process keeps to it.
package struct ContextPause: Sendable, Equatable {
    /// Milliseconds since 1970.
    package var until: Int64
    /// When that was decided: a clock that shows less has jumped back.
    var since: Int64
    /// Failures of whole requests in a row.
    package var failures: Int
    /// The backend named the delay itself.
    package var isAnnounced: Bool
    package var reason: String

    /// What a batch may hold at most while it is being narrowed down; nil for no such bound.
    var batch: Int?
}

extension ContextPause {
    fileprivate var json: JSONValue {
        var members = JSONObject([
            ("until", .int(until)), ("since", .int(since)), ("failures", .int(Int64(failures))),
            ("announced", .bool(isAnnounced)), ("reason", .string(reason)),
        ])
        if let batch { members.append("batch", .int(Int64(batch))) }
        return .object(members)
    }

    fileprivate init?(_ json: JSONValue) {
        guard let until = json["until"]?.integer, let since = json["since"]?.integer else {
            return nil
        }
        self.until = until
        self.since = since
        failures = Int(json["failures"]?.integer ?? 0)
        isAnnounced = json["announced"]?.boolean ?? false
        reason = json["reason"]?.text ?? ""
        batch = json["batch"]?.integer.map { Int($0) }
    }
}

extension SyncEngine {
    /// Why the whole context waits, if it does or did before the last success.
    ///
    /// A clock that jumped back does not make it wait longer than it was to.
    package func pause() throws(SyncError) -> ContextPause? {
        let now = ports.now()
        let kept = try stored { () throws(StoreError) in try store.meta(.pause) }
        guard let kept, var pause = ContextPause(text: kept) else { return nil }
        if now < pause.since, !sabotage(.forgetClockJump) {
            pause.until = now + max(0, pause.until - pause.since)
            pause.since = now
            try keep(pause)
        }
        return pause
    }

    /// Ends the wait: the backend was reached, or is worth another try.
    ///
    /// What the backend put off itself still waits.
    func resume() throws(SyncError) {
        guard var pause = try pause(), pause.until > 0, !pause.isAnnounced else { return }
        pause.until = 0
        try keep(pause)
    }

    /// A person wants it tried now: only what the backend itself put off still waits.
    func tryAtOnce() throws(SyncError) {
        heldBack = [:]
        try resume()
        try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) in try store.forgetDelays() }
        }
    }

    /// A push was answered: earlier failures are over, and batches grow again.
    func recover() throws(StoreError) {
        guard let kept = try store.meta(.pause) else { return }
        guard var pause = ContextPause(text: kept), let batch = pause.batch, batch < 500 else {
            return try save(nil)
        }
        pause.until = 0
        pause.failures = 0
        pause.isAnnounced = false
        pause.batch = batch * 2
        try save(pause)
    }

    func keep(_ pause: ContextPause?) throws(SyncError) {
        try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) in try save(pause) }
        }
    }

    /// As `keep`, within a transaction.
    func save(_ pause: ContextPause?) throws(StoreError) {
        try store.setMeta(.pause, pause?.json.serialized())
    }

    /// Notes one more failure of a whole request, and draws how long to wait.
    func pause(after error: BackendError, batch: Int?) throws(SyncError) -> ContextPause {
        let now = ports.now()
        var pause =
            try pause()
            ?? ContextPause(
                until: now, since: now, failures: 0, isAnnounced: false, reason: "")
        pause.failures += 1
        pause.since = now
        pause.until = now + Backoff.delay(attempts: pause.failures, random: ports.random())
        pause.isAnnounced = false
        pause.reason = error.message
        pause.batch = batch ?? pause.batch
        if case .rateLimited(let delay) = error.kind {
            pause.failures -= 1
            if let delay {
                pause.until = now + min(delay, SyncEngine.longestDelay)
                pause.isAnnounced = true
            }
        }
        return pause
    }

    /// No backend keeps us away for more than a day.
    static let longestDelay: Int64 = 86_400_000
}

extension ContextPause {
    fileprivate init?(text: String) {
        do throws(JSONError) {
            self.init(try JSONValue.parse(text))
        } catch {
            // Another version's note: the worst is a request too early.
            return nil
        }
    }
}
