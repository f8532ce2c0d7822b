internal import CSystem
internal import Glibc

/// Where time comes from; tests pass their own.
package struct Clock: Sendable {
    /// Milliseconds since 1970, UTC; may jump when the machine's clock is set.
    package var now: @Sendable () -> Int64
    /// Milliseconds that only ever grow, from an arbitrary start.
    package var monotonic: @Sendable () -> Int64

    package init(
        now: @escaping @Sendable () -> Int64, monotonic: @escaping @Sendable () -> Int64
    ) {
        self.now = now
        self.monotonic = monotonic
    }

    package static let system = Clock(
        now: { Clock.read(CLOCK_REALTIME) }, monotonic: { Clock.read(CLOCK_MONOTONIC) })

    private static func read(_ id: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(id, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
