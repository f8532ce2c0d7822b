import JSON
import Platform
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

/// An API that takes a key for notices and a user's token for all else.
@Suite(.timeLimit(.minutes(15))) struct `Models that are authorised in their own way` {
    static let path = Path.join(AppSyncServer.fixtures, "owned.graphql")
    static let schema: Schema = {
        do { return try Schema.parse(bytes: try Files.read(path)) } catch {
            Issue.record("no schema: \(error)")
            return Schema()
        }
    }()
    static let modes: JSONValue = [
        "Diary": "user_pools", "Letter": "user_pools", "Page": "user_pools",
    ]

    let server: AppSyncServer
    let config = JSONObject([("model_auth", Self.modes)])
    let secrets: JSONObject

    init() throws {
        server = try AppSyncServer("--auth", "apiKey,userPools", schema: Self.path)
        secrets = JSONObject([
            ("api_key", .string(AppSyncServer.apiKey)),
            ("token", try Self.token("alice", at: server)),
        ])
    }

    static func token(_ user: String, at server: AppSyncServer) throws -> JSONValue {
        let answer = try server.control(["command": "mint", "user": .string(user)])
        return try #require(answer["token"])
    }

    private func api() throws -> AppSync {
        try AppSync(server, config, secrets: secrets, schema: Self.schema)
    }

    private static func make(_ model: String, _ id: String) -> PluginOperation {
        .create(id, model: model, title: nil, ["text": "hello"])
    }

    @Test func `are read and written so, in one sync`() throws {
        let api = try api()
        let made = try api.push(Self.make("Notice", "n1"), Self.make("Diary", "d1"))
        #expect(words(made) == ["ok", "ok"])
        for model in ["Notice", "Diary"] {
            #expect(try api.pull(model).ids == [model == "Notice" ? "n1" : "d1"])
            #expect(try api.fetch(model, model == "Notice" ? "n1" : "d1").count == 1)
            let mode: JSONValue = model == "Notice" ? "apiKey" : "userPools"
            for verb in ["create\(model)", "sync\(Plural.of(model))", "get\(model)"] {
                #expect(try server.journal(verb).last?["mode"] == mode, "\(verb)")
            }
        }
        // The data set is that of the user, whatever the usual way is.
        #expect(api.welcome.identity?.hasSuffix("#sub-alice") == true)
    }

    @Test func `are written though another way leads to what they belong to`() throws {
        let api = try api()
        let page = try #require(Self.schema.model("Page"))
        let key = try #require(page.relation("notice")?.fields.first)
        let set = JSONObject([("id", "p1"), ("text", "x"), (key, "n1")])
        let made = try api.push(
            Self.make("Notice", "n1"),
            PluginOperation(
                key: "p", model: "Page", id: RecordID("p1"), kind: .create, set: set, record: set))
        #expect(words(made) == ["ok", "ok"])
        #expect(try server.journal("createPage").last?["errors"]?.elements?.isEmpty != false)
        #expect(try api.pull("Page").records["p1"]?[key] == "n1")
    }

    @Test func `are listened to so, on one connection`() throws {
        let listener = try Listener(server, config, secrets: secrets, schema: Self.schema)
        try listener.subscribe("Notice", "Diary")
        try listener.wait(["subscriptions": 6, "open_sockets": 1])
        let sockets = try server.control(["command": "sockets"])["sockets"]?.elements ?? []
        #expect(sockets.map { $0["mode"]?.text } == ["apiKey"])
        let headers: (String) throws -> JSONObject? = { name in
            try server.journal(name).last?["headers"]?.members
        }
        #expect(try headers("onCreateNotice")?["x-api-key"] != nil)
        #expect(try headers("onCreateDiary")?["authorization"] != nil)
        #expect(try headers("onCreateDiary")?["x-api-key"] == nil)
        try listener.api.push(Self.make("Notice", "n1"), Self.make("Diary", "d1"))
        try listener.hear { Set($0.ids) == ["n1", "d1"] }
    }

    @Test func `leave the others listening where their token has expired`() throws {
        let listener = try Listener(server, config, secrets: secrets, schema: Self.schema)
        try server.control(["command": "expire_tokens"])
        try listener.subscribe("Notice", "Diary")
        try listener.wait(["subscriptions": 3, "open_sockets": 1])
        let warned = try listener.hear { $0.logs.contains { $0.contains("need a login") } }
        #expect(warned.logs.count { $0.contains("need a login") } == 1)
        let other = try AppSync(server, schema: Self.schema)
        try other.push(Self.make("Notice", "n1"))
        try listener.hear { $0.ids == ["n1"] }
        #expect(try server.control(["command": "counters"])["connected"] == 1)
    }

    @Test func `have their token renewed, and no other`() throws {
        try server.control(["command": "refresh_token", "token": "r1"])
        var config = config
        config["client_id"] = "testclient"
        config["token_url"] = .string("http://127.0.0.1:\(server.port)/cognito")
        let given = JSONObject([
            ("api_key", .string(AppSyncServer.apiKey)), ("refresh_token", "r1"),
        ])
        let listener = try Listener(server, config, secrets: given, schema: Self.schema)
        try listener.subscribe("Notice", "Diary")
        try listener.wait(["subscriptions": 6])
        try server.control(["command": "expire_tokens"])
        #expect(words(try listener.api.push(Self.make("Diary", "d1"))) == ["ok"])
        #expect(try listener.api.pull("Diary").ids == ["d1"])
        let asked = try server.control(["command": "refresh_token", "token": "r2"])["asked"]
        #expect(asked == 2)
        // A key that is refused is nothing that a refresh token helps with.
        try server.control(["command": "api_keys", "keys": ["da2-new"]])
        #expect(failure { _ = try listener.api.pull("Notice") }?.kind == .auth)
        #expect(
            try server.control(["command": "refresh_token", "token": "r3"])["asked"] == asked)
    }

    @Test func `have each secret asked for at a login`() throws {
        func asked(_ settings: JSONValue) throws -> [String] {
            var answers = JSONObject([("url", "https://abc.example.com/graphql")])
            answers = answers.overlaid(with: settings.members ?? JSONObject())
            var keys: [String] = []
            while case .ask(let key, _, true, _, _, _) = try Questions.next(answers) {
                keys.append(key)
                answers[key] = "x"
            }
            guard case .done(let config) = try Questions.next(answers) else { return ["?"] }
            #expect(keys.allSatisfy { config[$0] == nil })
            return keys
        }
        let table: [(JSONValue, [String])] = [
            (["auth": "api_key", "model_auth": ["A": "api_key"]], ["api_key"]),
            (["auth": "api_key", "model_auth": ["A": "user_pools"]], ["api_key", "token"]),
            (
                ["auth": "user_pools", "model_auth": ["A": "oidc", "B": "api_key"]],
                ["token", "api_key", "oidc_token"]
            ),
            (
                [
                    "auth": "api_key", "model_auth": ["A": "user_pools"], "client_id": "c",
                    "user_pool": "eu-west-1_X",
                ], ["api_key", "refresh_token"]
            ),
            (
                [
                    "auth": "api_key", "model_auth": ["A": "iam"], "region": "eu-west-1",
                    "credentials": "environment",
                ], ["api_key"]
            ),
        ]
        for (settings, keys) in table { #expect(try asked(settings) == keys) }
    }

    @Test func `have kinds that there are, and no mapping`() {
        let table: [(JSONValue, JSONValue?, String)] = [
            (["A": "cognito"], nil, "config.model_auth.A: it is one of api_key"),
            (["A": "none"], nil, "config.model_auth.A: it is one of api_key"),
            ("user_pools", nil, "config.model_auth: it has a kind for each model"),
            (["A": "iam"], "hasura", "config.model_auth: with a mapping"),
        ]
        for (modes, mapping, says) in table {
            var config = JSONObject([("url", "https://example.com/"), ("model_auth", modes)])
            config["mapping"] = mapping
            let error = failure { _ = try Settings(config) }
            #expect(error?.message.hasPrefix(says) == true, "\(String(describing: error))")
        }
    }

    @Test func `keep a missing token from being a silent half of a sync`() throws {
        var secrets = secrets
        secrets["token"] = nil
        let error = failure {
            _ = try AppSync(server, config, secrets: secrets, schema: Self.schema)
        }
        #expect(error?.kind == .auth)
        #expect(error?.message.contains("token") == true)
    }
}
