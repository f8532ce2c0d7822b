import Glibc
import JSON
import Testing

@Suite struct `Two workspaces on one Kinto server` {
    let pair: KintoPair
    let id: String

    init() throws {
        pair = try KintoPair()
        id = try pair.output("a", "create Post title=one rating:=1 -o id")
        try pair.output("a", "sync")
        try pair.output("b", "sync")
    }

    @Test func `see each other's records, edits and deletions`() throws {
        #expect(try pair.json("b", "get Post \(id)")["title"] == "one")
        try pair.output("a", "update Post \(id) title=two rating:=null")
        try pair.output("b", "update Post \(id) status=LIVE 'tags:=[\"x\"]'")
        try pair.expectEqual()
        let post = try pair.json("b", "get Post \(id)")
        #expect(post["title"] == "two")
        #expect(post["rating"] == .null)
        #expect(post["status"] == "LIVE")
        let comment = try pair.output("b", "create Comment text=hi post=\(id) -o id")
        try pair.expectEqual()
        #expect(try pair.json("a", "get Comment \(comment)")["text"] == "hi")
        try pair.output("b", "delete Post \(id) --yes")
        try pair.expectEqual()
        #expect(try pair.run("a", "get Post \(id)").code == 1)
        #expect(try pair.json("a", "count Comment")["count"] == 0)
    }

    @Test func `list what both changed, whoever comes second`() throws {
        for (first, second) in [("a", "b"), ("b", "a")] {
            try pair.output(first, "update Post \(id) title='\(first) was first'")
            try pair.output(second, "update Post \(id) title='\(second) was second'")
            try pair.output(first, "sync")
            let met = try pair.run(second, "sync")
            #expect(met.code == 5, "\(met)")
            let listed = try pair.json(second, "conflicts list").elements?.first
            #expect(listed?["fields"]?.elements?.first?["remote"] == .string("\(first) was first"))
            try pair.output(second, "conflicts resolve Post \(id) --local")
            try pair.expectEqual()
            #expect(try pair.titles(first) == ["\(second) was second"])
        }
        try pair.output("a", "delete Post \(id)")
        try pair.output("b", "update Post \(id) rating=3")
        try pair.output("a", "sync")
        #expect(try pair.run("b", "sync").code == 5)
        try pair.output("b", "conflicts resolve Post \(id) --local")
        try pair.expectEqual()
        #expect(try pair.json("a", "get Post \(id)")["rating"] == 3)
        try pair.output("a", "update Post \(id) rating=4")
        try pair.output("b", "delete Post \(id)")
        try pair.output("a", "sync")
        #expect(try pair.run("b", "sync").code == 5)
        try pair.output("b", "conflicts resolve Post \(id) --local")
        try pair.expectEqual()
        #expect(try pair.run("a", "get Post \(id)").code == 1)
    }

    @Test func `bring more than the server takes or gives at a time`() throws {
        let lines = (1...150).map { "create Post title='post \($0)'" }
        let made = try pair.home.satchel(
            "--offline", in: "a", input: lines.joined(separator: "\n"))
        #expect(made.lines.count == 150, "\(made)")
        _ = try pair.server.requests()
        try pair.output("a", "sync")
        let batches = try pair.server.requests().filter { $0 == "POST /v1/batch" }
        #expect(batches.count >= 8, "the server takes 20 in a batch")
        try pair.output("b", "sync")
        #expect(try pair.server.requests().contains { $0.contains("_token=") })
        #expect(try pair.titles("b").count == 151)
        try pair.expectEqual()
    }

    @Test func `end equal through kills, outages and restarts`() throws {
        var expected = ["one"]
        let hold: JSONValue = ["path": "/v1/batch", "hang": true]
        for round in 1...3 {
            for workspace in ["a", "b"] {
                for number in 1...2 {
                    let title = "\(workspace) \(round).\(number)"
                    try pair.output(workspace, "create Post title='\(title)'")
                    expected.append(title)
                }
            }
            // Killed while the server has its changes, and has not answered yet.
            try pair.server.set(hold)
            let sync = try pair.startSync("a")
            try pair.server.met("POST /v1/batch")
            switch round {
            case 1: sync.signal(SIGKILL)
            case 2: try killPlugin(of: sync)
            default: try pair.server.restart()
            }
            try pair.server.tell("release")
            _ = try sync.wait()
            try pair.server.toggle()
            let refused = try pair.run("b", "sync")
            #expect(refused.code == 6, "\(refused)")
            try pair.server.toggle()
            try pair.expectEqual()
            #expect(try pair.titles("a") == expected.sorted())
            #expect(try pair.remoteTitles() == expected.sorted())
        }
    }

    /// Kills the backend that a `satchel` has started.
    private func killPlugin(of sync: RunningProgram) throws {
        let killed = try pair.home.shell(
            "kill -KILL $(cat /proc/\(sync.pid)/task/\(sync.pid)/children)")
        try #require(killed.code == 0, "\(killed)")
    }
}

@Suite struct `A Kinto server that forgets` {
    let pair: KintoPair

    init() throws {
        pair = try KintoPair()
        for title in ["one", "two", "three"] { try pair.output("a", "create Post title=\(title)") }
        try pair.output("a", "sync")
        try pair.output("b", "sync")
    }

    @Test(arguments: ["restart", "flush"])
    func `begins a new history, asks before all goes, and what waits to be delivered stays`(
        _ way: String
    ) throws {
        if way == "flush" { try pair.server.tell("flush") } else { try pair.server.restartEmpty() }
        try pair.output("a", "create Post title=new")
        for workspace in ["a", "b"] {
            let first = try pair.run(workspace, "sync")
            #expect(first.code == 9, "\(first)")
            #expect(first.errors.contains("is another one now"), "\(first)")
            #expect(first.errors.contains("satchel sync --accept-deletions"), "\(first)")
            #expect(try pair.titles(workspace).contains("two"))
            try pair.output(workspace, "sync --accept-deletions")
        }
        try pair.expectEqual()
        #expect(try pair.titles("b") == ["new"])
    }

    @Test func `does not hide deletions whose tombstones it threw away`() throws {
        let two = try pair.output("b", "list Post where 'title = two' -o id")
        try pair.output("b", "delete Post \(two)")
        try pair.output("b", "sync")
        try pair.server.tell("purge")
        let pull = try pair.run("a", "sync")
        #expect(pull.code == 0, "\(pull)")
        #expect(try pair.titles("a") == ["one", "three"])
        try pair.expectEqual()
    }

    @Test func `does not pass for an empty one where only the bucket is hidden`() throws {
        let account: JSONValue = ["data": ["password": "battery"]]
        let made = try pair.server.ask("PUT", "/accounts/bob", account, as: "")
        #expect(made["status"] == 201, "\(made)")
        try pair.output("b", "config set config.user bob")
        try pair.login("b", "battery")
        let sync = try pair.run("b", "sync")
        #expect(sync.code == 4, "\(sync)")
        #expect(sync.errors.contains("does not exist, or may not be used"), "\(sync)")
        #expect(try pair.titles("b").count == 3)
        // Who may only read is refused by rule, and keeps what was written.
        let grant: JSONValue = ["permissions": ["read": ["account:bob"]]]
        #expect(try pair.server.ask("PATCH", "/buckets/app", grant)["status"] == 200)
        try pair.output("b", "create Post title=mine")
        let refused = try pair.run("b", "sync")
        #expect(refused.code == 3, "\(refused)")
        let queue = try pair.json("b", "queue list")
        #expect(queue.elements?.first?["error"]?["kind"] == "permission")
    }
}
