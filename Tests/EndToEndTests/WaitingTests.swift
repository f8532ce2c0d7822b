import Glibc
import JSON
import Platform
import Testing

@Suite struct `Waiting for a backend that says nothing` {
    static let plugin = """
        #!/usr/bin/env python3
        import sys, json
        for line in sys.stdin:
            m = json.loads(line)
            if m["method"] == "initialize":
                print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": {"protocol": 1,
                    "plugin": {"name": "mute", "version": "1"},
                    "capabilities": {"push": {"idempotency": "key"}, "pull": {}}}}), flush=True)
        """

    @Test(arguments: ["sync", "get Post some --remote"])
    func `ends with the time it was given, and says what it waited for`(_ line: String) throws {
        let pair = try SharedFolder()
        try pair.home.write("mute/satchel-backend-mute", Self.plugin, mode: 0o755)
        try pair.output("a", "config set contexts.default.backend mute")
        let ended = try pair.home.shell(
            "SATCHEL_PLUGIN_PATH=$HOME/mute satchel \(line) --timeout 1", in: "a")
        #expect(ended.code == 6, "\(ended)")
        #expect(ended.errors.contains("the backend did not answer within 1 s"), "\(ended)")
    }
}

@Suite struct `Ctrl-C while a backend says nothing` {
    /// Hears of nothing, from the start or from the first push on.
    static let plugins = [
        """
        #!/usr/bin/env python3
        import os, sys
        open(os.environ["HOME"] + "/asked", "w").close()
        sys.stdin.read()
        """,
        """
        #!/usr/bin/env python3
        import os, sys, json
        for line in sys.stdin:
            m = json.loads(line)
            if m["method"] == "initialize":
                print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": {"protocol": 1,
                    "plugin": {"name": "deaf", "version": "1"},
                    "capabilities": {"push": {"idempotency": "key"}, "pull": {}}}}), flush=True)
            elif m["method"] == "push":
                open(os.environ["HOME"] + "/asked", "w").close()
        """,
    ]

    @Test(arguments: plugins)
    func `ends the sync within seconds and leaves the queue as it was`(_ text: String) throws {
        let pair = try SharedFolder()
        try pair.home.write("deaf/satchel-backend-deaf", text, mode: 0o755)
        try pair.output("a", "config set contexts.default.backend deaf")
        for title in ["one", "two"] { try pair.output("a", "create Post title=\(title)") }
        let key = { try pair.json("a", "queue list").elements?.map { $0["key"] } }
        let before = try key()
        let sync = try pair.home.start(
            "/bin/bash", ["-c", "SATCHEL_PLUGIN_PATH=$HOME/deaf exec satchel sync"], in: "a")
        while !Files.exists(pair.home.file("asked")), !sync.isOver {
            _ = Poll.wait(reading: [], milliseconds: 5)
        }
        sync.signal(SIGINT)
        let ended = try sync.wait(seconds: 45)
        #expect(ended.code == 130, "\(ended)")
        #expect(try key() == before)
    }
}

@Suite struct `Watching with --sync` {
    @Test func `tells what the backend refuses`() throws {
        let pair = try SharedFolder()
        try pair.output("a", "create Post title=fine")
        try pair.output("a", "sync")
        try pair.home.write("remote/rules.json", #"{"Post":{"title":{"max_length":5}}}"#)
        try pair.output("a", "create Post title='far too long'")
        let watch = try pair.home.start(
            "/bin/bash", ["-c", "exec satchel watch Post --sync -o ndjson --timeout 600"], in: "a")
        while try !watch.complained.contains("refused"), !watch.isOver {
            _ = Poll.wait(reading: [], milliseconds: 5)
        }
        watch.signal(SIGTERM)
        let ended = try watch.wait()
        #expect(ended.errors.contains("queue edit"), "\(ended)")
        #expect(ended.output.contains(#""event":"rejected""#), "\(ended)")
        let event = try #require(ended.lines.last { $0.contains("rejected") })
        let refused = try JSONValue.parse(event)
        #expect(refused["model"] == "Post")
        #expect(refused["mutation"]?["kind"] == "create")
        #expect(refused["mutation"]?["error"]?["kind"] == "rule")
        #expect(refused["mutation"]?["error"]?["field"] == "title")
    }
}
