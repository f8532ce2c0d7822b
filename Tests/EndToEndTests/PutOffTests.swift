import JSON
import Platform
import ServerHarness
import Testing

@Suite(.serialized, .timeLimit(.minutes(15))) struct `A backend that asks to be left alone` {
    /// A workspace with a change that was put off for an hour.
    private func putOff(status: Int64 = 429) throws -> GraphQLPair {
        let pair = try GraphQLPair()
        try pair.server.fault(
            "status",
            ["status": .int(status), "retry_after": 3_600, "kind": "mutation", "count": 100])
        try pair.output("a", "create Post id=p1 title=one")
        return pair
    }

    /// Such as 17:03:12.
    private func hasTime(_ text: String) -> Bool {
        let digits = text.map { $0.isNumber ? "9" : String($0) }.joined()
        return digits.contains("99:99:99")
    }

    @Test(arguments: [429, 503] as [Int64])
    func `is told of by a sync: why, and until when`(_ status: Int64) throws {
        let pair = try putOff(status: status)
        for _ in 1...2 {
            let run = try pair.run("a", "sync -o json")
            #expect(run.code == 3, "\(run)")
            #expect(run.errors.contains("asked to wait until"), "\(run)")
            #expect(run.errors.contains("status \(status)"), "\(run)")
            #expect(hasTime(run.errors), "\(run)")
        }
        #expect(try pair.server.journal("createPost").count == 1)
    }

    @Test func `is told of by status and queue`() throws {
        let pair = try putOff()
        _ = try pair.run("a", "sync")
        let status = try pair.json("a", "status")
        let time = try #require(status["next_attempt_at"]?.text)
        #expect(status["wait_reason"]?.text?.contains("status 429") == true)
        let queued = try pair.json("a", "queue").elements?.first
        #expect(queued?["next_attempt_at"]?.text == time)
        #expect(queued?["error"] == .null)
        let listed = try pair.run("a", "queue")
        #expect(listed.output.contains("waits until") && hasTime(listed.output), "\(listed)")
        // What was queued since waits as well.
        let written = try pair.run("a", "create Post id=p2 title=two --deliver")
        #expect(written.code == 3, "\(written)")
        #expect(written.errors.contains("waits until") && hasTime(written.errors), "\(written)")
        #expect(try pair.json("b", "status")["next_attempt_at"] == .null)
    }

    @Test func `is told of by a pull, which fails`() throws {
        let pair = try GraphQLPair()
        try pair.server.fault(
            "status", ["status": 429, "retry_after": 3_600, "operation": "syncPosts"])
        let run = try pair.run("a", "sync")
        #expect(run.code == 6, "\(run)")
        #expect(run.errors.contains("asked to wait until") && hasTime(run.errors), "\(run)")
    }

    @Test func `is told of once by a watch that syncs`() throws {
        let pair = try putOff()
        let watch = try pair.home.start(
            "/bin/bash", ["-c", "exec satchel watch Post --sync -o ndjson"], in: "a")
        while try !watch.complained.contains("asked to wait until"), !watch.isOver {
            _ = try Mailbox<Void>().take(within: 20)
        }
        try pair.output("a", "create Post id=p2 title=two")
        while try !watch.printed.contains("p2"), !watch.isOver {
            _ = try Mailbox<Void>().take(within: 20)
        }
        watch.signal(15)
        let ended = try watch.wait()
        #expect(ended.errors.split(separator: "asked to wait until").count == 2, "\(ended)")
        #expect(ended.errors.contains("warning: the backend"), "\(ended)")
    }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `A delivery that leaves something` {
    @Test func `sends a change that became part of an earlier one`() throws {
        let pair = try GraphQLPair()
        try pair.output("a", "create Post id=p1 title=one")
        try pair.output("a", "create Post id=other title=other")
        let run = try pair.run("a", "update Post p1 title=two --deliver")
        #expect(run.code == 0, "\(run)")
        #expect(try pair.json("a", "get Post p1 --remote")["title"] == "two")
        // What has nothing to do with it waits for a sync.
        let left = try pair.json("a", "queue").elements ?? []
        #expect(left.map { $0["id"] } == ["other"])
    }

    @Test func `says for which other change one waits`() throws {
        let pair = try GraphQLPair()
        try pair.output("a", "create Post id=p1 title=one")
        let run = try pair.run("a", "create Comment content=hi post=p1 --deliver")
        #expect(run.code == 3, "\(run)")
        #expect(run.errors.contains("waits for 1, create of Post p1 (queued)"), "\(run)")
        #expect(run.errors.contains("satchel queue show 2"), "\(run)")
    }

    @Test func `says how a refused delete is repaired, and what went before it`() throws {
        let pair = try GraphQLPair()
        try pair.output("a", "create Post id=p1 title=one")
        try pair.output("a", "create Comment id=c1 content=hi post=p1")
        try pair.output("a", "sync")
        try pair.server.fault("denied", ["operation": "deletePost"])
        let run = try pair.run("a", "delete Post p1 --yes --deliver")
        #expect(run.code == 3, "\(run)")
        #expect(run.errors.contains("refused: delete of Post p1"), "\(run)")
        #expect(run.errors.contains("queue retry"), "\(run)")
        #expect(!run.errors.contains("queue edit"), "\(run)")
        #expect(run.errors.contains("was deleted before: 1 Comment record"), "\(run)")
        #expect(try pair.run("a", "get Post p1").code == 0)
        let place = try #require(try pair.json("a", "queue").elements?.first?["seq"]?.integer)
        try pair.output("a", "queue retry \(place) --deliver")
        #expect(try pair.json("a", "queue").elements?.isEmpty == true)
        #expect(try pair.run("a", "get Post p1").code == 1)
    }
}
