import Glibc
import JSON
import Platform
import Testing

@Suite(.timeLimit(.minutes(15))) struct `A hook whose record others write` {
    let space: HookedWorkspace

    init() throws { space = try HookedWorkspace() }

    private static let counting = HookedWorkspace.python(
        "{'record': {'rating': e['old']['rating'] + 1}}")

    @Test func `lets twenty processes through, each asked about what it writes on`() throws {
        let id = try space.output("create Post title=one rating:=0 -o id")
        try space.hook("before_update", Self.counting, timeout: 100)
        let satchel = Path.join(try SatchelHome.programs(), "satchel")
        var writers: [RunningProgram] = []
        for number in 1...20 {
            writers.append(
                try space.pair.home.start(
                    satchel, ["update", "Post", id, "title=n\(number)"], in: "a"))
        }
        for writer in writers {
            let ended = try writer.wait()
            #expect(ended.code == 0, "\(ended)")
        }
        #expect(try space.pair.json("a", "get Post \(id)")["rating"] == 20)
    }

    /// Answers each line, and before that has another process write the record, `count` times at most.
    ///
    /// The writer takes the hook out of the way of its own write.
    private static func meddling(_ count: Int) -> String {
        """
        #!/usr/bin/env python3
        import json, os, sys
        for line in sys.stdin:
            e = json.loads(line)
            with open("runs", "a") as runs: runs.write("x")
            if os.path.getsize("runs") <= \(count):
                os.system("sed -i 's/before_update/after_sync/' satchel.json")
                code = os.system("SATCHEL_HOOK= satchel update Post p1 rating:=%d 2>> said >&2"
                    % (100 + os.path.getsize("runs")))
                with open("codes", "a") as codes: codes.write("%d\\n" % (code >> 8))
                os.system("sed -i 's/after_sync/before_update/' satchel.json")
            print(json.dumps({"record": {"tags": [str(e["old"]["rating"])]}}))

        """
    }

    @Test func `comes to an end even where somebody is faster each time`() throws {
        try space.output("create Post id=p1 title=one rating:=0")
        try space.hook("before_update", Self.meddling(1_000), timeout: 100)
        let ended = try space.run("update Post p1 title=two")
        #expect(ended.code == 0, "\(ended)")
        // In the end nobody else may write while the hook is asked.
        let codes = try space.pair.home.read("a/codes")
        #expect(codes == "0\n0\n0\n0\n8\n")
        let said = try space.pair.home.read("a/said")
        #expect(
            said.contains("a hook is being asked about the write of another command"), "\(said)")
        let post = try space.pair.json("a", "get Post p1")
        #expect(post["tags"] == ["104"])
        #expect(post["title"] == "two")
    }

    @Test func `is asked anew by an import`() throws {
        try space.output("create Post id=p1 title=one rating:=0")
        try space.output("create Post id=p2 title=one rating:=0")
        try space.hook("before_update", Self.meddling(1), timeout: 100)
        try space.pair.home.write("a/p.csv", "id,title\np1,two\np2,two\n")
        let imported = try space.run("import Post p.csv --key id -o json")
        #expect(
            try JSONValue.parse(imported.output)
                == ["created": 0, "updated": 2, "unchanged": 0, "failed": 0], "\(imported)")
        #expect(try space.pair.json("a", "get Post p1")["tags"] == ["101"])
        #expect(try space.pair.json("a", "get Post p2")["tags"] == ["0"])
    }

    @Test func `is asked anew by an edit of the queue`() throws {
        try space.output("create Post id=p1 title=one rating:=0")
        try space.output("sync")
        try space.output("update Post p1 title=two")
        let seq = try space.output("queue -o id")
        try space.hook("before_update", Self.meddling(1), timeout: 100)
        let ended = try space.run("queue edit \(seq) title=three")
        #expect(ended.code == 0, "\(ended)")
        let post = try space.pair.json("a", "get Post p1")
        #expect(post["tags"] == ["101"])
        #expect(post["title"] == "three")
    }
}

