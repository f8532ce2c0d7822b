internal import CSystem
internal import Glibc

/// Turns the signals a person or the system sends into tokens that can be polled.
///
/// The handlers raise the tokens themselves: no thread has to be started, nor to be waited for at
/// the end. Programs that are started get the default handlers back.
package struct Signals: Sendable {
    /// Raised by SIGINT, SIGTERM and SIGHUP; `signal` tells which.
    package let interrupt: Interrupt
    /// Raised when the terminal changed its size, and when a stopped process continues, before which
    /// another program had the terminal; `signal` tells which.
    package let resized: Interrupt

    /// Starts taking signals, once for the process and to its end.
    ///
    /// With a `grace` of some seconds the process ends that long after the first that `interrupt`
    /// stands for, or at the second, with 128 and the signal's number.
    package static func start(grace: UInt32 = 0) throws(SystemError) -> Signals {
        ignoreBrokenPipes()
        let signals = try Signals(interrupt: Interrupt(), resized: Interrupt())
        try signals.interrupt.follow([SIGINT, SIGTERM, SIGHUP], grace: grace)
        try signals.resized.follow([SIGWINCH, SIGCONT])
        return signals
    }

    /// The number of Ctrl-C's signal, and of the one a stopped process continues with.
    package static var interruptNumber: Int32 { SIGINT }
    package static var continueNumber: Int32 { SIGCONT }

    /// A reader that went away becomes an error of the write instead of the end of the process.
    package static func ignoreBrokenPipes() { _ = satchel_ignore_signal(SIGPIPE) }
}
