import JSON
import Testing

@Suite struct `Two workspaces on one folder` {
    let pair: SharedFolder
    let id: String

    init() throws {
        pair = try SharedFolder()
        id = try pair.output("a", "create Post title=one rating:=1 -o id")
        try pair.output("a", "sync")
        try pair.output("b", "sync")
    }

    @Test func `see the same records`() throws {
        #expect(try pair.output("a", "export") == (try pair.output("b", "export")))
        #expect(try pair.json("b", "get Post \(id)")["title"] == "one")
    }

    @Test func `keep a number that no double holds, as value and as id`() throws {
        let exact = "9007199254740993"
        try pair.output("a", "create Post id=\(exact) title=x rating=\(exact)")
        let file = try pair.home.write(
            "posts.ndjson", "{\"id\":\"\(exact)0\",\"title\":\"y\",\"rating\":\(exact)}\n")
        try pair.output("a", "import Post '\(file)'")
        try pair.output("a", "sync")
        try pair.output("b", "sync")
        for workspace in ["a", "b"] {
            let found = try pair.output(
                workspace, "list Post --where 'rating = \(exact)' sort id -o ndjson")
            #expect(found.split(separator: "\n").count == 2)
            #expect(found.contains("\"rating\":\(exact),"), "\(found)")
            #expect(try pair.output(workspace, "get Post \(exact) -o id") == exact)
            #expect(
                try pair.output(workspace, "count Post --where 'rating = 9007199254740992'") == "0")
            #expect(try pair.output(workspace, "export").contains(exact))
        }
    }

    @Test func `keep both edits of different fields`() throws {
        try pair.output("a", "update Post \(id) title=two")
        try pair.output("b", "update Post \(id) rating=9")
        for workspace in ["a", "b", "a"] { try pair.output(workspace, "sync") }
        for workspace in ["a", "b"] {
            let post = try pair.json(workspace, "get Post \(id)")
            #expect(post["title"] == "two")
            #expect(post["rating"] == 9)
        }
    }

    @Test(arguments: [("--local", "from b"), ("--remote", "from a"), ("title=third", "third")])
    func `list a field that both changed until it is resolved`(
        _ choice: String, _ expected: String
    ) throws {
        try pair.output("a", "update Post \(id) title='from a'")
        try pair.output("b", "update Post \(id) title='from b'")
        try pair.output("a", "sync")
        let met = try pair.run("b", "sync -o json")
        #expect(met.code == 5, "\(met)")
        let listed = try pair.json("b", "conflicts list")
        #expect(
            listed == [
                [
                    "model": "Post", "id": .string(id), "kind": "field",
                    "fields": [
                        [
                            "field": "title", "base": "one", "local": "from b",
                            "remote": "from a",
                        ]
                    ], "reason": "both sides changed title",
                ]
            ])
        #expect(try pair.json("b", "get Post \(id)")["title"] == "from b")
        try pair.output("b", "conflicts resolve Post \(id) \(choice)")
        try pair.output("b", "sync")
        try pair.output("a", "sync")
        #expect(try pair.json("b", "conflicts list") == [])
        for workspace in ["a", "b"] {
            let title = try pair.json(workspace, "get Post \(id)")["title"]
            #expect(title == .string(expected))
        }
    }

    @Test func `keep an edit of a record that was deleted elsewhere`() throws {
        try pair.output("a", "delete Post \(id)")
        try pair.output("b", "update Post \(id) rating=3")
        try pair.output("a", "sync")
        #expect(try pair.run("b", "sync").code == 5)
        let kept = try pair.json("b", "get Post \(id) --meta")
        #expect(kept["rating"] == 3)
        #expect(kept["_state"] == "conflict")
        #expect(try pair.json("b", "conflicts").elements?.first?["kind"] == "edit-delete")
        try pair.output("b", "conflicts resolve Post \(id) --local")
        try pair.output("b", "sync")
        try pair.output("a", "sync")
        #expect(try pair.json("a", "get Post \(id)")["rating"] == 3)
    }

    @Test func `bring back a record deleted here and edited elsewhere`() throws {
        try pair.output("a", "update Post \(id) rating=3")
        try pair.output("b", "delete Post \(id)")
        try pair.output("a", "sync")
        #expect(try pair.run("b", "sync").code == 5)
        #expect(try pair.json("b", "get Post \(id)")["rating"] == 3)
        #expect(try pair.json("b", "conflicts").elements?.first?["kind"] == "delete-edit")
        try pair.output("b", "conflicts resolve Post \(id) --local")
        try pair.output("b", "sync")
        try pair.output("a", "sync")
        #expect(try pair.run("a", "get Post \(id)").code == 1)
    }

    @Test func `delete children with their parent, everywhere`() throws {
        try pair.output("a", "create Comment text=hi post=\(id)")
        try pair.output("a", "sync")
        try pair.output("b", "sync")
        let asked = try pair.run("b", "delete Post \(id)")
        #expect(asked.code == 9, "\(asked)")
        try pair.output("b", "delete Post \(id) --yes")
        try pair.output("b", "sync")
        try pair.output("a", "sync")
        #expect(try pair.json("a", "count Comment")["count"] == 0)
        #expect(try pair.json("a", "count Post")["count"] == 0)
    }
}

@Suite struct `A write the folder refuses` {
    @Test func `is rolled back, kept with its reason, and goes through once repaired`() throws {
        let pair = try SharedFolder()
        let id = try pair.output("a", "create Post title=short -o id")
        try pair.output("a", "sync")
        try pair.home.write("remote/rules.json", #"{"Post":{"title":{"max_length":5}}}"#)
        try pair.output("a", "update Post \(id) title='far too long'")
        let other = try pair.output("a", "create Post title=fine -o id")
        let refused = try pair.run("a", "sync -o json")
        #expect(refused.code == 3, "\(refused)")
        #expect(refused.errors.contains("queue edit"), "\(refused)")
        #expect(try pair.json("a", "get Post \(id)")["title"] == "short")
        let queue = try pair.json("a", "queue list")
        #expect(queue.elements?.count == 1, "one refused record does not hold up the others")
        #expect(queue.elements?.first?["state"] == "rejected")
        #expect(queue.elements?.first?["error"]?["kind"] == "rule")
        #expect(queue.elements?.first?["error"]?["field"] == "title")
        let seq = try pair.output("a", "queue list -o id")
        try pair.output("a", "queue edit \(seq) title=ok")
        try pair.output("a", "queue retry \(seq)")
        try pair.output("a", "sync")
        try pair.output("b", "sync")
        #expect(try pair.json("b", "get Post \(id)")["title"] == "ok")
        #expect(try pair.json("b", "get Post \(other)")["title"] == "fine")
    }
}
