import Platform
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.timeLimit(.minutes(15))) struct `A WebSocket` {
    private static let server = Result { try WebSocketServer() }

    private func socket(
        _ path: String, headers: [HTTPHeader] = [], subprotocols: [String] = [],
        limits: WebSocket.Limits = .init(), on service: WebSocketService? = nil
    ) throws -> WebSocket {
        let request = WebSocket.Request(
            try Endpoint(try Self.server.get().url(path)), headers: headers,
            subprotocols: subprotocols)
        return try WebSocket(
            request, on: try service ?? WebSocketService(connectSeconds: 60), limits: limits)
    }

    /// All messages until it ends.
    private func rest(_ socket: WebSocket) throws -> ([String], WebSocket.Ending) {
        var messages: [String] = []
        while true {
            switch try #require(socket.next(within: 120_000)) {
            case .opened: break
            case .message(let bytes): messages.append(String(decoding: bytes, as: UTF8.self))
            case .ended(let ending): return (messages, ending)
            }
        }
    }

    private func message(_ socket: WebSocket) throws -> String {
        while true {
            switch try #require(socket.next(within: 120_000)) {
            case .opened: break
            case .message(let bytes): return String(decoding: bytes, as: UTF8.self)
            case .ended(let ending): throw ending
            }
        }
    }

    @Test func `sends and receives texts in their order`() throws {
        let service = try WebSocketService(connectSeconds: 60)
        let sockets = [try socket("/echo", on: service), try socket("/echo", on: service)]
        let texts = ["one", "", "zwei ü 👍", String(repeating: "long ", count: 100_000)]
        for socket in sockets { for text in texts { socket.send(text) } }
        for socket in sockets { for text in texts { #expect(try message(socket) == text) } }
        for socket in sockets {
            socket.close()
            #expect(try rest(socket).1.kind == .closed(code: 1000))
        }
    }

    @Test func `has the headers and subprotocols it was made with`() throws {
        let token = String(repeating: "t", count: 7_000)
        let socket = try socket(
            "/headers", headers: [HTTPHeader("X-Api-Key", "key"), HTTPHeader("X-Long", token)],
            subprotocols: ["first", "second"])
        #expect(socket.next(within: 120_000) == .opened(subprotocol: "second"))
        let text = try message(socket)
        #expect(text.contains("\"x-api-key\": \"key\""))
        #expect(text.contains(token))
        #expect(text.contains("\"sec-websocket-protocol\": \"first, second\""))
        #expect(!text.contains("permessage-deflate"))
    }

    @Test func `answers pings, and puts pieces together`() throws {
        #expect(try message(socket("/ping")) == "pong")
        #expect(try message(socket("/pieces/500")) == String(repeating: "y", count: 500))
    }

    @Test func `takes no message that is too long`() throws {
        let limits = WebSocket.Limits(messageBytes: 100_000)
        #expect(try message(socket("/long/100000", limits: limits)).utf8.count == 100_000)
        for path in ["/long/100001", "/long/20000000", "/pieces/100001"] {
            let (messages, ending) = try rest(socket(path, limits: limits))
            #expect(messages.isEmpty)
            #expect(ending.kind == .tooLarge)
        }
    }

    @Test func `reads no further while nobody takes what it read`() throws {
        let socket = try socket("/flood/20000", limits: .init(waitingBytes: 50_000))
        // Once the first is there, the sender is far ahead of what was taken.
        var count = 0
        while count < 20_000 {
            if case .message(let bytes) = try #require(socket.next(within: 120_000)) {
                #expect(bytes.count == 1_000)
                count += 1
            }
        }
        socket.close()
        #expect(try rest(socket).0.isEmpty)
    }

    @Test(arguments: [
        ("/close/4013", WebSocket.Ending.Kind.closed(code: 4013)), ("/cut", .cut), ("/half", .cut),
        ("/status/401", .refused(status: 401)), ("/status/503", .refused(status: 503)),
        ("/status/302", .refused(status: 302)),
    ])
    func `says how it ended`(_ path: String, _ kind: WebSocket.Ending.Kind) throws {
        let (messages, ending) = try rest(socket(path))
        #expect(messages.isEmpty)
        #expect(ending.kind == kind, "\(ending.message)")
        if path == "/close/4013" { #expect(ending.message.contains("go away")) }
    }

    @Test(arguments: 0..<10) func `ends at what is no good frame`(_ kind: Int) throws {
        let socket = try socket("/hostile/\(kind)", limits: .init(messageBytes: 100_000))
        let (messages, ending) = try rest(socket)
        #expect(messages.allSatisfy { $0.utf8.count < 10 })
        switch ending.kind {
        case .cut, .closed, .tooLarge: break
        default: Issue.record("\(ending)")
        }
    }

    @Test func `can be given up in the middle of a flood`() throws {
        for _ in 0..<5 {
            let socket = try socket("/flood/20000")
            _ = try message(socket)
            socket.close()
            #expect(try rest(socket).1.kind == .closed(code: 1000))
        }
    }

    @Test func `does not wait for ever`() throws {
        let (_, ending) = try rest(
            socket("/silent", on: try WebSocketService(connectSeconds: 1)))
        #expect(ending.kind == .late, "\(ending.message)")
    }

    @Test func `can be given up before it stands`() throws {
        let socket = try socket("/silent")
        socket.send("nobody")
        socket.close()
        guard case .closed = try rest(socket).1.kind else {
            Issue.record("it did not end")
            return
        }
    }

    @Test func `tells that there is nobody`() throws {
        let service = try WebSocketService(connectSeconds: 5)
        for url in ["http://127.0.0.1:1/", "http://no-such-host.invalid/"] {
            let socket = try WebSocket(.init(Endpoint(url)), on: service)
            let ending = try rest(socket).1
            #expect([.unreachable, .late].contains(ending.kind), "\(url): \(ending.message)")
        }
    }

    @Test func `is made only with whom the certificate proves`() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "satchel-ws")
        defer { try? Files.removeTree(folder) }
        let certificate = Path.join(folder, "certificate.pem")
        let server = try WebSocketServer(certificate: certificate)
        let request = WebSocket.Request(
            try Endpoint(server.url("/headers")), headers: [HTTPHeader("x-api-key", "secret")])
        let doubting = try WebSocketService(connectSeconds: 60)
        let doubted = try rest(WebSocket(request, on: doubting)).1
        #expect(doubted.kind == .untrusted, "\(doubted)")
        let trusting = try WebSocketService(caFile: certificate, connectSeconds: 60)
        #expect(try message(WebSocket(request, on: trusting)).contains("secret"))
        let other =
            "https://127.0.0.2" + server.url("/headers").dropFirst("https://localhost".count)
        let ending = try rest(WebSocket(.init(Endpoint(other)), on: trusting)).1
        #expect([.untrusted, .unreachable].contains(ending.kind), "\(ending.message)")
    }

    @Test func `tells a server without TLS from one that nobody vouches for`() throws {
        let server = try WebSocketServer()
        let url = "https" + server.url("/echo").dropFirst("http".count)
        let ending = try rest(
            WebSocket(.init(Endpoint(url)), on: try WebSocketService(connectSeconds: 60))
        ).1
        #expect(ending.kind == .insecure, "\(ending)")
    }

    @Test func `goes with its last reference`() throws {
        for _ in 0..<50 {
            let socket = try socket("/echo")
            socket.send("x")
            #expect(try message(socket) == "x")
        }
    }
}
