import JSON
import Testing

@Suite struct `A script` {
    let pair: SharedFolder

    init() throws { pair = try SharedFolder() }

    @Test(arguments: [
        ("create Pots title=x", 2), ("create Post title=x rating=abc", 2),
        ("create Post rating=1", 2), ("get Post nosuch", 1), ("update Post nosuch rating=1", 1),
        ("list Post where rating >", 2), ("create Post title=x status=LIFE", 2),
    ]) func `stops at its first error and says where`(_ line: String, _ code: Int) throws {
        let before = (1...6).map { "create Post title=p\($0)" }
        let script = (before + [line, "create Post title=after"]).joined(separator: "\n")
        let file = try pair.home.write("seven.satchel", script)
        let ended = try pair.home.satchel("-f", file, in: "a")
        #expect(ended.code == Int32(code), "\(ended)")
        #expect(ended.errors.contains("\(file):7:"), "\(ended)")
        #expect(ended.lines.count == 6, "\(ended)")
        #expect(try pair.json("a", "count Post")["count"] == 6)
    }

    @Test func `leaves nothing behind with --atomic when a line is wrong`() throws {
        let ended = try pair.home.satchel(
            "--atomic", in: "a", input: "create Post title=one\ncreate Pots title=two\n")
        #expect(ended.code == 2, "\(ended)")
        #expect(ended.output == "")
        #expect(try pair.json("a", "count Post")["count"] == 0)
    }

    @Test func `goes on with --keep-going and exits 3`() throws {
        let ended = try pair.home.satchel(
            "--keep-going", in: "a",
            input: "create Post title=one\ncreate Pots title=two\ncreate Post title=three\n")
        #expect(ended.code == 3, "\(ended)")
        #expect(ended.errors.contains("<stdin>:2:"), "\(ended)")
        #expect(try pair.json("a", "count Post")["count"] == 2)
    }

    @Test func `is only judged with --check`() throws {
        let ended = try pair.home.satchel(
            "--check", in: "a", input: "create Post title=one\ncreate Post rating=x title=two\n")
        #expect(ended.code == 2, "\(ended)")
        #expect(ended.errors.contains("<stdin>:2:"), "\(ended)")
        #expect(try pair.json("a", "count Post")["count"] == 0)
    }

    @Test func `does not run the rest of a command with an open quote`() throws {
        let ended = try pair.home.satchel(
            in: "a", input: "create Post title=one\ncreate Post title=\"two\nlist Post\n")
        #expect(ended.code == 2, "\(ended)")
        #expect(ended.errors.contains("<stdin>:2:"), "\(ended)")
    }

    @Test func `stores a text that reads like a command as it is`() throws {
        let texts = ["delete Post where rating > 0", "exit", "undo", "# no comment", "--yes"]
        for text in texts { try pair.output("a", "create Post 'title=\(text)'") }
        let lines = texts.map { "create Post title='\($0)'" }
        #expect(try pair.home.satchel(in: "a", input: lines.joined(separator: "\n")).code == 0)
        let stored = try pair.json("a", "list Post").elements?.compactMap { $0["title"]?.text }
        #expect(stored?.sorted() == (texts + texts).sorted())
    }

    @Test func `keeps its input where a command of it is a loop's`() throws {
        let made = try pair.home.shell(
            "printf 'one\\ntwo\\nthree\\n' | while read -r title; do\n"
                + "satchel create Post title=$title && satchel sync && satchel list Post\ndone",
            in: "a")
        #expect(made.code == 0, "\(made)")
        #expect(try pair.json("a", "count Post")["count"] == 3)
    }

    @Test(arguments: ["count Post", "create Post title=x", "sync", "delete Post none", "status"])
    func `does not wait for input that a command has no use for`(_ line: String) throws {
        // A writer that never writes: whoever reads would wait for ever.
        let program = try pair.home.start(
            "/bin/bash", ["-c", "mkfifo never && exec satchel \(line) <>never"], in: "a")
        let ended = try program.wait(seconds: 300)
        #expect([0, 1].contains(ended.code), "\(ended)")
    }

    @Test(arguments: [
        ["count", "Post"], ["list", "Post", "-o", "json"],
        ["list", "Post", "where", "rating", "ge", "2", "sort", "-title", "fields", "title"],
        ["list", "Post", "-o", "csv"], ["list", "Post", "-o", "yaml"], ["status", "-o", "json"],
        ["queue", "-o", "ndjson"], ["schema", "show", "Post"], ["lst"], ["get", "Post", "none"],
        ["list", "Post", "where", "nofield", "=", "1"], ["conflicts"], ["help", "list"],
    ]) func `gives the same bytes as the arguments of the program`(_ words: [String]) throws {
        try pair.output("a", "create Post title='B b' rating=2")
        try pair.output("a", "create Post title='a \"q\"' rating=3")
        let argued = try pair.home.run(words, in: "a")
        let line = words.joined(separator: " ")
        let scripted = try pair.home.satchel(in: "a", input: line)
        #expect(scripted.output == argued.output, "\(line)")
        #expect(scripted.code == argued.code, "\(line)")
    }
}
