import JSON
import Platform
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.serialized, .timeLimit(.minutes(15))) struct `Who asks` {
    @Test func `is shown by an API key, and any 401 is for a login`() throws {
        let server = try AppSyncServer()
        let wrong = JSONObject([("api_key", "da2-wrong")])
        let error = failure { _ = try AppSync(server, secrets: wrong) }
        #expect(error?.kind == .auth)
        #expect(error?.message.contains("da2-wrong") == false)
        #expect(failure { _ = try AppSync(server, secrets: JSONObject()) }?.kind == .auth)
        let torn = JSONObject([("api_key", "da2\r\nx-evil: 1")])
        #expect(failure { _ = try AppSync(server, secrets: torn) }?.kind == .auth)
    }

    @Test(arguments: ["user_pools", "oidc", "lambda"])
    func `is shown by a token`(_ mode: String) throws {
        let names = ["user_pools": "userPools", "oidc": "oidc", "lambda": "function"]
        let server = try AppSyncServer("--auth", "apiKey,\(names[mode] ?? "")")
        var token: JSONValue = "custom-token"
        if mode == "lambda" {
            try server.control([
                "command": "lambda_token", "token": "custom-token", "allow": true,
            ])
        } else {
            token = try #require(
                try server.control([
                    "command": "mint", "user": "alice", "mode": .string(names[mode] ?? ""),
                ])["token"])
        }
        let secrets = JSONObject([("token", token)])
        let api = try AppSync(server, JSONObject([("auth", .string(mode))]), secrets: secrets)
        try api.make("p1")
        #expect(try api.pull().ids == ["p1"])
        if mode == "lambda" { return }
        // Another user's records are another data set.
        let other = try #require(
            try server.control([
                "command": "mint", "user": "bob", "mode": .string(names[mode] ?? ""),
            ])["token"])
        let bob = try AppSync(
            server, JSONObject([("auth", .string(mode))]),
            secrets: JSONObject([("token", other)]))
        #expect(bob.welcome.identity != api.welcome.identity)
        try server.control(["command": "expire_tokens"])
        let error = failure { try api.push(.create("p2")) }
        #expect(error?.kind == .auth)
    }

    static let iam = JSONObject([("auth", "iam"), ("region", "us-east-1")])

    private func iamServer(_ session: JSONValue = nil) throws -> AppSyncServer {
        let server = try AppSyncServer("--auth", "apiKey,iam")
        try server.control([
            "command": "credentials", "access_key": "AKIATEST", "secret_key": "s3cret/+",
            "session_token": session,
        ])
        return server
    }

    @Test func `is shown by a signature, with keys that were given`() throws {
        let server = try iamServer()
        let secrets = JSONObject([("access_key", "AKIATEST"), ("secret_key", "s3cret/+")])
        let api = try AppSync(server, Self.iam, secrets: secrets)
        try api.make("p1", title: "ünï 😀")
        #expect(try api.pull().records["p1"]?["title"] == "ünï 😀")
        let wrong = JSONObject([("access_key", "AKIATEST"), ("secret_key", "other")])
        #expect(failure { _ = try AppSync(server, Self.iam, secrets: wrong) }?.kind == .auth)
    }

    @Test func `is found in the environment or in a profile`() throws {
        let server = try iamServer("session/token==")
        let folder = try Files.makeTemporaryDirectory(prefix: "satchel-aws")
        defer { try? Files.removeTree(folder) }
        try Files.makeDirectory(Path.join(folder, ".aws"))
        let text = """
            # of the command line
            [other]
            aws_access_key_id = X
            aws_secret_access_key = Y
            [work]
            aws_access_key_id=AKIATEST
            aws_secret_access_key = s3cret/+
            aws_session_token = session/token==
            """
        try Files.replace(Path.join(folder, ".aws/credentials"), with: Array(text.utf8))
        let environments: [[String: String]] = [
            [
                "AWS_ACCESS_KEY_ID": "AKIATEST", "AWS_SECRET_ACCESS_KEY": "s3cret/+",
                "AWS_SESSION_TOKEN": "session/token==",
            ],
            ["HOME": folder, "AWS_PROFILE": "work"],
        ]
        for environment in environments {
            let api = try AppSync(
                server, Self.iam, secrets: JSONObject(), environment: environment)
            #expect(try api.pull().items.isEmpty)
        }
        var named = Self.iam
        named.append("profile", "work")
        _ = try AppSync(server, named, secrets: JSONObject(), environment: ["HOME": folder])
        named["profile"] = "nobody"
        let error = failure {
            _ = try AppSync(server, named, secrets: JSONObject(), environment: ["HOME": folder])
        }
        #expect(error?.kind == .auth)
        #expect(error?.message.contains("nobody") == true)
    }

    @Test(arguments: [3_600_000, -3_600_000] as [Int64])
    func `is believed on a machine whose clock is wrong`(_ offset: Int64) throws {
        let server = try iamServer()
        try server.control(["command": "clock", "offset_ms": .int(offset)])
        let secrets = JSONObject([("access_key", "AKIATEST"), ("secret_key", "s3cret/+")])
        let api = try AppSync(server, Self.iam, secrets: secrets)
        try api.make("p1")
        // Learnt once: later requests are right at once.
        let count = try server.journal("createPost").count
        #expect(count == 1)
    }

    @Test func `must not travel in the open`() {
        let error = failure {
            _ = try Settings(JSONObject([("url", "http://example.com/graphql")]))
        }
        #expect(error?.kind == .permanent)
        #expect(error?.message.contains("https://") == true)
    }

    @Test func `may not see one field, and sees the others`() throws {
        let server = try AppSyncServer("--auth", "apiKey,userPools")
        let token = try #require(
            try server.control(["command": "mint", "user": "alice", "mode": "userPools"])["token"])
        let alice = try AppSync(
            server, JSONObject([("auth", "user_pools")]), secrets: JSONObject([("token", token)]))
        let note = PluginOperation.create(
            "n1", model: "Note", title: nil, ["text": "hello", "secret": "mine"])
        #expect(words(try alice.push(note)) == ["ok"])
        let anyone = try AppSync(server)
        let record = try #require(try anyone.pull("Note").records["n1"])
        #expect(record["text"] == "hello")
        #expect(record["secret"] == .null)
        let refused = try anyone.push(.update("n1", ["text": "x"], on: 1, model: "Note"))
        #expect(words(refused) == ["rejected permission"])
    }
}
