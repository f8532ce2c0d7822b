internal import Glibc
internal import Synchronization

/// A wish to stop what is going on, raised by any thread and seen by any.
///
/// Work in the CPU looks at `isRaised`; work that waits polls `descriptor` too.
package final class Interrupt: Sendable {
    private let event: Descriptor
    private let raised = Atomic<Int>(0)
    private let latest = Atomic<Int32>(0)

    package init() throws(SystemError) { event = try Descriptor.event() }

    package var isRaised: Bool { raised.load(ordering: .acquiring) > 0 }

    /// How often it was raised since the last reset: 2 is an impatient person.
    package var count: Int { raised.load(ordering: .acquiring) }

    /// The signal that raised it last (SIGINT, SIGTERM, SIGHUP); 0 when no signal did.
    package var signal: Int32 { latest.load(ordering: .acquiring) }

    /// Readable while raised.
    package var descriptor: Int32 { event.number }

    package func raise(signal: Int32 = 0) {
        latest.store(signal, ordering: .releasing)
        raised.add(1, ordering: .acquiringAndReleasing)
        signalEvent(event.number)
    }

    /// Makes the token ready for the next command.
    package func reset() {
        raised.store(0, ordering: .releasing)
        latest.store(0, ordering: .releasing)
        drainEvent(event.number)
    }
}
