import JSON
import Platform
import ServerHarness
import Testing

@Suite(.serialized, .timeLimit(.minutes(15))) struct `A watch of an AppSync API` {
    private func watch(_ pair: GraphQLPair, _ name: String) throws -> RunningProgram {
        try pair.home.start(
            "/bin/bash", ["-c", "exec satchel watch Post --sync -o ndjson"], in: name)
    }

    /// Waits until a program has printed an event about a title.
    private func wait(_ program: RunningProgram, for event: String, _ title: String) throws {
        let interval = try Mailbox<Void>()
        let end = Clock.system.monotonic() + 120_000
        while Clock.system.monotonic() < end {
            for line in try program.printed.split(separator: "\n") {
                guard let json = try? JSONValue.parse(String(line)) else { continue }
                let record = json["record"]
                if json["event"]?.text == event,
                    record?["title"]?.text ?? title == title
                {
                    return
                }
            }
            _ = interval.take(within: 20)
        }
        Issue.record("no \(event) of \(title): \(try program.printed) \(try program.complained)")
    }

    private func stop(_ programs: RunningProgram...) throws {
        for program in programs {
            program.signal(15)
            let ended = try program.wait()
            #expect(ended.code == 0, "\(ended)")
        }
    }

    private func subscribed(_ pair: GraphQLPair, _ count: Int64) throws {
        let wait: JSONValue = [
            "command": "wait", "subscriptions": .int(count), "timeout": 300,
        ]
        #expect(try pair.server.control(wait)["held"] == true)
    }

    @Test(arguments: ["on", "off"])
    func `follows what another client creates, updates and deletes`(_ detection: String) throws {
        let pair = try GraphQLPair("--conflict-detection", detection)
        let isVersioned = detection == "on"
        let all = "id title rating labels" + (isVersioned ? " _version _deleted" : " updatedAt")
        let watches = [try watch(pair, "a"), try watch(pair, "b")]
        try subscribed(pair, 12)
        try pair.server.execute(
            "mutation { createPost(input: {id: \"p1\", title: \"made\"}) { \(all) } }")
        for watch in watches { try wait(watch, for: "insert", "made") }
        let second = isVersioned ? ", _version: 1" : ""
        try pair.server.execute(
            "mutation { updatePost(input: {id: \"p1\", title: \"changed\"\(second)}) { \(all) } }")
        for watch in watches { try wait(watch, for: "update", "changed") }
        let third = isVersioned ? ", _version: 2" : ""
        try pair.server.execute(
            "mutation { deletePost(input: {id: \"p1\"\(third)}) { \(all) } }")
        for watch in watches { try wait(watch, for: "delete", "changed") }
        try stop(watches[0], watches[1])
    }

    @Test func `writes no nulls over what a writer did not tell`() throws {
        let pair = try GraphQLPair()
        let watching = try watch(pair, "a")
        try subscribed(pair, 6)
        try pair.server.execute(
            """
            mutation { createPost(input: {id: "p1", title: "whole", rating: 5}) { id title } }
            """)
        try wait(watching, for: "insert", "whole")
        #expect(try pair.json("a", "get Post p1")["rating"] == 5)
        try stop(watching)
    }

    @Test func `misses nothing while its connection is cut`() throws {
        let pair = try GraphQLPair()
        let watching = try watch(pair, "a")
        try subscribed(pair, 6)
        try pair.server.control(["command": "drop_sockets"])
        try pair.server.execute(
            "mutation { createPost(input: {id: \"p1\", title: \"unheard\"}) { id title _version } }"
        )
        try wait(watching, for: "insert", "unheard")
        try subscribed(pair, 6)
        try pair.server.execute(
            "mutation { createPost(input: {id: \"p2\", title: \"heard\"}) { id title _version } }")
        try wait(watching, for: "insert", "heard")
        try stop(watching)
    }

    static let refusals: [(fault: JSONValue, words: String)] = [
        (["on": "connect", "type": "refuse", "status": 404, "count": 100], "status 404"),
        (["on": "connect", "type": "refuse", "status": 403, "count": 100], "need a login"),
        (
            [
                "on": "start", "type": "error", "operation": "onCreatePost", "count": 100,
                "error_type": "Unauthorized", "message": "Not Authorized to access onCreatePost",
            ], "no live changes of Post"
        ),
    ]

    @Test(arguments: refusals) func `warns once where it may not listen, in a pipe too`(
        _ refusal: (fault: JSONValue, words: String)
    ) throws {
        let pair = try GraphQLPair()
        var command = refusal.fault.members ?? JSONObject()
        command["command"] = "fault"
        try pair.server.control(.object(command))
        let watching = try watch(pair, "a")
        let interval = try Mailbox<Void>()
        while try !watching.complained.contains(refusal.words), !watching.isOver {
            _ = interval.take(within: 20)
        }
        watching.signal(15)
        let ended = try watching.wait()
        let lines = ended.errors.split(separator: "\n").filter { $0.contains(refusal.words) }
        #expect(lines.count == 1, "\(ended)")
        #expect(lines.first?.hasPrefix("warning: graphql:") == true, "\(ended)")
    }

    @Test func `that began without a network follows once there is one`() throws {
        let pair = try GraphQLPair()
        try pair.server.fault("status", ["status": 503, "count": 3])
        let watching = try watch(pair, "a")
        try subscribed(pair, 6)
        try pair.server.execute(
            "mutation { createPost(input: {id: \"p1\", title: \"late\"}) { id title _version } }")
        try wait(watching, for: "insert", "late")
        try stop(watching)
    }
}
