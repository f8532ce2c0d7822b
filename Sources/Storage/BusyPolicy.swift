internal import CSQLite
internal import Glibc

/// Waits for other processes' locks until a deadline, or until the user interrupts.
final class BusyPolicy {
    private let timeout: Int
    private let isInterrupted: @Sendable () -> Bool
    private var waitingSince: Int64 = 0
    private var queries = 0
    /// True when the last wait ended because the user wanted it to.
    private(set) var wasInterrupted = false

    init(timeoutMilliseconds: Int, isInterrupted: @escaping @Sendable () -> Bool) {
        timeout = timeoutMilliseconds
        self.isInterrupted = isInterrupted
    }

    /// Makes `connection` wait by this policy, which must outlive it.
    func install(on connection: borrowing Connection) {
        sqlite3_busy_handler(
            connection.handle,
            { context, attempt in
                guard let context else { return 0 }
                let policy = Unmanaged<BusyPolicy>.fromOpaque(context).takeUnretainedValue()
                return policy.wait(attempt: attempt) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Lets what `connection` runs end early when the user interrupts, until as many `endQuery`.
    func beginQuery(of connection: borrowing Connection) {
        queries += 1
        guard queries == 1 else { return }
        sqlite3_progress_handler(
            connection.handle, 20_000,
            { context in
                guard let context else { return 0 }
                let policy = Unmanaged<BusyPolicy>.fromOpaque(context).takeUnretainedValue()
                return policy.isInterrupted() ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    func endQuery(of connection: borrowing Connection) {
        queries -= 1
        if queries == 0 { sqlite3_progress_handler(connection.handle, 0, nil, nil) }
    }

    /// Sleeps a little.
    ///
    /// - Returns: False when there is no time left.
    func wait(attempt: Int32) -> Bool {
        let now = Self.milliseconds()
        if attempt == 0 { waitingSince = now }
        wasInterrupted = isInterrupted()
        let left = Int64(timeout) - (now - waitingSince)
        if wasInterrupted || left <= 0 { return false }
        // Transactions are a few milliseconds long. Steps that differ by process keep waiters
        // from marching in step and always meeting the same holder.
        let jitter = (Int64(getpid()) &+ Int64(attempt) &* 7919) % 500
        let step = min(Int64(attempt) + 1, 10) * 500 + jitter
        usleep(UInt32(min(step, left * 1000)))
        return true
    }

    private static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
