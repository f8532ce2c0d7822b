internal import Platform
internal import Synchronization

/// Ends a command that takes longer than `--timeout` allows: raises the interrupt.
final class Deadline: Sendable {
    private let passed = Atomic(false)
    private let cancelled: Mailbox<Void>

    /// Starts a thread that watches the time.
    init(_ milliseconds: Int64, _ interrupt: Interrupt) throws(SystemError) {
        cancelled = try Mailbox()
        try Worker.start { [self] in
            if cancelled.take(within: milliseconds) != nil { return }
            passed.store(true, ordering: .sequentiallyConsistent)
            interrupt.raise()
        }.detach()
    }

    var hasPassed: Bool { passed.load(ordering: .sequentiallyConsistent) }

    func cancel() { cancelled.put(()) }
}
