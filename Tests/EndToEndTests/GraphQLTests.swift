import JSON
import Platform
import ServerHarness
import Testing

@Suite(.serialized, .timeLimit(.minutes(15))) struct `Workspaces on an AppSync API` {
    @Test(arguments: ["on", "off"])
    func `see each other's records, edits and deletions`(_ detection: String) throws {
        let pair = try GraphQLPair("--conflict-detection", detection)
        let id = try pair.output("a", "create Post title=one rating:=1 -o id")
        try pair.expectEqual()
        #expect(try pair.json("b", "get Post \(id)")["title"] == "one")
        try pair.output("a", "update Post \(id) title=two rating:=null")
        try pair.output("b", "update Post \(id) 'labels:=[\"x\"]'")
        try pair.expectEqual()
        let post = try pair.json("a", "get Post \(id)")
        #expect(post["title"] == "two")
        #expect(post["rating"] == .null)
        #expect(post["labels"] == ["x"])
        let comment = try pair.output("b", "create Comment content=hi post=\(id) -o id")
        try pair.expectEqual()
        #expect(try pair.json("a", "get Comment \(comment)")["content"] == "hi")
        try pair.output("b", "delete Post \(id) --yes")
        try pair.expectEqual()
        #expect(try pair.run("a", "get Post \(id)").code == 1)
        #expect(try pair.json("a", "count Comment")["count"] == 0)
    }

    @Test(arguments: ["on", "off"])
    func `list what both changed, whoever comes second`(_ detection: String) throws {
        let pair = try GraphQLPair("--conflict-detection", detection)
        let id = try pair.output("a", "create Post title=one -o id")
        try pair.expectEqual()
        try pair.output("a", "update Post \(id) title=ours")
        try pair.output("b", "update Post \(id) title=theirs")
        try pair.output("a", "sync")
        let met = try pair.run("b", "sync")
        #expect(met.code == 5, "\(met)")
        let listed = try pair.json("b", "conflicts list").elements?.first
        #expect(listed?["fields"]?.elements?.first?["remote"] == "ours")
        try pair.output("b", "conflicts resolve Post \(id) --local")
        try pair.expectEqual()
        #expect(try pair.json("a", "get Post \(id)")["title"] == "theirs")
    }

    @Test(arguments: ["on", "off"])
    func `deliver each write once when answers are lost`(_ detection: String) throws {
        let pair = try GraphQLPair("--conflict-detection", detection)
        let id = try pair.output("a", "create Post title=one 'labels:=[\"a\"]' -o id")
        try pair.server.fault("cut_after", ["operation": "createPost"])
        _ = try pair.run("a", "sync")
        try pair.output("a", "sync")
        try pair.output("a", "update Post \(id) 'labels+=b'")
        try pair.server.fault("cut_after", ["operation": "updatePost"])
        _ = try pair.run("a", "sync")
        try pair.output("a", "sync")
        try pair.output("a", "delete Post \(id) --yes")
        try pair.server.fault("cut_after", ["operation": "deletePost"])
        _ = try pair.run("a", "sync")
        try pair.output("a", "sync")
        #expect(try pair.server.effects("Post", .string(id)).count == 3)
        #expect(try pair.json("a", "queue").elements?.isEmpty == true)
    }

    @Test func `roll a refusal back, and keep it with its reason`() throws {
        let pair = try GraphQLPair()
        let id = try pair.output("a", "create Post title=one -o id")
        try pair.output("a", "sync")
        try pair.output("a", "update Post \(id) title=two")
        try pair.server.fault("denied", ["operation": "updatePost"])
        #expect(try pair.run("a", "sync").code == 3)
        #expect(try pair.json("a", "get Post \(id)")["title"] == "one")
        let kept = try pair.json("a", "queue").elements?.first
        #expect(kept?["state"] == "rejected")
        let place = try #require(kept?["seq"]?.integer)
        try pair.output("a", "queue retry \(place)")
        try pair.output("a", "sync")
        #expect(try pair.json("a", "get Post \(id)")["title"] == "two")
    }

    @Test func `keep the queue while nobody is logged in`() throws {
        let pair = try GraphQLPair()
        for number in 1...3 { try pair.output("a", "create Post title=t\(number)") }
        try pair.server.control(["command": "api_keys", "keys": ["da2-new"]])
        #expect(try pair.run("a", "sync").code == 4)
        #expect(try pair.json("a", "queue").elements?.count == 3)
        let login = try pair.home.satchel("auth", "login", in: "a", input: "da2-new\n")
        #expect(login.code == 0, "\(login)")
        try pair.output("a", "sync")
        #expect(try pair.json("a", "queue").elements?.isEmpty == true)
    }

    @Test func `pull again in full what was deleted past the API`() throws {
        let pair = try GraphQLPair()
        let id = try pair.output("a", "create Post title=one -o id")
        try pair.output("a", "create Post title=two")
        try pair.output("a", "sync")
        try pair.server.control(["command": "remove", "model": "Post", "key": [.string(id)]])
        try pair.output("a", "sync")
        #expect(try pair.json("a", "count Post")["count"] == 2)
        try pair.output("a", "sync --full")
        #expect(try pair.json("a", "count Post")["count"] == 1)
    }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `The conformance kit on an AppSync API` {
    static let kinds = [
        ["--conflict-detection", "on"], ["--strategy", "OPTIMISTIC_CONCURRENCY"],
        ["--conflict-detection", "off"],
    ]

    @Test(arguments: kinds) func `finds nothing`(_ options: [String]) throws {
        let home = try SatchelHome()
        let server = try AppSyncServer(options: options, schema: GraphQLPair.schemaFile)
        let program = Path.join(try SatchelHome.programs(), "satchel-backend-graphql")
        let run = try home.satchel(
            "plugin", "test", program, "--level", "sync", "--set", "url=\(server.url)", "--set",
            "auth=api_key", "--set", "overlap_ms=0", input: AppSyncServer.apiKey + "\n")
        #expect(run.code == 0, "\(run)")
        #expect(!run.output.contains("FAILED"), "\(run)")
        #expect(!run.output.contains(AppSyncServer.apiKey))
    }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `An Amplify project` {
    @Test func `becomes a workspace, its key a secret`() throws {
        let home = try SatchelHome()
        let outputs = Path.join(AppSyncServer.fixtures, "amplify_outputs.json")
        let run = try home.satchel("init", "notes", "--amplify", outputs)
        #expect(run.code == 0, "\(run)")
        let written = try home.read("notes/satchel.json")
        #expect(written.contains("https://example.com/graphql"))
        #expect(!written.contains("da2-"))
        let status = try home.satchel("auth", "status", "-o", "json", in: "notes")
        #expect(try status.json().elements?.first?["present"] == true, "\(status)")
        #expect(try home.satchel("list", "Post", in: "notes").code == 0)
        #expect(
            try home.satchel("config", "get", "contexts.default.config.auth", in: "notes").output
                == "api_key\n")
    }

    @Test func `of the first generation takes the schema beside it`() throws {
        let home = try SatchelHome()
        let file = Path.join(AppSyncServer.fixtures, "amplifyconfiguration.json")
        try home.write(
            "app/amplifyconfiguration.json", String(decoding: try Files.read(file), as: UTF8.self))
        let without = try home.satchel("init", "x", "--amplify", "app")
        #expect(without.code == 1)
        #expect(without.errors.contains("schema pull"))
        let schema = String(decoding: try Files.read(GraphQLPair.schemaFile), as: UTF8.self)
        try home.write("app/amplify/backend/api/notes/schema.graphql", schema)
        let run = try home.satchel("init", "x", "--amplify", "app")
        #expect(run.code == 0, "\(run)")
        #expect(try home.read("x/schema.graphql") == schema)
        #expect(try home.read("x/satchel.json").contains("us-east-1"))
    }
}