@Suite(.timeLimit(.minutes(15))) struct `A program that its workspace started` {
    let space: HookedWorkspace

    init() throws { space = try HookedWorkspace() }

    static let commands = [
        "config set hooks.before_update ./evil", "trust --yes",
        "context add other --backend folder --set path=x", "context remove default --yes",
    ]

    @Test(arguments: ["before_create", "after_sync"], commands)
    func `cannot change what the workspace may start`(_ point: String, _ command: String) throws {
        try space.hook(
            point,
            "#!/bin/sh\nsatchel \(command) 2> said >&2; echo $? > code\n"
                + "while read -r line; do echo '{}'; done\n", timeout: 100)
        // Something that nobody has consented to yet.
        try space.pair.home.write("a/plugins/satchel-backend-late", "#!/bin/sh\n", mode: 0o755)
        let before = try space.pair.home.read("a/satchel.json")
        try space.output("create Post title=one")
        if point == "after_sync" { try space.output("sync") }
        #expect(try space.pair.home.read("a/code") == "1\n")
        let said = try space.pair.home.read("a/said")
        #expect(
            said.contains("hooks.\(point) is running, which cannot change what its workspace"),
            "\(said)")
        #expect(try space.pair.home.read("a/satchel.json") == before)
    }

    /// Ways to start a program that is not to be known for a hook's or a plugin's.
    private static let disguises = [
        "env -u SATCHEL_HOOK -u SATCHEL_PLUGIN",
        "env -i PATH=\"$PATH\" HOME=\"$HOME\" setsid --fork --wait",
    ]

    @Test(arguments: [commands[0], commands[1]], disguises)
    func `is not let through for hiding what it is`(_ command: String, _ disguise: String) throws {
        try space.hook(
            "before_create",
            "#!/bin/sh\n\(disguise) satchel \(command) 2> said >&2; echo $? > code\n"
                + "while read -r line; do echo '{}'; done\n", timeout: 100)
        try space.pair.home.write(
            "a/plugins/satchel-backend-late", "#!/bin/sh\n", mode: 0o755)
        let before = try space.pair.home.read("a/satchel.json")
        try space.output("create Post title=one")
        #expect(try space.pair.home.read("a/code") == "1\n")
        let said = try space.pair.home.read("a/said")
        #expect(said.contains("a hook or a plugin is running, which cannot change"), "\(said)")
        #expect(try space.pair.home.read("a/satchel.json") == before)
        // Once it is done, a person may.
        try space.output(command)
    }

    @Test func `keeps others from changing what it may start`() throws {
        try space.hook(
            "before_create",
            "#!/bin/sh\necho > started\nwhile [ ! -e done ]; do read -r _ < fifo; done\n"
                + "while read -r line; do echo '{}'; done\n", timeout: 100)
        let fifo = space.pair.home.file("a/fifo")
        try #require(mkfifo(fifo, 0o600) == 0)
        let satchel = Path.join(try SatchelHome.programs(), "satchel")
        let writer = try space.pair.home.start(satchel, ["create", "Post", "title=one"], in: "a")
        // Opens once the hook reads.
        let gate = open(fifo, O_WRONLY)
        defer { close(gate) }
        let ended = try space.run("config set hooks.before_update ./evil")
        #expect(ended.code == 8, "\(ended)")
        #expect(ended.errors.contains("a hook or a merge program of"), "\(ended)")
        try space.pair.home.write("a/done", "")
        try #require(write(gate, "\n", 1) == 1)
        #expect(try writer.wait().code == 0)
    }

    @Test(arguments: [""] + disguises)
    func `is a plugin as well`(_ disguise: String) throws {
        try space.pair.home.write(
            "a/plugins/satchel-backend-nosy",
            "#!/bin/sh\nread -r line; \(disguise) satchel -w \"$PWD\" trust --yes 2> said >&2; "
                + "echo $? > code\n", mode: 0o755)
        try space.output("trust --yes")
        try space.output("context add other --backend nosy")
        try space.pair.home.write("a/plugins/satchel-backend-late", "#!/bin/sh\n", mode: 0o755)
        #expect(try space.run("sync --context other").code == 7)
        let folder = ["a/code", "code"].first { Files.exists(space.pair.home.file($0)) }
        #expect(try space.pair.home.read(try #require(folder)) == "1\n")
    }
}
