import JSON
import PluginKit
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.timeLimit(.minutes(15))) struct `A refresh token` {
    private func listener(
        _ auth: String, _ refresh: JSONValue = ["user": "alice", "token": "r1"]
    ) throws -> Listener {
        let mode = auth == "oidc" ? "oidc" : "userPools"
        let server = try AppSyncServer("--auth", "\(mode),apiKey")
        var command = refresh.members ?? JSONObject()
        command["command"] = "refresh_token"
        try server.control(.object(command))
        let path = auth == "oidc" ? "/oauth/token" : "/cognito"
        let config = JSONObject([
            ("auth", .string(auth)), ("client_id", "testclient"),
            ("token_url", .string("http://127.0.0.1:\(server.port)\(path)")),
        ])
        return try Listener(
            server, config, secrets: JSONObject([("refresh_token", refresh["token"] ?? .null)]))
    }

    @Test(arguments: ["user_pools", "oidc"])
    func `gives a token at first, and another for one that is refused`(_ auth: String) throws {
        let listener = try listener(auth)
        try listener.api.make("p1")
        try listener.server.control(["command": "expire_tokens"])
        // Several at once are refused, and one renewal serves them all.
        let made = try listener.api.push(
            .create("p2"), .create("p3"), .create("p4"), .create("p5"))
        #expect(made.map { $0?.word } == ["ok", "ok", "ok", "ok"])
        #expect(try listener.api.pull().ids == ["p1", "p2", "p3", "p4", "p5"])
        for id in ["p1", "p2", "p5"] {
            #expect(try listener.server.effects("Post", .string(id)).count == 1)
        }
        let told = try listener.hear { $0.secrets("token").count >= 2 }
        #expect(told.secrets("token").count == 2)
        #expect(told.secrets("refresh_token").isEmpty)
    }

    @Test func `that is changed for another is told to the host, and the other used`() throws {
        let listener = try listener(
            "user_pools", ["user": "alice", "token": "r1", "rotate": "r2"])
        try listener.server.control(["command": "expire_tokens"])
        #expect(try listener.api.pull().ids.isEmpty)
        let told = try listener.hear { $0.secrets("token").count >= 2 }
        #expect(told.secrets("refresh_token") == ["r2"])
    }

    @Test func `of another user gives no token that is taken`() throws {
        let listener = try listener("user_pools")
        try listener.server.control([
            "command": "refresh_token", "token": "r1", "user": "mallory",
        ])
        try listener.server.control(["command": "expire_tokens"])
        let error = failure { _ = try listener.api.pull() }
        #expect(error?.kind == .auth)
        try listener.hear { $0.logs.contains { $0.contains("another user") } }
    }

    @Test func `that is refused means a login`() throws {
        let listener = try listener("user_pools")
        try listener.server.control(["command": "refresh_token", "token": "r2"])
        try listener.server.control(["command": "fresh"])
        try listener.server.control(["command": "expire_tokens"])
        for _ in 0..<3 {
            let error = failure { _ = try listener.api.pull() }
            #expect(error?.kind == .auth)
        }
        try listener.hear { $0.logs.contains { $0.contains("does not renew") } }
    }

    @Test func `keeps changes coming where the token of a connection expires`() throws {
        let listener = try listener("user_pools")
        try listener.subscribe("Post")
        try listener.wait(["subscriptions": 3])
        try listener.server.control(["command": "expire_tokens", "drop": true])
        try listener.server.make("p1")
        try listener.hear { $0.gaps > 0 }
        try listener.server.make("p2")
        try listener.hear { $0.ids.contains("p2") }
    }

    @Test func `is asked for at a login where there is somebody to give it to`() throws {
        var answers = JSONObject([
            ("url", "https://abc.appsync-api.eu-west-1.amazonaws.com/graphql"),
            ("auth", "user_pools"),
        ])
        func asked() throws -> String? {
            guard case .ask(let key, _, true, _, _, _) = try Questions.next(answers) else {
                return nil
            }
            return key
        }
        #expect(try asked() == "token")
        answers["client_id"] = "abc"
        #expect(try asked() == "refresh_token")
        answers["refresh_token"] = "r"
        #expect(try asked() == nil)
        answers["auth"] = "oidc"
        answers["refresh_token"] = nil
        #expect(try asked() == "token")
        answers["token_url"] = "https://issuer.example.com/token"
        #expect(try asked() == "refresh_token")
    }
}

extension [Listener.Told] {
    fileprivate func secrets(_ key: String) -> [String] {
        compactMap { if case .secret(key, let value) = $0 { value } else { nil } }
    }
}
