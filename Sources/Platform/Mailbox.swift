internal import Glibc
internal import Synchronization

/// A queue between threads that a poll can wait on.
package final class Mailbox<Message: Sendable>: Sendable {
    private let event: Descriptor
    private let messages = Mutex<[Message]>([])

    package init() throws(SystemError) { event = try Descriptor.event() }

    /// Readable while messages wait.
    package var descriptor: Int32 { event.number }

    package var isEmpty: Bool { messages.withLock { $0.isEmpty } }

    package func put(_ message: Message) {
        messages.withLock { $0.append(message) }
        signalEvent(event.number)
    }

    /// All waiting messages, oldest first; empty when there are none.
    package func takeAll() -> [Message] {
        messages.withLock { waiting in
            drainEvent(event.number)
            let taken = waiting
            waiting = []
            return taken
        }
    }

    /// The oldest message, waiting for one; nil when the time is up or `interrupt` was raised.
    ///
    /// Negative milliseconds wait without end. It is nil as well once one of `others` is readable.
    package func take(
        within milliseconds: Int64, interrupt: Interrupt? = nil, or others: [Int32] = [],
        clock: Clock = .system
    ) -> Message? {
        let deadline = milliseconds < 0 ? Int64.max : clock.monotonic() + milliseconds
        while true {
            if let message = takeFirst() { return message }
            let left = milliseconds < 0 ? -1 : deadline - clock.monotonic()
            if interrupt?.isRaised == true || (milliseconds >= 0 && left <= 0) { return nil }
            let own = [event.number] + (interrupt.map { [$0.descriptor] } ?? [])
            let ready = Poll.wait(reading: own + others, milliseconds: left)
            if others.contains(where: ready.contains) { return takeFirst() }
        }
    }

    private func takeFirst() -> Message? {
        messages.withLock { waiting in
            guard !waiting.isEmpty else { return nil }
            let first = waiting.removeFirst()
            if waiting.isEmpty { drainEvent(event.number) }
            return first
        }
    }
}
