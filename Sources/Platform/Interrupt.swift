internal import CSystem
internal import Glibc

/// A wish to stop what is going on, raised by any thread or signal and seen by any thread.
///
/// Work in the CPU looks at `isRaised`; work that waits polls `descriptor` too.
package final class Interrupt: Sendable {
    private let event: Descriptor
    /// Of its own address, for handlers of signals; only ever touched by atomic steps.
    private nonisolated(unsafe) let token: UnsafeMutablePointer<satchel_token>

    package init() throws(SystemError) {
        event = try Descriptor.event()
        token = .allocate(capacity: 1)
        token.initialize(
            to: satchel_token(
                raised: 0, latest: 0, event: event.number, grace: 0, keys: TerminalKeys.kept))
    }

    deinit { token.deallocate() }

    package var isRaised: Bool { count > 0 }

    /// How often it was raised since the last reset: 2 is an impatient person.
    package var count: Int { satchel_token_raised(token) }

    /// The signal that raised it last (SIGINT, SIGTERM, SIGHUP); 0 when no signal did.
    package var signal: Int32 { satchel_token_latest(token) }

    /// Readable while raised.
    package var descriptor: Int32 { event.number }

    package func raise(signal: Int32 = 0) { satchel_token_raise(token, signal) }

    /// Makes the token ready for the next command.
    package func reset() {
        satchel_token_reset(token)
        drainEvent(event.number)
    }

    /// Has each of the signals raise it, to the end of the process.
    ///
    /// With a `grace` of some seconds the process ends that long after the first of them, or at the
    /// second, whatever it waits for.
    func follow(_ signals: [Int32], grace: UInt32 = 0) throws(SystemError) {
        token.pointee.grace = grace
        // Handlers know its address from now on.
        _ = Unmanaged.passRetained(self)
        for number in signals {
            guard satchel_catch_signal(number, token) == 0 else {
                throw SystemError("take signals", code: errno)
            }
        }
    }
}
