import JSON
import Platform
import Testing

/// A workspace with hooks that are scripts.
struct HookedWorkspace {
    let pair: SharedFolder

    init() throws { pair = try SharedFolder() }

    /// Puts a script in its place and names it in `satchel.json`, which trusts it.
    func hook(_ point: String, _ script: String, timeout: Double? = nil) throws {
        try pair.home.write("a/hooks/\(point)", script, mode: 0o755)
        let setting =
            timeout.map { "{\"command\":\"./hooks/\(point)\",\"timeout\":\($0)}" }
            ?? "./hooks/\(point)"
        let set = try pair.home.satchel("config", "set", "hooks.\(point)", setting, in: "a")
        try #require(set.code == 0, "\(set)")
    }

    func run(_ line: String) throws -> Ended { try pair.run("a", line) }

    @discardableResult
    func output(_ line: String) throws -> String { try pair.output("a", line) }

    /// Nothing was written and nothing is queued.
    func isUntouched() throws -> Bool {
        try output("count Post -o csv").hasSuffix("0") && output("queue -o id").isEmpty
    }

    /// Answers each line with what a Python expression makes of it: `e` is the event.
    static func python(_ answer: String) -> String {
        """
        #!/usr/bin/env python3
        import json, sys
        for line in sys.stdin:
            e = json.loads(line)
            print(json.dumps(\(answer)))

        """
    }
}

