import Glibc
import JSON
import Platform
import Testing

@Suite struct `Bad input` {
    /// A command line, its exit code, and words its message must hold.
    static let table: [(line: String, code: Int32, words: [String])] = [
        ("list Pots", 2, ["Pots", "did you mean \"Post\"?"]),
        ("list Post fields titel", 2, ["titel", "title"]),
        ("list Post where titel = x", 2, ["titel"]),
        ("create Post title=x status=LIFE", 2, ["LIFE", "LIVE"]),
        ("create Post title=x rating=12a", 2, ["rating", "12a"]),
        ("create Post rating=1", 2, ["title"]),
        ("create Post --data '{\"title\":'", 2, ["JSON"]),
        ("create Post --data '{\"title\":\"a\",\"title\":\"b\"}'", 2, ["title"]),
        ("create Post 'ti tle=x'", 2, ["--data"]),
        ("list Post -o xml", 2, ["xml", "json"]),
        ("list Post --lmit 3", 2, ["--lmit"]),
        ("get Post nosuch", 1, ["nosuch"]),
        ("queue show 99", 1, ["99"]),
        ("conflicts show Post nosuch", 1, ["nosuch"]),
        ("undo", 1, ["nothing to undo"]),
        ("list Post where rating", 2, ["did the shell take"]),
        ("delete Post where 'title = x' --no-input", 0, []),
        ("-w /nonexistent list Post", 1, ["/nonexistent"]),
        ("-c nosuch list Post", 2, ["nosuch"]),
        ("get Post $'\\xff'", 2, ["UTF-8"]),
    ]

