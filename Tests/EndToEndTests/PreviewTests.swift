import JSON
import Testing

@Suite struct `A dry run` {
    static let lines = [
        "create Post title=x", "update Post ID title=y",
        "update Post where 'rating = 1' set title=z",
        "delete Post ID", "queue edit 1 title=q", "queue retry all", "queue drop all", "undo",
        "config set contexts.default.sync manual", "context use default", "sync",
        "context add other --backend folder --set path=../x", "sync pull",
    ]

    @Test(arguments: lines) func `changes nothing`(_ line: String) throws {
        let pair = try SharedFolder()
        let id = try pair.output("a", "create Post title=one rating=1 -o id")
        let state = {
            try pair.output("a", "export") + (try pair.output("a", "queue list -o json"))
                + (try pair.home.read("a/satchel.json"))
        }
        let before = try state()
        let ended = try pair.run("a", line.replacing("ID", with: id) + " --dry-run")
        #expect(ended.code == 0, "\(ended)")
        #expect(try state() == before, "\(line)")
    }
}

@Suite struct `Writing` {
    @Test func `changes a part of a nested value and keeps the rest`() throws {
        let home = try SatchelHome()
        try home.write(
            "schema.graphql",
            "type Address { city: String! zip: Int }\n"
                + "type Author @model { name: String! address: Address }\n")
        _ = try home.satchel("init", ".", "--schema", "schema.graphql")
        let made = try home.satchel(
            "create", "Author", "name=A", "address:={\"city\":\"Oslo\",\"zip\":7}", "-o", "id")
        let id = try #require(made.lines.first)
        #expect(try home.satchel("update", "Author", id, "address.zip=9").code == 0)
        let author = try home.satchel("get", "Author", id, "-o", "json").json()
        #expect(author["address"] == ["city": "Oslo", "zip": 9])
    }

    @Test func `takes the beginning of an id for a relation`() throws {
        let pair = try SharedFolder()
        let post = try pair.output("a", "create Post title=one -o id")
        let comment = try pair.output("a", "create Comment text=hi post=\(post.prefix(30)) -o id")
        let found = try pair.json("a", "list Comment where 'post.title = one'")
        #expect(found.elements?.first?["id"] == .string(comment))
    }
}

@Suite struct `A script that sources another` {
    @Test func `stops when that one fails`() throws {
        let pair = try SharedFolder()
        try pair.home.write("a/inner.satchel", "create Post title=in\nlist Pots\n")
        let ended = try pair.home.satchel(
            in: "a", input: "source inner.satchel\ncreate Post title=after\n")
        #expect(ended.code == 2, "\(ended)")
        #expect(ended.errors.contains("inner.satchel:2:"), "\(ended)")
        #expect(try pair.json("a", "count Post")["count"] == 1)
    }
}

@Suite struct `Resolving a conflict of several fields` {
    @Test func `wants a word on each of them`() throws {
        let pair = try SharedFolder()
        let id = try pair.output("a", "create Post title=one rating=1 -o id")
        for workspace in ["a", "b"] { try pair.output(workspace, "sync") }
        try pair.output("a", "update Post \(id) title=A rating=2")
        try pair.output("b", "update Post \(id) title=B rating=3")
        try pair.output("a", "sync")
        #expect(try pair.run("b", "sync").code == 5)
        let half = try pair.run("b", "conflicts resolve Post \(id) title=C")
        #expect(half.code == 1, "\(half)")
        #expect(half.errors.contains("rating"), "\(half)")
        try pair.output("b", "conflicts resolve Post \(id) title=C rating=4")
        #expect(try pair.json("b", "conflicts") == [])
    }

    @Test func `counts as delivered only what was taken`() throws {
        let pair = try SharedFolder()
        let id = try pair.output("a", "create Post title=one -o id")
        for workspace in ["a", "b"] { try pair.output(workspace, "sync") }
        try pair.output("a", "update Post \(id) title=A")
        try pair.output("b", "update Post \(id) title=B")
        try pair.output("a", "sync")
        let met = try pair.run("b", "sync -o json")
        #expect(try JSONValue.parse(met.output)["pushed"] == 0, "\(met)")
    }
}
