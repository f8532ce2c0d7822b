internal import CSystem
internal import Glibc

/// Turns the signals a person or the system sends into tokens that can be polled.
///
/// The signals are blocked and one thread takes them, so no code ever runs inside a handler and no
/// system call is cut short. Children started through the spawn door get default handlers and an
/// empty mask.
package struct Signals: Sendable {
    /// Raised by SIGINT, SIGTERM and SIGHUP; `signal` tells which.
    package let interrupt: Interrupt
    /// Raised when the terminal changed its size.
    package let resized: Interrupt

    /// Starts taking signals; call it on the main thread before any other thread starts.
    ///
    /// The observer is called on the signals' thread with the signal and how often `interrupt` was
    /// raised, that one included; it is for what cannot wait for the main thread.
    package static func start(
        observer: @escaping @Sendable (_ signal: Int32, _ count: Int) -> Void = { _, _ in }
    ) throws(SystemError) -> Signals {
        ignoreBrokenPipes()
        let signals = try Signals(interrupt: Interrupt(), resized: Interrupt())
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGWINCH] { sigaddset(&set, number) }
        let code = pthread_sigmask(SIG_BLOCK, &set, nil)
        guard code == 0 else { throw SystemError("take signals", code: code) }
        let taken = set
        let worker = try Worker.start { signals.takeAll(taken, observer) }
        worker.detach()
        return signals
    }

    /// A reader that went away becomes an error of the write instead of the end of the process.
    package static func ignoreBrokenPipes() { _ = satchel_ignore_signal(SIGPIPE) }

    private func takeAll(
        _ signals: sigset_t, _ observer: @Sendable (_ signal: Int32, _ count: Int) -> Void
    ) {
        var signals = signals
        var number: Int32 = 0
        while sigwait(&signals, &number) == 0 {
            if number == SIGWINCH {
                resized.raise(signal: number)
            } else {
                interrupt.raise(signal: number)
                observer(number, interrupt.count)
            }
        }
    }
}