    @Test(arguments: table.indices) func `has its own message and exit code`(_ index: Int) throws {
        let pair = try SharedFolder()
        let (line, code, words) = Self.table[index]
        let ended = try pair.run("a", line)
        #expect(ended.code == code, "\(line): \(ended)")
        for word in words { #expect(ended.errors.contains(word), "\(line): \(ended)") }
        if code != 0 { #expect(ended.output == "", "\(line): \(ended)") }
    }

    @Test func `comes as one line of JSON under the json formats`() throws {
        let pair = try SharedFolder()
        let ended = try pair.run("a", "get Post nosuch -o json")
        let error = try JSONValue.parse(ended.errors)
        #expect(error["error"]?.members?.keys == ["kind", "message", "command", "line", "hint"])
        #expect(error["error"]?["kind"] == "not-found")
    }

    @Test func `in a schema is named by line and column`() throws {
        let home = try SatchelHome()
        try home.write("bad.graphql", "type Post @model {\n  title: Strin\n}\n")
        let ended = try home.satchel("schema", "check", "bad.graphql")
        #expect(ended.code == 1, "\(ended)")
        #expect(ended.errors.contains("bad.graphql:2:10"), "\(ended)")
        #expect(ended.errors.contains("String"), "\(ended)")
    }

    @Test func `in a csv file is named by its line and imports nothing`() throws {
        let pair = try SharedFolder()
        var rows = ["title,rating"]
        for number in 2...5_000 { rows.append("post \(number),\(number == 4_021 ? "x" : "1")") }
        let file = try pair.home.write("posts.csv", rows.joined(separator: "\n"))
        let ended = try pair.run("a", "import Post '\(file)'")
        #expect(ended.code == 1, "\(ended)")
        #expect(ended.errors.contains("\(file):4021:"), "\(ended)")
        #expect(try pair.json("a", "count Post")["count"] == 0)
    }

    @Test func `of a full disk is an error`() throws {
        let pair = try SharedFolder()
        try pair.output("a", "create Post title=x")
        let ended = try pair.run("a", "list Post > /dev/full")
        #expect(ended.code == 1, "\(ended)")
        #expect(ended.errors.contains("No space left"), "\(ended)")
    }

    @Test func `of a reader that went away ends quietly`() throws {
        let pair = try SharedFolder()
        let lines = (1...3_000).map { "create Post title='post \($0)'" }
        _ = try pair.home.satchel(in: "a", input: lines.joined(separator: "\n"))
        let ended = try pair.home.shell(
            "satchel list Post | head -1; exit ${PIPESTATUS[0]}", in: "a")
        #expect(ended.code == 141, "\(ended)")
        #expect(ended.errors == "", "\(ended)")
    }

    @Test func `of a reader that goes away in the middle of a script leaves whole commands`() throws
    {
        let pair = try SharedFolder()
        let lines = (1...3_000).map { "create Post title='post \($0)'" }
        let script = try pair.home.write("many.satchel", lines.joined(separator: "\n"))
        let ended = try pair.home.shell(
            "satchel -f '\(script)' | head -1; exit ${PIPESTATUS[0]}", in: "a")
        #expect([0, 141].contains(ended.code), "\(ended)")
        #expect(ended.errors == "", "\(ended)")
        #expect(try pair.run("a", "get Post \(ended.lines.first ?? "none") -o id").code == 0)
        try pair.output("a", "doctor")
        #expect(try pair.json("a", "status")["queued"] == pair.json("a", "count Post")["count"])
    }

    @Test(arguments: ["create Post title=x", "create Post title=x -o json", "sync", "status"])
    func `of a closed standard output is refused before anything is done`(_ line: String) throws {
        let pair = try SharedFolder()
        let ended = try pair.run("a", "\(line) >&-")
        #expect(ended.code == 1, "\(ended)")
        #expect(ended.errors.contains("standard output is closed"), "\(ended)")
        #expect(ended.errors.contains("nothing was done"), "\(ended)")
        #expect(try pair.json("a", "count Post")["count"] == 0)
    }

    @Test func `of another closed stream stops only what needs it`() throws {
        let pair = try SharedFolder()
        try pair.output("a", "create Post title=x <&-")
        try pair.output("a", "create Post title=y 2>&-")
        try pair.output("a", "sync <&- 2>&-")
        #expect(try pair.json("a", "count Post")["count"] == 2)
        let script = try pair.run("a", "-f - <&-")
        #expect(script.code == 1, "\(script)")
        #expect(script.errors.contains("<stdin>"), "\(script)")
    }

    @Test func `of a store from a newer version is refused and left alone`() throws {
        let pair = try SharedFolder()
        try pair.output("a", "create Post title=x")
        let newer = try pair.home.shell(
            "sqlite3 .satchel/default.sqlite \"update meta set value = '9999' where key = 'store_version'\"",
            in: "a")
        #expect(newer.code == 0, "\(newer)")
        let ended = try pair.run("a", "list Post")
        #expect(ended.code == 8, "\(ended)")
        #expect(ended.errors.contains("newer"), "\(ended)")
    }

    @Test func `of a damaged store is told as such`() throws {
        let pair = try SharedFolder()
        try pair.output("a", "create Post title=x")
        for name in ["default.sqlite-wal", "default.sqlite-shm"] {
            try? Files.remove(pair.home.file("a/.satchel/\(name)"))
        }
        try pair.home.write("a/.satchel/default.sqlite", "this is no database at all, not one bit")
        let ended = try pair.run("a", "list Post")
        #expect(ended.code == 8, "\(ended)")
    }
}

@Suite struct `Where nobody can be asked` {
    @Test(arguments: [
        "delete Post where rating lt 9", "update Post where rating lt 9 set title=z",
        "context remove default",
    ])
    func `a command that destroys refuses, and names what consents`(_ line: String) throws {
        let pair = try SharedFolder()
        for number in 1...2 { try pair.output("a", "create Post title=p rating=\(number)") }
        let before = try pair.output("a", "export")
        let ended = try pair.run("a", line)
        #expect(ended.code == 9, "\(ended)")
        #expect(ended.errors.contains("--yes"), "\(ended)")
        #expect(try pair.output("a", "export") == before)
    }
}

@Suite struct `What could go on for ever` {
    @Test func `a script that reads itself is refused`() throws {
        let pair = try SharedFolder()
        try pair.home.write("a/r.satchel", "source r.satchel\n")
        let ended = try pair.run("a", "-f r.satchel")
        #expect(ended.code == 2, "\(ended)")
        #expect(ended.errors.contains("16 deep"), "\(ended)")
    }

    @Test func `a pipe in the place of satchel json is refused`() throws {
        let home = try SatchelHome()
        let ended = try home.shell("mkfifo satchel.json && satchel list Post")
        #expect(ended.code == 1, "\(ended)")
        #expect(ended.errors.contains("no regular file"), "\(ended)")
    }

    @Test func `a wait for a writer that never comes ends with the second signal`() throws {
        let pair = try SharedFolder()
        let made = try pair.home.shell("mkfifo pipe", in: "a")
        try #require(made.code == 0)
        let program = Path.join(try SatchelHome.programs(), "satchel")
        let waiting = try pair.home.start(program, ["create", "Post", "title=@pipe"], in: "a")
        while try !waiting.handles(SIGTERM), !waiting.isOver {
            _ = Poll.wait(reading: [], milliseconds: 5)
        }
        // Signals that come too close count as one.
        while !waiting.isOver {
            waiting.signal(SIGTERM)
            _ = Poll.wait(reading: [], milliseconds: 20)
        }
        let ended = try waiting.wait(seconds: 300)
        #expect(ended.code != 0, "\(ended)")
        #expect(try pair.json("a", "count Post")["count"] == 0)
    }
}

@Suite struct `A backend that asks for unheard-of delays` {
    static let plugin = """
        #!/usr/bin/env python3
        import sys, json
        for line in sys.stdin:
            m = json.loads(line)
            r = {"jsonrpc": "2.0", "id": m.get("id")}
            if m["method"] == "initialize":
                r["result"] = {"protocol": 1, "plugin": {"name": "evil", "version": "1"},
                    "capabilities": {"push": {"idempotency": "key", "batch": 10}, "pull": {}}}
            elif m["method"] == "push":
                r["result"] = {"results": [{"key": o["key"], "outcome": "retry", "message": "later",
                    "after_ms": DELAY} for o in m["params"]["ops"]]}
            elif m["method"] == "pull":
                r["error"] = {"code": 1, "message": "later",
                    "data": {"kind": "rate_limited", "after_ms": DELAY}}
            else:
                r["result"] = {}
            if "id" in m:
                print(json.dumps(r), flush=True)
        """

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "0"])
    func `is waited for within reason`(_ delay: String) throws {
        let pair = try SharedFolder()
        try pair.home.write(
            "evil/satchel-backend-evil",
            Self.plugin.split(separator: "DELAY", omittingEmptySubsequences: false)
                .joined(separator: delay), mode: 0o755)
        try pair.output("a", "config set contexts.default.backend evil")
        try pair.output("a", "create Post title=x")
        let ended = try pair.home.shell(
            "SATCHEL_PLUGIN_PATH=$HOME/evil satchel sync --timeout 4", in: "a")
        #expect([3, 6].contains(ended.code), "\(ended)")
        #expect(try pair.json("a", "status")["queued"] == 1)
    }
}
