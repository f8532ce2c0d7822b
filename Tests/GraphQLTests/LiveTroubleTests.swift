import JSON
import Platform
import PluginKit
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.timeLimit(.minutes(15))) struct `A live connection` {
    @Test(arguments: [.null, 1000, 1001, 4000] as [JSONValue])
    func `that drops is made again, and what was missed is asked for`(_ code: JSONValue) throws {
        let listener = try Listener()
        try listener.subscribe("Post")
        try listener.wait(["subscriptions": 3])
        let drop: JSONValue =
            code.isNull
            ? ["command": "drop_sockets"] : ["command": "drop_sockets", "code": code]
        try listener.server.control(drop)
        try listener.server.make("p1")
        let told = try listener.hear { $0.gaps > 0 }
        #expect(told.gaps == 1)
        try listener.server.make("p2")
        try listener.hear { $0.ids.contains("p2") }
    }

    @Test func `that is silent for longer than it may be counts as dead`() throws {
        let server = try AppSyncServer(
            "--set", "connection_timeout_ms=1000", "--set", "ka_interval_ms=3600000")
        let listener = try Listener(server)
        try listener.subscribe("Post")
        try listener.wait(["counters": ["connected": 2], "subscriptions": 3])
        try listener.hear { $0.gaps > 0 }
    }

    @Test func `is tried again where it is refused at first`() throws {
        let faults: [(String, JSONValue)] = [
            ("refuse", ["on": "connect", "count": 2, "status": 503]),
            ("error", ["on": "connect", "count": 2, "code": 500]),
        ]
        for (type, fault) in faults {
            let server = try AppSyncServer()
            try server.fault(type, fault)
            let listener = try Listener(server)
            try listener.subscribe("Post")
            try listener.wait(["subscriptions": 3])
            try server.make("p1")
            try listener.hear { $0.ids.contains("p1") || $0.gaps > 0 }
        }
    }

    @Test func `starts again what the server did not take at once`() throws {
        let faults: [JSONValue] = [
            ["on": "start", "count": 2, "rate": true],
            ["on": "start", "count": 2, "object": true, "error_type": "InternalFailure"],
            ["on": "start", "count": 2, "error_type": "LimitExceededError"],
        ]
        for fault in faults {
            let server = try AppSyncServer()
            try server.fault("error", fault)
            let listener = try Listener(server)
            try listener.subscribe("Post")
            try listener.wait(["subscriptions": 3])
            try server.make("p1")
            try listener.hear { $0.ids.contains("p1") || $0.gaps > 0 }
        }
    }

    @Test(arguments: [3_600_000, -3_600_000] as [Int64])
    func `is made again after the clock of this machine jumped`(_ offset: Int64) throws {
        let server = try AppSyncServer("--auth", "iam,apiKey")
        try server.control([
            "command": "credentials", "access_key": "AKIATEST", "secret_key": "s3cret/+",
        ])
        let keys = JSONObject([("access_key", "AKIATEST"), ("secret_key", "s3cret/+")])
        let listener = try Listener(
            server, JSONObject([("auth", "iam"), ("region", "us-east-1")]), secrets: keys)
        try listener.subscribe("Post")
        try listener.wait(["subscriptions": 3])
        // Only the difference of the two clocks counts.
        try server.control(["command": "clock", "offset_ms": .int(offset)])
        try server.control(["command": "drop_sockets"])
        let told = try listener.hear { $0.gaps > 0 }
        try listener.wait(["subscriptions": 3])
        #expect(!told.logs.contains { $0.contains("login") })
    }

    @Test func `that brings what cannot be understood tells of a gap`() throws {
        let listener = try Listener()
        try listener.subscribe("Post")
        try listener.wait(["subscriptions": 3])
        try listener.server.fault("corrupt", ["on": "event"])
        try listener.server.make("p1")
        #expect(try listener.hear { $0.gaps > 0 }.ids.isEmpty)
    }

    @Test func `with an expired token is not tried in a loop, and says once what is to be done`()
        throws
    {
        let server = try AppSyncServer("--auth", "userPools,apiKey")
        let token = try server.control(["command": "mint", "user": "alice", "mode": "userPools"])
        let listener = try Listener(
            server, JSONObject([("auth", "user_pools")]),
            secrets: JSONObject([("token", token["token"] ?? .null)]))
        try listener.subscribe()
        try listener.wait(["subscriptions": 24])
        try server.control(["command": "expire_tokens", "drop": true])
        try listener.hear { $0.logs.contains { $0.contains("login") } }
        let before = try server.control(["command": "counters"])["sockets"]
        for _ in 0..<20 { listener.turn(atMost: 100) }
        #expect(try server.control(["command": "counters"])["sockets"] == before)
        guard case .later(let pause) = listener.api.backend.idle() else {
            Issue.record("it has given up")
            return
        }
        #expect(pause > 20_000)
    }
}
