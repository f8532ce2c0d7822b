import Glibc
import JSON
import Platform
import Testing

@Suite(.timeLimit(.minutes(15))) struct `A merge policy that names a program` {
    let pair: SharedFolder

    init() throws {
        pair = try SharedFolder()
        for number in 1...2 {
            try pair.output("a", "create Post id=p\(number) title=one rating:=1")
        }
        for workspace in ["a", "b"] { try pair.output(workspace, "sync") }
    }

    /// Puts a script in its place as the policy of a setting of `b`.
    private func policy(_ setting: String, _ script: String, timeout: Double = 100) throws {
        try pair.home.write("b/merge", script, mode: 0o755)
        let set = try pair.home.satchel(
            "config", "set", setting, "{\"command\":\"./merge\",\"timeout\":\(timeout)}", in: "b")
        try #require(set.code == 0, "\(set)")
    }

    /// Both sides change the title of `p1`, and `b` the rating of `p2`.
    private func dispute() throws {
        try pair.output("a", "update Post p1 title='from a'")
        try pair.output("a", "sync")
        try pair.output("b", "update Post p1 title='from b' rating:=5")
        try pair.output("b", "update Post p2 rating:=9")
    }

    private static let joining = """
        #!/usr/bin/env python3
        import json, sys
        q = json.load(sys.stdin)
        assert q["model"] == "Post" and q["id"] == "p1" and q["fields"] == ["title"]
        assert q["base"]["title"] == "one"
        title = q["local"]["title"] + " and " + q["remote"]["title"]
        print(json.dumps({**q["remote"], "title": title, "rating": 77}))

        """

    @Test func `decides its field, within the same sync`() throws {
        try policy("models.Post.fields.title.conflict", Self.joining)
        try dispute()
        let synced = try pair.run("b", "sync")
        #expect(synced.code == 0, "\(synced)")
        try pair.output("a", "sync")
        for workspace in ["a", "b"] {
            let post = try pair.json(workspace, "get Post p1")
            #expect(post["title"] == "from b and from a")
            #expect(post["rating"] == 5)
        }
    }

    @Test func `decides the whole record where it is the model's`() throws {
        try policy("models.Post.conflict", Self.joining)
        try dispute()
        #expect(try pair.run("b", "sync").code == 0)
        #expect(try pair.json("b", "get Post p1")["rating"] == 77)
    }

    struct Fault {
        var script: String
        var reason: String
        var timeout: Double

        init(_ script: String, _ reason: String, timeout: Double = 100) {
            self.script = script
            self.reason = reason
            self.timeout = timeout
        }
    }

    /// Scripts, their time limits in seconds, and what is said of them.
    static let faults: [Fault] = [
        Fault("#!/bin/sh\necho 'no luck' >&2; exit 3\n", "ended with exit code 3: no luck"),
        Fault("#!/bin/sh\nexec sleep 1000\n", "was not done within 500 ms", timeout: 0.5),
        Fault(
            "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1000; done\n", "was not done within 500 ms",
            timeout: 0.5),
        Fault("#!/bin/sh\nsleep 1000 &\necho '[1]'\n", "answered no JSON object"),
        Fault("#!/bin/sh\necho '{}'\n", "title is not in it"),
        Fault("#!/bin/sh\necho '{\"title\":null}'\n", "title is required"),
        Fault("#!/usr/bin/env python3\nprint('x' * 100_000_000)\n", "wrote more than 16 MiB"),
        Fault("#!/no/such/program\n", "cannot start"),
    ]

    @Test(arguments: faults)
    func `parks that record alone where it fails, with the reason`(_ fault: Fault) throws {
        let reason = fault.reason
        try policy(
            "models.Post.fields.title.conflict", fault.script, timeout: fault.timeout)
        try dispute()
        let synced = try pair.run("b", "sync")
        #expect(synced.code == 5, "\(synced)")
        #expect(synced.errors.contains(reason), "\(synced)")
        // The other record went.
        #expect(try pair.output("b", "queue -o id").split(separator: "\n").count == 1)
        let conflict = try pair.json("b", "conflicts").elements?.first
        #expect(conflict?["reason"]?.text?.contains(reason) == true, "\(conflict ?? nil)")
        #expect(conflict?["reason"]?.text?.contains("conflicts resolve Post p1") == true)
        #expect(try pair.output("b", "conflicts -o table").contains(reason.prefix(20)))
        // Mended, it is asked again when somebody says so.
        try policy("models.Post.fields.title.conflict", Self.joining)
        try pair.home.write("b/merge", Self.joining, mode: 0o755)
        #expect(try pair.run("b", "trust --yes").code == 0)
        let all = try pair.run("b", "queue retry all")
        #expect(all.code == 0 && all.errors.contains("1 change will be offered"), "\(all)")
        #expect(try pair.run("b", "sync").code == 0)
        #expect(try pair.json("b", "get Post p1")["title"] == "from b and from a")
    }

    @Test func `is not asked again about what is for a person`() throws {
        try dispute()
        #expect(try pair.run("b", "sync").code == 5)
        let all = try pair.run("b", "queue retry all")
        #expect(all.code == 0 && all.errors.contains("1 conflict left for you"), "\(all)")
    }

    @Test func `is written as in the file`() throws {
        let setting = "models.Post.conflict"
        let set = try pair.home.satchel("config", "set", setting, "{ command: './merge' }", in: "b")
        #expect(set.code == 0, "\(set)")
        let get = try pair.home.satchel("config", "get", "\(setting).command", in: "b")
        #expect(get.output == "./merge\n")
        let wrong = try pair.home.satchel("config", "set", "hooks.after_sync", "{ command", in: "b")
        #expect(wrong.code == 2, "\(wrong)")
        let hook = try pair.home.satchel(
            "config", "set", "hooks.after_sync", "{ command: './tell' }", in: "b")
        #expect(hook.code == 0, "\(hook)")
        #expect(
            try pair.home.satchel("config", "get", "hooks.after_sync.command", in: "b").output
                == "./tell\n")
    }

    @Test func `is not run once its content changed, and asked again when it is trusted`() throws {
        try policy("models.Post.fields.title.conflict", "#!/bin/sh\nexit 1\n")
        try dispute()
        try pair.home.write("b/merge", "#!/bin/sh\n: > evil\n", mode: 0o755)
        let synced = try pair.run("b", "sync")
        #expect(synced.code == 5, "\(synced)")
        #expect(
            synced.errors.contains("merge changed since the workspace was trusted"), "\(synced)")
        #expect(!Files.exists(pair.home.file("b/evil")))
        try pair.home.write("b/merge", Self.joining, mode: 0o755)
        #expect(try pair.run("b", "trust --yes").code == 0)
        #expect(try pair.run("b", "sync").code == 0)
    }

    @Test func `is ended by Ctrl-C, and asked again by the next sync`() throws {
        try policy(
            "models.Post.fields.title.conflict", "#!/bin/sh\n: > begun\nexec sleep 1000\n",
            timeout: 100)
        try dispute()
        let program = Path.join(try SatchelHome.programs(), "satchel")
        let running = try pair.home.start(program, ["sync"], in: "b")
        while !Files.exists(pair.home.file("b/begun")), !running.isOver {
            _ = Poll.wait(reading: [], milliseconds: 5)
        }
        running.signal(SIGINT)
        let ended = try running.wait()
        #expect(ended.code != 0, "\(ended)")
        #expect(try pair.json("b", "conflicts").elements?.count == 1)
        try pair.home.write("b/merge", Self.joining, mode: 0o755)
        #expect(try pair.run("b", "trust --yes").code == 0)
        #expect(try pair.run("b", "sync").code == 0)
    }
}
