import Glibc
import JSON
import Platform
import Testing

@Suite struct `A watch in another process` {
    /// Waits until the program has printed a text; false when it ended before.
    private func prints(_ text: String, _ program: RunningProgram) throws -> Bool {
        while try !program.printed.contains(text) {
            if program.isOver { return false }
            _ = Poll.wait(reading: [], milliseconds: 5)
        }
        return true
    }

    @Test func `tells a change though the backend was heard of the record after it`() throws {
        let pair = try SharedFolder()
        try pair.output("a", "create Post title=x")
        let watch = try pair.home.start(
            "/bin/bash", ["-c", "exec satchel watch -o ndjson"], in: "a")
        #expect(try prints("\"ready\"", watch))
        // What one pull may write in one transaction.
        let sql = """
            BEGIN;
            INSERT INTO change (model, id, kind, origin, at) VALUES ('Post', 'p', 'update', 'remote', 1);
            INSERT INTO change (model, id, kind, origin, at, first)
                SELECT 'Post', 'p', 'heard', 'remote', 1, max(seq) FROM change;
            COMMIT
            """
        let planted = try pair.home.shell(
            "sqlite3 a/.satchel/default.sqlite \"$SQL\"", with: ["SQL": sql])
        #expect(planted.code == 0, "\(planted)")
        try pair.output("a", "create Post title=last")
        #expect(try prints("\"last\"", watch))
        watch.signal(SIGTERM)
        let ended = try watch.wait()
        #expect(ended.code == 0, "\(ended)")
        let events = try ended.lines.map { try JSONValue.parse($0)["event"]?.text }
        #expect(events == ["snapshot", "ready", "update", "insert"])
    }

    @Test(arguments: ["", "--sync"])
    func `ends when its reader leaves, though nothing happens`(_ option: String) throws {
        let pair = try SharedFolder()
        try pair.output("a", "sync")
        let run = try pair.home.shell(
            "timeout 60 satchel watch Post -o ndjson \(option) | head -1; echo ${PIPESTATUS[0]}",
            in: "a")
        #expect(run.lines.count == 2 && run.lines.last == "141", "\(run)")
        #expect(run.errors.isEmpty, "\(run)")
    }

    @Test func `keeps for others whether the backend is there`() throws {
        let pair = try SharedFolder()
        try pair.output("a", "sync")
        let watch = try pair.home.start(
            "/bin/bash", ["-c", "exec satchel watch --sync -o ndjson"], in: "a")
        func shows(_ network: JSONValue) throws -> Bool {
            while try pair.json("a", "status")["network"] != network {
                if watch.isOver { return false }
            }
            return true
        }
        #expect(try prints("\"online\"", watch))
        #expect(try pair.home.shell("mv remote away").code == 0)
        try pair.output("a", "create Post title=x")
        #expect(try shows("offline"))
        #expect(try pair.run("a", "sync").code == 6)
        #expect(try pair.json("a", "status")["last_error"] != .null)
        #expect(try pair.home.shell("mv away remote").code == 0)
        // No command of anybody is needed for it.
        #expect(try shows("online"))
        #expect(try pair.json("a", "status")["last_error"] == .null)
        watch.signal(SIGTERM)
        #expect(try watch.wait().code == 0)
    }

    @Test func `by a filter tells of no record that is outside of it`() throws {
        let pair = try SharedFolder()
        try pair.output("a", "create Post id=p1 title=in")
        try pair.output("a", "create Post id=p2 title=out")
        try pair.output("a", "sync")
        let watch = try pair.home.start(
            "/bin/bash", ["-c", "exec satchel watch Post where 'title = \"in\"' -o ndjson"], in: "a"
        )
        #expect(try prints("\"ready\"", watch))
        // One leaves the filter and is delivered then; the other was never in it.
        try pair.output("a", "update Post p1 title=gone --deliver")
        try pair.output("a", "update Post p2 title=elsewhere --deliver")
        // Refused, it is back as it was: outside.
        try pair.home.write("remote/rules.json", #"{"Post":{"title":{"max_length":9}}}"#)
        _ = try pair.run("a", "update Post p2 title='far too long' --deliver")
        try pair.output("a", "create Post id=p3 title=in --deliver")
        try pair.output("a", "create Post id=p4 title=in")
        #expect(try prints("\"p4\"", watch))
        watch.signal(SIGTERM)
        let events = try watch.wait().lines.map { try JSONValue.parse($0) }
        let told = events.compactMap { event in
            event["id"]?.text.map { "\(event["event"]?.text ?? "") \($0)" }
        }
        #expect(
            told == ["snapshot p1", "delete p1", "insert p3", "synced p3", "insert p4"],
            "\(events)")
        #expect(events.first { $0["event"] == "delete" }?["record"] == .null)
    }

    @Test func `begins with a new snapshot when the feed was pruned under it`() throws {
        let pair = try SharedFolder()
        try pair.output("a", "create Post title=x")
        let watch = try pair.home.start(
            "/bin/bash", ["-c", "exec satchel watch -o ndjson"], in: "a")
        #expect(try prints("\"ready\"", watch))
        let sql = """
            BEGIN;
            INSERT INTO change (seq, model, id, kind, origin, at)
                SELECT max(seq) + 1000, 'Post', 'p', 'update', 'remote', 1 FROM change;
            DELETE FROM change WHERE seq < (SELECT max(seq) FROM change);
            COMMIT
            """
        let planted = try pair.home.shell(
            "sqlite3 a/.satchel/default.sqlite \"$SQL\"", with: ["SQL": sql])
        #expect(planted.code == 0, "\(planted)")
        try pair.output("a", "create Post title=last")
        #expect(try prints("\"last\"", watch))
        watch.signal(SIGTERM)
        let ended = try watch.wait()
        let events = try ended.lines.map { try JSONValue.parse($0)["event"]?.text }
        #expect(events.prefix(4) == ["snapshot", "ready", "snapshot", "ready"], "\(events)")
    }
}
