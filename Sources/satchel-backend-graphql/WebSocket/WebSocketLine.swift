internal import CWebSockets
internal import Glibc

/// One connection as the thread of its service sees it.
///
/// The library keeps a pointer to it until it has let go of the connection.
final class WebSocketLine {
    private let request: WebSocket.Request
    private let inbox: WebSocket.Inbox
    private var handle: OpaquePointer?
    /// True while the library may call back.
    private var isHeld = false
    private var isOpen = false
    private var wasOpen = false
    /// The subprotocol that the server chose.
    private var chosen = ""
    private var outgoing: [[UInt8]] = []
    /// What has come of a message so far.
    private var message: [UInt8] = []
    /// To be closed once everything is sent.
    private var isClosing = false
    /// Why it ends, where that is known before it has ended.
    private var ending: WebSocket.Ending?
    private var hasEnded = false
    /// True where the certificate does not prove who the server is.
    private var isDoubted = false

    init(_ request: WebSocket.Request, _ inbox: WebSocket.Inbox) {
        self.request = request
        self.inbox = inbox
    }

    /// True when the library has let go of it, and its end is told.
    var isOver: Bool { hasEnded && !isHeld }

    func connect(_ made: UnsafeMutablePointer<satchel_ws>) {
        let endpoint = request.endpoint
        var address = endpoint.host
        if address.utf8.first == UInt8(ascii: "[") {
            address = String(address.dropFirst().dropLast())
        }
        let path = request.query.isEmpty ? endpoint.path : "\(endpoint.path)?\(request.query)"
        let protocols = request.subprotocols.joined(separator: ", ")
        // Given back when the library lets go, which it may do before this call returns.
        let held = Unmanaged.passRetained(self)
        isHeld = true
        let handle = satchel_ws_connect(
            made, address, Int32(endpoint.port ?? (endpoint.isSecure ? 443 : 80)),
            endpoint.isSecure ? 1 : 0, path, endpoint.authority,
            protocols.isEmpty ? nil : protocols, held.toOpaque())
        if isHeld { self.handle = handle }
        if handle == nil { end(WebSocket.Ending(.unreachable, "it cannot be connected")) }
    }

    func send(_ text: [UInt8]) {
        guard !hasEnded, !isClosing else { return }
        outgoing.append(text)
        if isOpen, let handle { lws_callback_on_writable(handle) }
    }

    func close() {
        guard !hasEnded, !isClosing else { return }
        isClosing = true
        guard let handle else { return }
        if isOpen {
            // Who is to be closed is not waited for: what it sends is of no interest.
            lws_rx_flow_control(handle, 1)
            lws_callback_on_writable(handle)
        } else {
            satchel_ws_kill(handle)
        }
    }

    /// There is room for messages again.
    func resume() {
        if isOpen, !hasEnded, let handle { lws_rx_flow_control(handle, 1) }
    }

    /// Tells the end, once.
    func end(_ ending: WebSocket.Ending) {
        guard !hasEnded else { return }
        hasEnded = true
        isOpen = false
        outgoing = []
        message = []
        _ = inbox.put(.ended(self.ending ?? ending))
    }
}

// MARK: - What the library tells

