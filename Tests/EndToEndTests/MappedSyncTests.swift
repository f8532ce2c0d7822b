import Glibc
import JSON
import Platform
import ServerHarness
import Testing

@Suite(.serialized, .timeLimit(.minutes(15))) struct `Workspaces on any other GraphQL API` {
    static let shapes = ["strawberry", "hasura", "postgraphile"]

    @Test(arguments: shapes) func `see each other's records, edits and deletions`(
        _ shape: String
    ) throws {
        let pair = try MappedPair(shape)
        let id = try pair.output("a", "create Post title=one rating:=1 -o id")
        try pair.expectEqual()
        #expect(try pair.json("b", "get Post \(id)")["title"] == "one")
        try pair.output("a", "update Post \(id) title=two rating:=null")
        try pair.expectEqual()
        try pair.output("b", "update Post \(id) body=long")
        try pair.output("b", "create Comment content=hi post=\(id)")
        try pair.expectEqual()
        let post = try pair.json("a", "get Post \(id)")
        #expect(post["title"] == "two" && post["rating"] == .null && post["body"] == "long")
        let comment = try pair.json("a", "list Comment").elements?.first
        #expect(comment?["postId"] == .string(id))
        try pair.output("b", "delete Comment where 'content = \"hi\"' --yes")
        try pair.output("b", "delete Post \(id) --yes")
        try pair.expectEqual()
        #expect(try pair.json("a", "count Post")["count"] == 0)
        #expect(try pair.json("a", "count Comment")["count"] == 0)
    }

    @Test(arguments: shapes) func `roll a refusal back, and keep it with its reason`(
        _ shape: String
    ) throws {
        let pair = try MappedPair(shape)
        let id = try pair.output("a", "create Post title=one -o id")
        try pair.output("a", "sync")
        let long = String(repeating: "x", count: 81)
        try pair.output("a", "update Post \(id) title=\(long)")
        #expect(try pair.run("a", "sync").code == 3)
        #expect(try pair.json("a", "get Post \(id)")["title"] == "one")
        let kept = try pair.json("a", "queue").elements?.first
        #expect(kept?["state"] == "rejected")
        #expect(kept?["error"]?["message"]?.text?.contains("title_length") == true)
        let place = try #require(kept?["seq"]?.integer)
        try pair.output("a", "queue edit \(place) title=short")
        try pair.output("a", "queue retry \(place)")
        try pair.expectEqual()
        #expect(try pair.json("b", "get Post \(id)")["title"] == "short")
    }

    @Test(arguments: shapes) func `list what both changed, whoever comes second`(
        _ shape: String
    ) throws {
        let pair = try MappedPair(shape)
        let id = try pair.output("a", "create Post title=one -o id")
        try pair.expectEqual()
        try pair.output("a", "update Post \(id) title=ours")
        try pair.output("b", "update Post \(id) title=theirs")
        try pair.output("a", "sync")
        #expect(try pair.run("b", "sync").code == 5)
        let listed = try pair.json("b", "conflicts list").elements?.first
        #expect(listed?["fields"]?.elements?.first?["remote"] == "ours")
        try pair.output("b", "conflicts resolve Post \(id) --local")
        try pair.expectEqual()
        #expect(try pair.json("a", "get Post \(id)")["title"] == "theirs")
    }

    @Test(arguments: shapes) func `deliver each write once when answers are lost`(
        _ shape: String
    ) throws {
        let pair = try MappedPair(shape)
        let id = try pair.output("a", "create Post title=one -o id")
        for line in ["", "update Post \(id) title=two", "delete Post \(id) --yes"] {
            if !line.isEmpty { try pair.output("a", line) }
            try pair.server.fault("cut_after", "mutation")
            _ = try pair.run("a", "sync")
            try pair.output("a", "sync")
        }
        #expect(try pair.server.effects("posts", id).count == 3)
        #expect(try pair.json("a", "queue").elements?.isEmpty == true)
    }

    /// Shapes and how they are listened to.
    static let lives: [(shape: String, mapping: JSONValue)] = [
        ("strawberry", ["live": "sse"]),
        (
            "postgraphile",
            [
                "live": "sse",
                "models": [
                    "Post": [
                        "subscribe": [
                            "query": "subscription { listen(topic: \"posts\") { relatedNodeId } }",
                            "tells": "anything",
                        ]
                    ]
                ],
            ]
        ),
        ("strawberry", ["live": "websocket"]),
        ("hasura", [:]),
    ]

    @Test(arguments: lives) func `follow another client's create, update and delete`(
        _ live: (shape: String, mapping: JSONValue)
    ) throws {
        let pair = try MappedPair(live.shape, live.mapping)
        let watch = try pair.home.start(
            "/bin/bash", ["-c", "exec satchel watch Post --sync -o ndjson"], in: "a")
        let id = try pair.output("b", "create Post title=new -o id")
        try pair.output("b", "sync")
        try expect(watch, prints: "\"new\"")
        try pair.output("b", "update Post \(id) title=newer")
        try pair.output("b", "sync")
        try expect(watch, prints: "\"newer\"")
        // A line that breaks is a gap: what is written meanwhile comes with the next one.
        try pair.server.control(["command": "drop"])
        try pair.output("b", "delete Post \(id) --yes")
        try pair.output("b", "sync")
        try expect(watch, prints: "\"delete\"")
        watch.signal(SIGTERM)
        let ended = try watch.wait()
        #expect(ended.code == 0, "\(ended)")
    }

    private func expect(_ program: RunningProgram, prints text: String) throws {
        while try !program.printed.contains(text) {
            guard kill(program.pid, 0) == 0 else {
                Issue.record("it ended before it printed \(text): \(try program.complained)")
                return
            }
            _ = Poll.wait(reading: [], milliseconds: 20)
        }
    }
}

@Suite(.serialized, .timeLimit(.minutes(15)))
struct `The conformance kit on any other GraphQL API` {
    @Test(arguments: ["hasura", "postgraphile"]) func `finds nothing`(_ shape: String) throws {
        let home = try SatchelHome()
        let server = try GenericServer(shape)
        let program = Path.join(try SatchelHome.programs(), "satchel-backend-graphql")
        let run = try home.satchel(
            "plugin", "test", program, "--level", "sync", "--set", "url=\(server.url)", "--set",
            "mapping=\(shape)", "--set", "overlap_ms=0")
        #expect(run.code == 0, "\(run)")
        #expect(!run.output.contains("FAILED"), "\(run)")
    }
}
