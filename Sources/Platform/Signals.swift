internal import CSystem
internal import Glibc

/// Turns the signals a person or the system sends into tokens that can be polled.
///
/// A handler does no more than note the signal in a pipe; a thread reads the pipe and raises the
/// tokens. Programs that are started get the default handlers back.
package struct Signals: Sendable {
    /// Raised by SIGINT, SIGTERM and SIGHUP; `signal` tells which.
    package let interrupt: Interrupt
    /// Raised when the terminal changed its size, and when a stopped process continues, before which
    /// another program had the terminal; `signal` tells which.
    package let resized: Interrupt

    /// Starts taking signals, once for the process and to its end.
    ///
    /// The observer is called on the signals' thread with the signal and how often `interrupt` was
    /// raised, that one included; it is for what cannot wait for the main thread.
    package static func start(
        observer: @escaping @Sendable (_ signal: Int32, _ count: Int) -> Void = { _, _ in }
    ) throws(SystemError) -> Signals {
        ignoreBrokenPipes()
        let signals = try Signals(interrupt: Interrupt(), resized: Interrupt())
        let pipe = try Pipe.make()
        pipe.writing.setNonBlocking()
        let writing = pipe.writing.number
        let worker = try Worker.start { signals.takeAll(pipe, observer) }
        worker.detach()
        for number in [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT] {
            guard satchel_catch_signal(number, writing) == 0 else {
                throw SystemError("take signals", code: errno)
            }
        }
        return signals
    }

    /// The number of Ctrl-C's signal, and of the one a stopped process continues with.
    package static var interruptNumber: Int32 { SIGINT }
    package static var continueNumber: Int32 { SIGCONT }

    /// A reader that went away becomes an error of the write instead of the end of the process.
    package static func ignoreBrokenPipes() { _ = satchel_ignore_signal(SIGPIPE) }

    private func takeAll(
        _ pipe: borrowing Pipe, _ observer: @Sendable (_ signal: Int32, _ count: Int) -> Void
    ) {
        var byte: UInt8 = 0
        while true {
            let got = read(pipe.reading.number, &byte, 1)
            if got < 0, errno == EINTR { continue }
            guard got == 1 else { return }
            let number = Int32(byte)
            if number == SIGWINCH || number == SIGCONT {
                resized.raise(signal: number)
            } else {
                interrupt.raise(signal: number)
                observer(number, interrupt.count)
            }
        }
    }
}
