internal import Outbox

/// Until when a backend that answers is not asked for its records: no clock of its own.
struct PullHold: Sendable, Equatable {
    /// In milliseconds since 1970; nil where nothing is put off.
    private(set) var until: Int64?
    private var failures = 0
    private var isAnnounced = false

    /// However soon the backend says or chance draws, one attempt follows another in milliseconds after
    /// so long at first, later after this at most.
    private static let (first, longest): (Int64, Int64) = (100, 60_000)

    /// Puts the next pull off by the backend's own delay, or for longer each time.
    mutating func extend(_ announced: Int64?, now: Int64, random: UInt64) {
        failures += 1
        isAnnounced = announced != nil
        let delay =
            announced.map { min($0, SyncEngine.longestDelay) }
            ?? Backoff.delay(attempts: failures, random: random)
        let least = Lull.delay(
            first: PullHold.first, longest: PullHold.longest, times: failures)
        until = now + max(delay, least)
    }

    /// The backend is there again: only what it put off itself still waits.
    mutating func tryAtOnce() {
        if !isAnnounced { until = nil }
    }

    /// A pull came to its end, or failed by what no waiting here mends: the next poll asks again.
    mutating func lift() { self = PullHold() }

    func isOn(now: Int64) -> Bool {
        // Farther off than anything may be, the clock has jumped back.
        until.map { now < $0 && $0 - now <= SyncEngine.longestDelay } ?? false
    }

    /// True once what was put off is due.
    func hasEnded(now: Int64) -> Bool { until != nil && !isOn(now: now) }
}