/// Called by the library for each step of each connection; `user` is its line.
func webSocketCallback(
    _ handle: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ bytes: UnsafeMutableRawPointer?, _ count: Int
) -> Int32 {
    guard let handle, let user = reason.isOfConnection ? user : lws_wsi_user(handle) else {
        return 0
    }
    // Of other reasons `user` is whatever the library has at hand.
    guard reason.isOfConnection || reason == LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION
    else { return 0 }
    let line = Unmanaged<WebSocketLine>.fromOpaque(user).takeUnretainedValue()
    switch reason {
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER: return line.addHeaders(handle, bytes, count)
    case LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH: line.takeChoice(handle)
    case LWS_CALLBACK_CLIENT_ESTABLISHED: return line.opened(handle)
    case LWS_CALLBACK_CLIENT_RECEIVE:
        return line.receive(handle, UnsafeRawBufferPointer(start: bytes, count: count))
    case LWS_CALLBACK_CLIENT_WRITEABLE: return line.write(handle)
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        line.closes(UnsafeRawBufferPointer(start: bytes, count: count))
        // At once, not after an answer: see `write`.
        return 1
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        line.fails(handle, UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
    case LWS_CALLBACK_CLIENT_CLOSED:
        line.end(WebSocket.Ending(.cut, "the connection broke"))
    case LWS_CALLBACK_WSI_DESTROY: line.letGo()
    case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION where count == 0: line.doubts()
    default: break
    }
    return 0
}

extension lws_callback_reasons {
    /// True for those whose `user` is the line of the connection.
    fileprivate var isOfConnection: Bool {
        switch self {
        case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER, LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH,
            LWS_CALLBACK_CLIENT_ESTABLISHED, LWS_CALLBACK_CLIENT_RECEIVE,
            LWS_CALLBACK_CLIENT_WRITEABLE, LWS_CALLBACK_WS_PEER_INITIATED_CLOSE,
            LWS_CALLBACK_CLIENT_CONNECTION_ERROR, LWS_CALLBACK_CLIENT_CLOSED,
            LWS_CALLBACK_WSI_DESTROY:
            true
        default: false
        }
    }
}

extension WebSocketLine {
    fileprivate func addHeaders(
        _ handle: OpaquePointer, _ place: UnsafeMutableRawPointer?, _ room: Int
    ) -> Int32 {
        for header in request.headers {
            guard satchel_ws_header(handle, "\(header.name):", header.value, place, room) == 0
            else {
                ending = WebSocket.Ending(.other, "the headers of the handshake are too long")
                return -1
            }
        }
        return 0
    }

    /// Reads the subprotocol that the server chose: later its headers are gone.
    fileprivate func takeChoice(_ handle: OpaquePointer) {
        chosen = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 8_192) { place in
            let count = Int(satchel_ws_chosen(handle, place.baseAddress, Int32(place.count)))
            return String(decoding: UnsafeRawBufferPointer(place).prefix(count), as: UTF8.self)
        }
    }

    fileprivate func opened(_ handle: OpaquePointer) -> Int32 {
        self.handle = handle
        isOpen = true
        wasOpen = true
        if inbox.put(.opened(subprotocol: chosen)) { lws_rx_flow_control(handle, 0) }
        if !outgoing.isEmpty || isClosing { lws_callback_on_writable(handle) }
        return 0
    }

    fileprivate func receive(_ handle: OpaquePointer, _ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard !isClosing else { return 0 }
        if lws_is_first_fragment(handle) != 0 { message = [] }
        let rest = lws_remaining_packet_payload(handle)
        guard message.count + bytes.count + rest <= inbox.limits.messageBytes else {
            ending = WebSocket.Ending(
                .tooLarge, "a message has more than \(inbox.limits.messageBytes) bytes")
            message = []
            return -1
        }
        message.append(contentsOf: bytes)
        guard lws_is_final_fragment(handle) != 0 else { return 0 }
        let whole = message
        message = []
        if inbox.put(.message(whole)) { lws_rx_flow_control(handle, 0) }
        return 0
    }

    fileprivate func write(_ handle: OpaquePointer) -> Int32 {
        guard !outgoing.isEmpty else {
            guard isClosing else { return 0 }
            ending = ending ?? WebSocket.Ending(.closed(code: 1000), "it was closed")
            // Without the handshake of an end: while the library (4.1) waits for its answer it writes
            // what the server sends past the end of its buffer.
            return -1
        }
        let text = outgoing.removeFirst()
        let room = satchel_ws_room()
        let sent = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room + text.count) {
            place in
            for index in text.indices { place[room + index] = text[index] }
            return satchel_ws_write(handle, place.baseAddress.map { $0 + room }, text.count)
        }
        guard sent >= 0 else { return -1 }
        if !outgoing.isEmpty || isClosing { lws_callback_on_writable(handle) }
        return 0
    }

    fileprivate func closes(_ bytes: UnsafeRawBufferPointer) {
        guard ending == nil else { return }
        let code = bytes.count >= 2 ? Int(bytes[0]) << 8 | Int(bytes[1]) : 1005
        let words = String(decoding: bytes.dropFirst(2).prefix(123), as: UTF8.self)
        ending = WebSocket.Ending(
            .closed(code: code),
            "the server closed the connection (\(code))"
                + (words.isEmpty ? "" : ": \(words)"))
    }

    fileprivate func doubts() { isDoubted = true }

    fileprivate func fails(_ handle: OpaquePointer, _ bytes: UnsafeRawBufferPointer) {
        let words = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        let status = Int(clamping: lws_http_client_http_response(handle))
        let hasWord: (String) -> Bool = { words.lowercased().range(ofText: $0) != nil }
        let kind: WebSocket.Ending.Kind =
            if isClosing {
                .closed(code: 1000)
            } else if status >= 100, status != 101 {
                .refused(status: status)
            } else if hasWord("upgrade") || hasWord("hs:") {
                .refused(status: 0)
            } else if hasWord("timed out") || hasWord("timeout") {
                .late
            } else if isDoubted || hasWord("cert") {
                .untrusted
            } else if hasWord("ssl") || hasWord("tls") {
                .insecure
            } else {
                .unreachable
            }
        end(WebSocket.Ending(kind, words.isEmpty ? "it cannot be connected" : words))
    }

    /// The connection is gone; the library does not come back to this line.
    fileprivate func letGo() {
        handle = nil
        // It says nothing of a handshake that took too long.
        end(
            wasOpen
                ? WebSocket.Ending(.cut, "the connection broke")
                : WebSocket.Ending(.late, "the handshake was not answered in time"))
        guard isHeld else { return }
        isHeld = false
        Unmanaged.passUnretained(self).release()
    }
}
