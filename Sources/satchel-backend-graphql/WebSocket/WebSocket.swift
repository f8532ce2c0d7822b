package import Platform
internal import Synchronization

/// One WebSocket: texts out, texts in, in order, on any thread.
///
/// It connects when it is made and is closed with its last reference. Messages that nobody takes are
/// bounded: the socket is read no further until some are taken.
package final class WebSocket: Sendable {
    /// Where it goes and what the handshake has.
    package struct Request: Sendable {
        package var endpoint: Endpoint
        /// What follows a `?` in the address, escaped; empty for none.
        package var query: String
        package var headers: [HTTPHeader]
        /// Offered to the server in this order.
        package var subprotocols: [String]

        package init(
            _ endpoint: Endpoint, query: String = "", headers: [HTTPHeader] = [],
            subprotocols: [String] = []
        ) {
            self.endpoint = endpoint
            self.query = query
            self.headers = headers
            self.subprotocols = subprotocols
        }
    }

    package struct Limits: Sendable {
        /// Bytes of a message; a longer one ends the connection.
        package var messageBytes: Int
        /// Bytes of messages that wait to be taken, before reading pauses.
        package var waitingBytes: Int

        package init(messageBytes: Int = 1 << 20, waitingBytes: Int = 4 << 20) {
            self.messageBytes = messageBytes
            self.waitingBytes = waitingBytes
        }
    }

    package enum Event: Sendable, Equatable {
        /// It stands; with the subprotocol that the server chose, empty for none.
        case opened(subprotocol: String)
        case message([UInt8])
        /// It is over, or never came to be: nothing follows.
        case ended(Ending)
    }

    /// Why a connection ended.
    package struct Ending: Error, Sendable, Equatable {
        package enum Kind: Sendable, Equatable {
            /// The host has no address, or nothing listens there.
            case unreachable
            /// The certificate does not prove that the host is who it should be.
            case untrusted
            /// There is no TLS with it, whatever its certificate.
            case insecure
            /// The handshake was answered with another HTTP status than 101; 0 where it is not known.
            case refused(status: Int)
            case late
            /// The connection broke.
            case cut
            /// The server closed it, with this code; 1005 where it gave none.
            case closed(code: Int)
            /// A message was longer than is taken.
            case tooLarge
            case other
        }

        package var kind: Kind
        package var message: String

        package init(_ kind: Kind, _ message: String) {
            self.kind = kind
            self.message = message
        }
    }

    private let number: Int
    /// It ends with its last socket.
    private let service: WebSocketService
    private let inbox: Inbox

    /// Begins to connect.
    ///
    /// - Throws: When the system has no descriptor left.
    package init(
        _ request: Request, on service: WebSocketService, limits: Limits = Limits()
    ) throws(SystemError) {
        inbox = try Inbox(limits)
        self.service = service
        number = service.shared.open(request, inbox)
    }

    deinit { service.shared.order(.close(number)) }

    /// Readable while events wait.
    package var descriptor: Int32 { inbox.events.descriptor }

    /// Sends a text once the connection stands; after its end it goes nowhere.
    package func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends a text given in UTF-8.
    package func send(_ text: [UInt8]) { service.shared.order(.send(number, text)) }

    /// Ends it, once what was to be sent has left; `ended` follows.
    package func close() { service.shared.order(.close(number)) }

    /// All events that wait, oldest first.
    package func takeAll() -> [Event] {
        let events = inbox.events.takeAll()
        taken(events)
        return events
    }

    /// The oldest event, waiting for it; nil when the time is up.
    ///
    /// Negative milliseconds wait without end.
    package func next(within milliseconds: Int64) -> Event? {
        let event = inbox.events.take(within: milliseconds)
        if let event { taken([event]) }
        return event
    }

    private func taken(_ events: [Event]) {
        if inbox.taken(events) { service.shared.order(.resume(number)) }
    }
}

extension WebSocket {
    /// What has arrived, between the thread that reads and who takes it.
    final class Inbox: Sendable {
        let events: Mailbox<Event>
        let limits: Limits
        private let state = Mutex(State())

        private struct State {
            var bytes = 0
            var isPaused = false
        }

        init(_ limits: Limits) throws(SystemError) {
            events = try Mailbox()
            self.limits = limits
        }

        /// Puts an event down; true when reading has to pause.
        func put(_ event: Event) -> Bool {
            let isPaused = state.withLock { state in
                state.bytes += event.size
                state.isPaused = state.isPaused || state.bytes > limits.waitingBytes
                return state.isPaused
            }
            events.put(event)
            return isPaused
        }

        /// True when reading may go on now.
        func taken(_ events: [Event]) -> Bool {
            let size = events.reduce(0) { $0 + $1.size }
            return state.withLock { state in
                state.bytes -= size
                guard state.isPaused, state.bytes <= limits.waitingBytes / 2 else { return false }
                state.isPaused = false
                return true
            }
        }
    }
}

extension WebSocket.Event {
    /// About how much memory it takes.
    fileprivate var size: Int {
        if case .message(let bytes) = self { bytes.count + 64 } else { 64 }
    }
}
