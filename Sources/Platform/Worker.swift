internal import CSystem
internal import Glibc

/// A thread that runs one closure.
package struct Worker: ~Copyable, Sendable {
    private let thread: pthread_t

    private init(_ thread: pthread_t) { self.thread = thread }

    /// Starts `body` on a new thread, which signals never interrupt.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) -> Worker
    {
        let box = Unmanaged.passRetained(Work(body))
        // A thread begins with its maker's mask; setting it afterwards would leave a gap.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw SystemError("start a thread", code: code)
        }
        return Worker(thread)
    }

    /// Waits until the closure has returned.
    package consuming func join() {
        pthread_join(thread, nil)
        discard self
    }

    /// Lets it run on its own, to the end of the process if need be.
    package consuming func detach() {
        pthread_detach(thread)
        discard self
    }

    deinit { pthread_detach(thread) }
}

private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
