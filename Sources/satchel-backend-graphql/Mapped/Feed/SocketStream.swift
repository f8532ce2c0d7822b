internal import JSON
internal import Platform
internal import PluginKit

/// Subscriptions over one WebSocket, in the protocol graphql-transport-ws.
///
/// https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md
final class SocketStream: LiveStream {
    private let socket: WebSocket
    private let requests: [GraphQLRequest]
    private let headers: [HTTPHeader]
    private let clock: Clock
    private var isOpened = false
    private var isOver = false
    /// When the server was heard last, and whether it was asked for a sign since.
    private var heard: Int64
    private var hasAsked = false

    private static let subprotocol = "graphql-transport-ws"
    /// Milliseconds of silence after which the server is asked for a sign, and again given up.
    private static let patience: Int64 = 30_000

    init(
        _ requests: [GraphQLRequest], to endpoint: Endpoint, headers: [HTTPHeader],
        on service: WebSocketService, clock: Clock
    ) throws(SystemError) {
        self.requests = requests
        self.headers = headers
        self.clock = clock
        heard = clock.monotonic()
        socket = try WebSocket(
            WebSocket.Request(endpoint, headers: headers, subprotocols: [Self.subprotocol]),
            on: service, limits: WebSocket.Limits(messageBytes: 4 << 20, waitingBytes: 8 << 20))
    }

    var descriptors: [Int32] { isOver ? [] : [socket.descriptor] }
    var pause: Int64 { 5_000 }

    func close() {
        guard !isOver else { return }
        isOver = true
        socket.close()
    }

    func advance() -> [LiveSignal] {
        guard !isOver else { return [] }
        var signals: [LiveSignal] = []
        for event in socket.takeAll() {
            heard = clock.monotonic()
            hasAsked = false
            switch event {
            case .opened(let subprotocol):
                guard subprotocol == Self.subprotocol else {
                    return end("it does not speak \(Self.subprotocol)", signals)
                }
                socket.send(greeting)
            case .message(let bytes):
                guard let reason = take(bytes, &signals) else { continue }
                return end(reason, signals)
            case .ended(let ending): return end(ending.message, signals)
            }
        }
        let silence = clock.monotonic() - heard
        if silence > 2 * Self.patience { return end("it is silent", signals) }
        if silence > Self.patience, !hasAsked {
            hasAsked = true
            socket.send("{\"type\":\"ping\"}")
        }
        return signals
    }

    /// Takes a message.
    ///
    /// - Returns: Why the connection is given up; nil when it is not.
    private func take(_ bytes: [UInt8], _ signals: inout [LiveSignal]) -> String? {
        let message: JSONValue
        do throws(JSONError) { message = try JSONValue.parse(bytes) } catch {
            return "it sends what is no message"
        }
        let place = message["id"]?.text.flatMap { Int($0) }
        switch message["type"]?.text {
        case "connection_ack":
            for (place, request) in requests.enumerated() {
                socket.send(
                    Array("{\"id\":\"\(place)\",\"type\":\"subscribe\",\"payload\":".utf8)
                        + request.body + Array("}".utf8))
            }
            isOpened = true
            signals.append(.opened)
        case "ping": socket.send("{\"type\":\"pong\"}")
        case "next":
            guard let place, requests.indices.contains(place),
                let answer = message["payload"].flatMap(GraphQLAnswer.init)
            else { return "it sends what is no result" }
            signals.append(.result(place, answer))
        case "error":
            let fault = message["payload"]?.elements?.first.map { GraphQLFault($0) }
            return "it refuses a subscription: \(fault?.message ?? "it gives no reason")"
        case "complete": return "it ended a subscription"
        default: break
        }
        return nil
    }

    /// What opens the conversation; who asks is in it too, for APIs that look there.
    private var greeting: [UInt8] {
        var named = JSONObject()
        for header in headers { named[header.name] = .string(header.value) }
        let payload = named.overlaid(with: JSONObject([("headers", .object(named))]))
        let message: JSONValue = ["type": "connection_init", "payload": .object(payload)]
        return message.bytes()
    }

    private func end(_ reason: String, _ signals: [LiveSignal]) -> [LiveSignal] {
        close()
        return signals + [.ended(reason)]
    }
}
