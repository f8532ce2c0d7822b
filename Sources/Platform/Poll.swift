internal import CSystem
internal import Glibc

/// Waiting for several descriptors at once.
package enum Poll {
    /// Waits until one of `reading` or `writing` is ready, or closed, or the time is up.
    ///
    /// Of `leaving` it tells only that nobody reads any more what is written to it.
    /// Negative milliseconds wait without end. Nothing is ready when the time is up or a signal
    /// came first.
    package static func wait(
        reading: [Int32], writing: [Int32] = [], leaving: [Int32] = [], milliseconds: Int64
    ) -> [Int32] {
        let asked =
            reading.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            + writing.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
            // Errors and hang-ups are told unasked.
            + leaving.map { pollfd(fd: $0, events: 0, revents: 0) }
        let count = asked.count
        return withUnsafeTemporaryAllocation(of: pollfd.self, capacity: max(count, 1)) { entries in
            _ = entries.initialize(from: asked)
            let bounded = Int32(clamping: milliseconds)
            guard poll(entries.baseAddress, nfds_t(count), bounded) > 0 else { return [] }
            return entries.prefix(count).filter { $0.revents != 0 }.map(\.fd)
        }
    }

    /// True when a read of `descriptor` would not wait: bytes are there, or its end.
    package static func isReadable(_ descriptor: Int32) -> Bool {
        !wait(reading: [descriptor], milliseconds: 0).isEmpty
    }
}
