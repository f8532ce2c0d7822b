import JSON
import PluginKit
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.timeLimit(.minutes(15))) struct `Live changes` {
    @Test(arguments: ["on", "off"])
    func `tell of another client's create, update and delete`(_ detection: String) throws {
        let listener = try Listener("--conflict-detection", detection)
        #expect(listener.api.welcome.capabilities.sendsEvents)
        try listener.subscribe()
        try listener.wait(["subscriptions": 24])
        let isVersioned = detection == "on"
        let all = isVersioned ? "id title _version _deleted _lastChangedAt" : "id title updatedAt"
        try listener.server.make("p1", selecting: all)
        let made = try listener.hear { $0.ids == ["p1"] }
        guard case .event("Post", "p1", let first?, false) = made.of("p1").first else {
            Issue.record("\(made)")
            return
        }
        #expect(!isVersioned || first == 1)
        #expect(try listener.api.fetch("Post", "p1").first?["version"] == first)
        let base: JSONValue = isVersioned ? ["id": "p1", "_version": 1] : ["id": "p1"]
        var changed = base.members ?? JSONObject()
        changed["title"] = "two"
        try listener.server.write("update", .object(changed), selecting: all)
        try listener.hear { $0.ids == ["p1"] }
        let again: JSONValue = isVersioned ? ["id": "p1", "_version": 2] : ["id": "p1"]
        try listener.server.write("delete", again, selecting: all)
        let gone = try listener.hear { $0.ids == ["p1"] }
        guard case .event(_, _, _, true) = gone.of("p1").first else {
            Issue.record("\(gone)")
            return
        }
    }

    @Test(
        arguments: ["api_key", "user_pools", "oidc", "lambda", "iam"],
        ["subprotocol", "query", "headers"])
    func `are authorised in every way that there is`(_ auth: String, _ way: String) throws {
        let modes = ["api_key": "apiKey", "user_pools": "userPools", "lambda": "function"]
        let mode = modes[auth] ?? auth
        let server = try AppSyncServer("--auth", mode == "apiKey" ? mode : "\(mode),apiKey")
        var secrets = JSONObject([("api_key", .string(AppSyncServer.apiKey))])
        var config = JSONObject([("auth", .string(auth)), ("realtime_auth", .string(way))])
        switch auth {
        case "user_pools", "oidc":
            secrets["token"] = try server.control([
                "command": "mint", "user": "alice", "mode": .string(mode),
            ])["token"]
        case "lambda":
            try server.control(["command": "lambda_token", "token": "let-me-in"])
            secrets["token"] = "let-me-in"
        case "iam":
            try server.control([
                "command": "credentials", "access_key": "AKIATEST", "secret_key": "s3cret/+",
                "session_token": "session==",
            ])
            secrets["access_key"] = "AKIATEST"
            secrets["secret_key"] = "s3cret/+"
            secrets["session_token"] = "session=="
            config["region"] = "us-east-1"
        default: break
        }
        let listener = try Listener(server, config, secrets: secrets)
        try listener.subscribe("Tag")
        try listener.wait(["subscriptions": 3])
        let sockets = try server.control(["command": "sockets"])["sockets"]?.elements ?? []
        #expect(sockets.map { $0["mode"]?.text } == [mode])
        #expect(sockets.first?["protocol"] == "graphql-ws")
        #expect(sockets.first?["way"] == .string(way))
    }

    @Test func `use as many connections as their number needs`() throws {
        let server = try AppSyncServer("--set", "max_subscriptions=5")
        let listener = try Listener(server)
        try listener.subscribe()
        try listener.wait(["subscriptions": 24, "open_sockets": 5])
        try server.make("p1")
        try listener.hear { $0.ids.contains("p1") }
        let query = "mutation { createTag(input: {id: \"t1\", label: \"x\"}) { id _version } }"
        try server.execute(query)
        try listener.hear { $0.ids.contains("t1") }
    }

    @Test func `tell an owner of what is theirs, where the API must be told whom`() throws {
        let server = try AppSyncServer(
            "--auth", "userPools,apiKey", "--owner-argument", "required")
        let token = try server.control(["command": "mint", "user": "alice", "mode": "userPools"])
        let listener = try Listener(
            server, JSONObject([("auth", "user_pools")]),
            secrets: JSONObject([("token", token["token"] ?? .null)]))
        try listener.subscribe("Note")
        try listener.wait(["subscriptions": 3])
        let started = try server.journal("onCreateNote").last
        #expect(started?["variables"]?["owner"]?.text?.contains("alice") == true)
        let note = PluginOperation.create("n1", model: "Note", title: nil, ["text": "hello"])
        try listener.api.push(note)
        try listener.hear { $0.ids == ["n1"] }
    }

    @Test func `of creates only bring those that match, where the server can tell`() throws {
        let listener = try Listener()
        let filter: JSONValue = ["Post": ["field": "title", "op": "eq", "value": "wanted"]]
        try listener.subscribe("Post", filters: filter)
        try listener.wait(["subscriptions": 3])
        try listener.server.make("p1", title: "other")
        try listener.server.make("p2", title: "wanted")
        #expect(try listener.hear { $0.ids.contains("p2") }.ids == ["p2"])
        // A record may cease to match: that is never kept back.
        try listener.server.write(
            "update", ["id": "p2", "title": "other", "_version": 1],
            selecting: "id title _version _deleted _lastChangedAt")
        try listener.hear { $0.ids == ["p2"] }
    }

    @Test func `do without a filter that the server refuses`() throws {
        let one: JSONValue = ["field": "title", "op": "eq", "value": "wanted"]
        let other: JSONValue = ["field": "title", "op": "eq", "value": "as well"]
        let table: [([String], JSONValue)] = [
            (["--set", "max_filter_attributes=0"], one),
            (["--set", "max_filter_combinations=1"], ["or": [one, other]]),
            (["--subscription-filters", "off"], one),
        ]
        for (option, filter) in table {
            let server = try AppSyncServer(options: option)
            let listener = try Listener(
                server, JSONObject([("conflict_detection", "on")]))
            try listener.subscribe("Post", filters: ["Post": filter])
            try listener.wait(["subscriptions": 3])
            try server.make("p1", title: "other")
            try listener.hear { $0.ids == ["p1"] }
        }
    }

    @Test func `name a record that the writer told a part of, and bring none of its nulls`() throws
    {
        let listener = try Listener()
        try listener.subscribe("Post")
        try listener.wait(["subscriptions": 3])
        try listener.server.make("p1", ["rating": 5], selecting: "id _version")
        let told = try listener.hear { $0.ids == ["p1"] }
        #expect(told.of("p1") == [.event(model: "Post", id: "p1", version: 1, isDeleted: false)])
        // Without a version AppSync has nothing to tell but that there was something.
        try listener.server.make("p2", ["rating": 6], selecting: "id title")
        #expect(try listener.hear { $0.gaps > 0 }.ids.isEmpty)
        #expect(try listener.api.pull().records["p2"]?["rating"] == 6)
    }

    @Test func `of other models go on where one may not be listened to`() throws {
        let listener = try Listener()
        try listener.server.fault(
            "error", ["on": "start", "operation": "onCreatePost", "error_type": "Unauthorized"])
        try listener.subscribe()
        try listener.wait(["subscriptions": 23])
        try listener.hear { $0.logs.contains { $0.contains("no live changes of Post") } }
        try listener.server.execute(
            "mutation { createTag(input: {id: \"t1\", label: \"x\"}) { id _version } }")
        try listener.hear { $0.ids == ["t1"] }
    }

    @Test func `are no reason to send nothing: pushes go out while a connection fails`() throws {
        let listener = try Listener()
        try listener.server.fault("no_ack", ["on": "connect", "count": 1_000])
        try listener.subscribe("Post")
        try listener.api.make("p1")
        #expect(try listener.api.pull().ids == ["p1"])
    }
}
