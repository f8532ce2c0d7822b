/// Knows whether the backend can be reached: states and events in, effects out, no clock.
package struct NetworkMonitor: Sendable, Equatable {
    package enum State: String, Sendable {
        case unknown, online, offline
        case needsAuth = "needs-auth"
        case paused
    }

    package enum Event: Sendable, Equatable {
        /// Any call was answered by the backend itself.
        case answered
        case unreachable
        case refusedAuth
        case loggedIn
        case paused, resumed
        /// A local interface went up or down.
        case interfaceChanged
        /// The instant asked for with `poll(at:)` has come.
        case timer
    }

    package enum Effect: Sendable, Equatable {
        /// Ask the backend now.
        case ping
        /// Tell the user; going online also pushes, pulls and subscribes again.
        case report(State)
        case sync
    }

    package private(set) var state: State = .unknown
    /// When to ask next, in milliseconds since 1970; nil while nothing is to be asked.
    package private(set) var pollAt: Int64?
    private var failures = 0
    /// Since when it is online, in milliseconds since 1970; nil while it is not.
    private var onlineSince: Int64?

    static let onlineInterval: Int64 = 30_000
    static let offlineFirst: Int64 = 1_000
    package static let offlineCap: Int64 = 60_000
    /// Online for so long, in milliseconds, earlier failures are over.
    ///
    /// A backend that answers when it is
    /// asked whether it is there, and then does not, is asked less and less often all the same.
    static let steady: Int64 = 30_000

    package init(isPaused: Bool = false, now: Int64) {
        state = isPaused ? .paused : .unknown
        pollAt = isPaused ? nil : now
    }

    /// Takes an event in.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - now: In milliseconds since 1970.
    ///   - random: Jitters the next poll.
    /// - Returns: What to do about it, in order.
    package mutating func receive(_ event: Event, now: Int64, random: UInt64) -> [Effect] {
        switch (event, state) {
        case (.paused, .paused), (.resumed, .unknown), (.resumed, .online),
            (.resumed, .offline), (.resumed, .needsAuth):
            return []
        case (.paused, .unknown), (.paused, .online), (.paused, .offline), (.paused, .needsAuth):
            return enter(.paused, pollAt: nil)
        case (.resumed, .paused):
            failures = 0
            _ = enter(.unknown, pollAt: now)
            return [.report(.unknown), .ping]
        case (.answered, .paused), (.unreachable, .paused), (.refusedAuth, .paused),
            (.loggedIn, .paused), (.interfaceChanged, .paused), (.timer, .paused):
            return []
        case (.answered, .online):
            pollAt = now + NetworkMonitor.jittered(NetworkMonitor.onlineInterval, random)
            return []
        case (.answered, .unknown), (.answered, .offline), (.answered, .needsAuth):
            let next = now + NetworkMonitor.jittered(NetworkMonitor.onlineInterval, random)
            onlineSince = now
            return enter(.online, pollAt: next) + [.sync]
        case (.unreachable, .unknown), (.unreachable, .online), (.unreachable, .offline),
            (.unreachable, .needsAuth):
            if let onlineSince, now < onlineSince || now - onlineSince >= NetworkMonitor.steady {
                failures = 0
            }
            failures += 1
            let bound = min(
                NetworkMonitor.offlineFirst << Int64(min(failures - 1, 10)),
                NetworkMonitor.offlineCap)
            return enter(.offline, pollAt: now + NetworkMonitor.jittered(bound, random))
        case (.refusedAuth, .unknown), (.refusedAuth, .online), (.refusedAuth, .offline),
            (.refusedAuth, .needsAuth):
            return enter(.needsAuth, pollAt: nil)
        case (.loggedIn, .unknown), (.loggedIn, .online), (.loggedIn, .offline),
            (.loggedIn, .needsAuth), (.interfaceChanged, .unknown), (.interfaceChanged, .online),
            (.interfaceChanged, .offline):
            pollAt = now
            return [.ping]
        case (.interfaceChanged, .needsAuth), (.timer, .needsAuth):
            return []
        case (.timer, .unknown), (.timer, .online), (.timer, .offline):
            return isDue(now: now) ? [.ping] : []
        }
    }

    /// True when it is time to ask; also where a clock that jumped back makes it seem far away.
    package func isDue(now: Int64) -> Bool {
        pollAt.map { $0 <= now || $0 - now > NetworkMonitor.offlineCap } ?? false
    }

    private mutating func enter(_ next: State, pollAt: Int64?) -> [Effect] {
        self.pollAt = pollAt
        if next != .online { onlineSince = nil }
        if next == state { return [] }
        state = next
        return [.report(next)]
    }

    /// Between half and the whole of `interval`.
    private static func jittered(_ interval: Int64, _ random: UInt64) -> Int64 {
        interval / 2 + Int64(random % UInt64(interval / 2 + 1))
    }
}
