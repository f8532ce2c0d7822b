internal import CWebSockets
package import Platform
internal import Synchronization

/// The thread that all WebSockets of one trust and one proxy share.
///
/// Each step of a connection is made there: who sends or takes never waits for the network. A name
/// server that is slow holds up the other sockets of the same service.
package final class WebSocketService: Sendable {
    let shared: Shared

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - caFile: Certificates to trust instead of the system's.
    ///   - proxy: `host:port`, with `user:password@` before it where it needs them; nil for none.
    ///   - connectSeconds: How long the handshake may take.
    /// - Throws: When the library cannot be used, or the system has no thread left.
    package init(
        caFile: String? = nil, proxy: String? = nil, connectSeconds: Int = 15
    ) throws(SystemError) {
        let shared = Shared()
        let made = satchel_ws_make(
            webSocketCallback, caFile, proxy ?? "", UInt32(clamping: max(1, connectSeconds)))
        guard let made else {
            throw SystemError("use libwebsockets: \(caFile ?? "the certificates")", code: 0)
        }
        shared.attach(made)
        self.shared = shared
        do throws(SystemError) {
            try Worker.start { WebSocketLoop(shared).run() }.detach()
        } catch {
            shared.detach { satchel_ws_free($0) }
            throw error
        }
    }

    deinit { shared.order(.stop) }

    enum Order: Sendable {
        case open(Int, WebSocket.Request, WebSocket.Inbox)
        case send(Int, [UInt8])
        case close(Int)
        /// There is room for messages again.
        case resume(Int)
        case stop
    }

    /// What the thread and the sockets share: the orders, and what wakes the thread.
    final class Shared: Sendable {
        private let state = Mutex(State())

        private struct State {
            var orders: [Order] = []
            var lastNumber = 0
            /// The library's context, while it lives, as an address: it is only passed on.
            var made: UInt = 0
        }

        func attach(_ made: UnsafeMutablePointer<satchel_ws>) {
            let address = UInt(bitPattern: made)
            state.withLock { $0.made = address }
        }

        /// Gives the context to `free`; nobody wakes the thread any more.
        func detach(_ free: (UnsafeMutablePointer<satchel_ws>) -> Void) {
            let address = state.withLock { state in
                defer { state.made = 0 }
                return state.made
            }
            if let made = UnsafeMutablePointer<satchel_ws>(bitPattern: address) { free(made) }
        }

        var made: UnsafeMutablePointer<satchel_ws>? {
            UnsafeMutablePointer(bitPattern: state.withLock { $0.made })
        }

        func open(_ request: WebSocket.Request, _ inbox: WebSocket.Inbox) -> Int {
            let number = state.withLock { state in
                state.lastNumber += 1
                return state.lastNumber
            }
            order(.open(number, request, inbox))
            return number
        }

        func order(_ order: Order) {
            state.withLock { state in
                // The context is not freed while the lock is held.
                guard let made = UnsafeMutablePointer<satchel_ws>(bitPattern: state.made) else {
                    return
                }
                state.orders.append(order)
                lws_cancel_service(made.pointee.context)
            }
        }

        func takeOrders() -> [Order] {
            state.withLock { state in
                defer { state.orders = [] }
                return state.orders
            }
        }
    }
}