@Suite(.timeLimit(.minutes(15))) struct `A hook before a write` {
    let space: HookedWorkspace

    init() throws { space = try HookedWorkspace() }

    static let refusing = HookedWorkspace.python(
        "{'refuse': 'too rude', 'field': 'title'} if e['record']['title'] == 'rude' else {}")

    @Test func `refuses a record with its own words`() throws {
        try space.hook("before_create", Self.refusing)
        let refused = try space.run("create Post title=rude id=p1")
        #expect(refused.code == 1, "\(refused)")
        #expect(
            refused.errors == "satchel: hooks.before_create refuses Post p1 (title): too rude\n")
        #expect(try space.isUntouched())
        #expect(try space.run("create Post title=kind").code == 0)
        let json = try space.run("create Post title=rude id=p1 -o json")
        #expect(try JSONValue.parse(json.errors)["error"]?["kind"] == "refused", "\(json)")
    }

    @Test func `changes what is queued`() throws {
        try space.hook(
            "before_create",
            HookedWorkspace.python(
                "{'record': {**e['record'], 'title': e['record']['title'].title()}}")
        )
        try space.hook("before_update", HookedWorkspace.python("{'record': {'rating': 7}}"))
        let shown = try space.run("create Post title='a day' -o json --dry-run")
        #expect(try JSONValue.parse(shown.output)["title"] == "A Day", "\(shown)")
        #expect(try space.isUntouched())
        let made = try space.run("create Post title='a day' -o id")
        let id = String(made.output.dropLast())
        #expect(made.errors.contains("hooks.before_create changed title of Post \(id)"), "\(made)")
        #expect(try space.pair.json("a", "get Post \(id)")["title"] == "A Day")
        let updated = try space.run("update Post \(id) title=other")
        #expect(updated.errors.contains("hooks.before_update changed rating of Post"), "\(updated)")
        let queued = try space.pair.json("a", "queue").elements?.first
        #expect(queued?["set"]?["title"] == "other")
        #expect(queued?["set"]?["rating"] == 7)
    }

    @Test func `sees what was, what will be, and what changes`() throws {
        try space.hook(
            "before_update",
            """
            #!/bin/sh
            tee -a seen | while read -r line; do echo '{}'; done

            """)
        let id = try space.output("create Post title=one rating:=1 -o id")
        try space.output("update Post \(id) title=two rating:=1")
        let seen = try JSONValue.parse(try space.pair.home.read("a/seen"))
        #expect(seen["event"] == "before_update")
        #expect(seen["model"] == "Post")
        #expect(seen["set"] == ["title": "two"])
        #expect(seen["old"]?["title"] == "one")
        #expect(seen["record"]?["title"] == "two")
        // Nothing changes, so nothing is asked.
        try space.output("update Post \(id) title=two")
        #expect(try space.pair.home.read("a/seen").split(separator: "\n").count == 1)
    }

    @Test func `refuses a whole command, cascades among it`() throws {
        try space.hook(
            "before_delete",
            HookedWorkspace.python(
                "{'refuse': 'keep it'} if e['model'] == 'Comment' and e['because'] else {}"))
        let post = try space.output("create Post title=one -o id")
        try space.output("create Comment text=hi post=\(post)")
        let refused = try space.run("delete Post \(post) --yes")
        #expect(refused.code == 1, "\(refused)")
        #expect(refused.errors.contains("hooks.before_delete refuses Comment"), "\(refused)")
        #expect(try space.output("count Post") == "1")
        #expect(try space.output("count Comment") == "1")
        try space.output("delete Post \(post) --no-cascade --yes")
        #expect(try space.output("count Post") == "0")
    }

    @Test func `is asked about an update of many at once, and refuses all of it`() throws {
        try space.hook(
            "before_update",
            "#!/bin/sh\necho started >> starts\n"
                + "while read -r l; do case $l in *p3*) echo '{\"refuse\":\"not p3\"}';;"
                + " *) echo '{}';; esac; done\n")
        for number in 1...4 { try space.output("create Post id=p\(number) title=x rating:=1") }
        let refused = try space.run("update Post where 'rating = 1' set rating:=2 --yes")
        #expect(refused.code == 1, "\(refused)")
        #expect(try space.output("count Post where 'rating = 1'") == "4")
        #expect(try space.pair.home.read("a/starts") == "started\n")
    }

    @Test func `checks each row of an import`() throws {
        try space.hook("before_create", Self.refusing)
        try space.pair.home.write("a/p.csv", "title,rating\nfine,1\nrude,2\ngood,3\n")
        let refused = try space.run("import Post p.csv")
        #expect(refused.code == 1, "\(refused)")
        #expect(refused.errors.contains("p.csv:3: hooks.before_create refuses Post"), "\(refused)")
        #expect(try space.isUntouched())
        let kept = try space.run("import Post p.csv --keep-going -o json")
        #expect(kept.code == 3, "\(kept)")
        #expect(kept.errors.contains("p.csv:3: "), "\(kept)")
        #expect(
            try JSONValue.parse(kept.output)
                == ["created": 2, "updated": 0, "unchanged": 0, "failed": 1])
    }

    @Test func `meets rows of one file that are about one record in their order`() throws {
        try space.hook(
            "before_create",
            HookedWorkspace.python("{'record': {'title': e['record']['title'] + '!'}}"))
        try space.hook(
            "before_update",
            HookedWorkspace.python("{'record': {'title': e['old']['title'] + '?'}}"))
        try space.pair.home.write("a/p.csv", "id,title\np1,one\np1,two\np2,three\np1,four\n")
        for option in ["", " --keep-going"] {
            let imported = try space.run("import Post p.csv --key id -o json\(option) --dry-run")
            #expect(
                try JSONValue.parse(imported.output)
                    == ["created": 2, "updated": 2, "unchanged": 0, "failed": 0], "\(imported)")
            #expect(try space.isUntouched())
        }
        try space.output("import Post p.csv --key id")
        #expect(try space.pair.json("a", "get Post p1")["title"] == "one!??")
    }

    @Test func `sees a record that is larger than a pipe holds, whole`() throws {
        try space.hook(
            "before_create",
            HookedWorkspace.python("{'record': {'title': str(len(e['record']['title']))}}"))
        try space.pair.home.write("a/large", String(repeating: "x", count: 300_000))
        let id = try space.output("create Post title=@large -o id")
        #expect(try space.pair.json("a", "get Post \(id)")["title"] == "300000")
    }

    @Test func `is not asked where a write of before is undone`() throws {
        let id = try space.output("create Post title=one -o id")
        try space.output("update Post \(id) title=two")
        for point in ["before_create", "before_update", "before_delete"] {
            try space.hook(point, HookedWorkspace.python("{'refuse': 'nothing goes'}"))
        }
        #expect(try space.run("update Post \(id) title=three").code == 1)
        try space.output("undo --yes")
        #expect(try space.pair.json("a", "get Post \(id)")["title"] == "one")
    }

    @Test func `is asked about repairs of the queue and of conflicts`() throws {
        let id = try space.output("create Post title=one -o id")
        try space.hook("before_create", Self.refusing)
        let seq = try space.output("queue -o id")
        #expect(try space.run("queue edit \(seq) title=rude").code == 1)
        #expect(try space.run("queue edit \(seq) title=kind").code == 0)
        for workspace in ["a", "b"] { try space.pair.output(workspace, "sync") }
        try space.pair.output("b", "update Post \(id) title=b")
        try space.pair.output("b", "sync")
        try space.output("update Post \(id) title=a")
        #expect(try space.run("sync").code == 5)
        try space.hook("before_update", Self.refusing)
        let refused = try space.run("conflicts resolve Post \(id) title=rude")
        #expect(refused.code == 1 && refused.errors.contains("too rude"), "\(refused)")
        #expect(try space.run("conflicts resolve Post \(id) title=kinder").code == 0)
    }

    @Test func `lets nobody wait while it runs`() throws {
        // It ends only once another process has written.
        try space.hook(
            "before_create",
            "#!/bin/sh\n: > begun\nwhile [ ! -e done ]; do :; done\n"
                + "while read -r line; do echo '{}'; done\n", timeout: 60)
        let script =
            "satchel create Post title=slow & while [ ! -e begun ]; do :; done; "
            + "satchel sync pause; : > done; wait $!"
        let ended = try space.pair.home.shell(script, in: "a")
        #expect(ended.code == 0, "\(ended)")
        #expect(try space.output("count Post") == "1")
    }

    @Test func `is asked anew where the record changed meanwhile`() throws {
        let id = try space.output("create Post title=one rating:=1 -o id")
        try space.hook(
            "before_update",
            """
            #!/usr/bin/env python3
            import json, os, sys
            for line in sys.stdin:
                e = json.loads(line)
                if not os.path.exists("first"):
                    open("first", "w").close()
                    print(json.dumps({"record": {"rating": e["old"]["rating"] + 1}}))
                    os.system("sed -i 's/before_update/after_sync/' satchel.json")
                    os.system("SATCHEL_HOOK= satchel update Post %s rating:=40 >&2" % e["id"])
                    os.system("sed -i 's/after_sync/before_update/' satchel.json")
                else:
                    print(json.dumps({"record": {"rating": e["old"]["rating"] + 1}}))

            """)
        try space.output("update Post \(id) title=two")
        let post = try space.pair.json("a", "get Post \(id)")
        #expect(post["rating"] == 41)
        #expect(post["title"] == "two")
    }

    @Test func `is asked for each write of a script, and not within atomic`() throws {
        try space.hook("before_create", Self.refusing)
        let script = "create Post title=a\ncreate Post title=rude\ncreate Post title=b\n"
        let ended = try space.pair.home.satchel(in: "a", input: script)
        #expect(ended.code == 1, "\(ended)")
        #expect(ended.errors.contains("<stdin>:2: hooks.before_create"), "\(ended)")
        #expect(try space.output("count Post") == "1")
        let atomic = try space.pair.home.satchel("-f", "-", "--atomic", in: "a", input: script)
        #expect(atomic.code == 2, "\(atomic)")
        #expect(try space.output("count Post") == "1")
    }

    @Test func `cannot write itself`() throws {
        try space.hook(
            "before_create",
            "#!/bin/sh\nsatchel create Post title=inner >&2 || echo \"inner: $?\" >&2\n"
                + "while read -r line; do echo '{}'; done; exit 3\n")
        let ended = try space.run("create Post title=outer")
        #expect(ended.code == 1 && ended.errors.contains("inner: 1"), "\(ended)")
        #expect(try space.isUntouched())
    }
}
