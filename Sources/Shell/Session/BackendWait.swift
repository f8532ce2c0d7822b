internal import Glibc
internal import JSON
internal import Records
package import Storage

/// That the backend asked to be sent nothing for a while: why, and until when, as the store keeps it.
package struct BackendWait: Sendable, Equatable {
    /// Milliseconds since 1970.
    package var until: Int64
    /// In the backend's words.
    package var reason: String

    package init(until: Int64, reason: String) {
        self.until = until
        self.reason = reason
    }

    /// Such as "the backend asked to wait until 17:03:12 (59 min): example.com is busy".
    func text(now: Int64) -> String {
        Self.words("the backend asked to wait until", until, reason, now: now)
    }

    /// A time, and why until then where that is known.
    static func words(
        _ beginning: String, _ until: Int64, _ reason: String?, now: Int64
    ) -> String {
        let words = "\(beginning) \(time(until, now: now))"
        guard let reason, !reason.isEmpty else { return words }
        return "\(words): \(reason)"
    }

    /// Such as "17:03:12 (59 min)", by the clock on the wall.
    static func time(_ milliseconds: Int64, now: Int64) -> String {
        let seconds = Int(max(0, milliseconds - now) + 999) / 1_000
        return "\(clockTime(milliseconds)) (\(Quantity.duration(seconds: seconds)))"
    }
}

extension BackendWait {
    /// What the whole context waits for, else what every change waits for that could be sent.
    ///
    /// - Parameters:
    ///   - store: Of the context.
    ///   - now: Milliseconds since 1970.
    ///   - group: The command whose changes are meant; nil for all.
    /// - Returns: Nil where something may be sent at once, or nothing waits for the backend.
    /// - Throws: As the store does.
    package static func found(
        in store: Store, now: Int64, group: String? = nil
    ) throws(StoreError) -> BackendWait? {
        if let pause = try ofContext(store, now: now) { return pause }
        guard try store.readyMutations(now: now, limit: 1, group: group).isEmpty else { return nil }
        let held = try store.readyMutations(
            now: now, limit: 100, ignoringDelay: true, group: group)
        let first = held.filter { $0.isPutOff(now: now) }.min { $0.notBefore < $1.notBefore }
        guard let first else { return nil }
        return BackendWait(until: first.notBefore, reason: first.failure?.message ?? "")
    }

    /// What the whole context waits for.
    package static func ofContext(_ store: Store, now: Int64) throws(StoreError) -> BackendWait? {
        guard let kept = try store.meta(.pause) else { return nil }
        let pause: JSONValue
        do throws(JSONError) { pause = try JSONValue.parse(kept) } catch {
            // Another version's note, which a sync will not keep to either.
            return nil
        }
        guard pause["announced"]?.boolean == true, let until = pause["until"]?.integer,
            let since = pause["since"]?.integer
        else { return nil }
        // Of a clock that was set back, as long a wait is left as it was.
        let end = now < since ? now + max(0, until - since) : until
        guard end > now else { return nil }
        return BackendWait(until: end, reason: pause["reason"]?.text ?? "")
    }
}

extension Mutation {
    /// True where the backend itself put it off.
    fileprivate func isPutOff(now: Int64) -> Bool {
        notBefore > now && failure?.kind == "later"
    }
}

/// The time of day where this machine is, such as "17:03:12".
func clockTime(_ milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1_000)
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else { return "a time to come" }
    return [parts.tm_hour, parts.tm_min, parts.tm_sec]
        .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
}
