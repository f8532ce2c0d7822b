import Glibc
import JSON
import Platform
import Testing

@Suite struct `A Kinto server in trouble` {
    let pair: KintoPair

    init() throws {
        pair = try KintoPair()
        try pair.output("a", "create Post title=one")
        try pair.output("a", "create Post title=two")
        try pair.output("a", "sync")
        _ = try pair.server.requests()
    }

    /// What happens once to a request, beside the answer that it should have got.
    static let faults: [JSONValue] = [
        ["path": "/batch", "lose": true],
        ["path": "/batch", "drop": true],
        ["path": "/batch", "status": 503, "headers": ["Retry-After": "1"]],
        ["path": "/batch", "status": 429, "headers": ["Retry-After": "1"]],
        ["path": "/records?", "status": 503, "headers": ["Retry-After": "1"]],
        ["path": "/records?", "add": ["Backoff": "1"]],
    ]

    @Test func `gets each change once, in its own time`() throws {
        var expected = ["one", "two"]
        for (number, fault) in Self.faults.enumerated() {
            let rating = number + 1
            try pair.server.set(fault)
            try pair.output(
                "a", "update Post where 'title = one' set rating=\(rating) --yes")
            for title in ["\(rating)a", "\(rating)b"] {
                try pair.output("a", "create Post title=\(title)")
                expected.append(title)
            }
            let sync = try pair.run("a", "sync")
            // An answer that was lost is found out about by looking, at the next go.
            let isLost = fault["lose"] == true || fault["drop"] == true
            #expect(sync.code == (isLost ? 6 : 0), "\(fault.serialized()): \(sync)")
            try pair.output("a", "sync")
            #expect(try pair.remoteTitles() == expected.sorted(), "\(fault.serialized())")
            #expect(try pair.json("a", "conflicts list") == [])
            let rated = try pair.json("a", "list Post where 'rating = \(rating)'")
            #expect(rated.elements?.count == 1)
        }
        try pair.expectEqual()
    }

    @Test func `says what its operators want to be known`() throws {
        let alert = #"{"message":"moving house on Friday","url":"https://example.com/"}"#
        try pair.server.set(["path": "/records", "add": ["Alert": .string(alert)]])
        try pair.output("a", "sync")
        let logged = try pair.home.shell("grep -rho 'moving house on Friday' .satchel", in: "a")
        #expect(logged.lines.count == 1, "\(logged)")
    }
}

@Suite struct `The login of a Kinto server` {
    let pair: KintoPair

    init() throws { pair = try KintoPair() }

    @Test func `is asked for again when it is not taken, and the queue waits`() throws {
        try pair.output("a", "create Post title=one")
        let wrong = try pair.home.satchel(
            "auth", "login", in: "a", input: "wr0ng-horse\n", with: KintoPair.variables)
        #expect(wrong.code == 4, "\(wrong)")
        #expect(!wrong.errors.contains("wr0ng-horse"))
        try pair.output("a", "auth logout --yes")
        let sync = try pair.run("a", "sync")
        #expect(sync.code == 4, "\(sync)")
        #expect(try pair.json("a", "status")["queued"] == 1)
        try pair.login("a")
        try pair.output("a", "sync")
        #expect(try pair.remoteTitles() == ["one"])
    }

    @Test func `is nowhere but where secrets are kept`() throws {
        try pair.output("a", "create Post title=one")
        try pair.output("a", "create Post title=two")
        try pair.server.set(["path": "/batch", "hang": true])
        let sync = try pair.startSync("a")
        try pair.server.met("POST /v1/batch")
        // What the machine tells everybody of the programs at work: the plugin runs under a guard.
        let told = try pair.home.shell(
            "c() { cat /proc/$1/task/$1/children; }; g=$(c \(sync.pid)); "
                + "for p in \(sync.pid) $g $(for q in $g; do c $q; done); "
                + "do cat /proc/$p/cmdline /proc/$p/environ; done | tr '\\0' '\\n'")
        #expect(told.output.contains("satchel-backend-kinto"), "\(told)")
        try pair.server.tell("release")
        _ = try sync.wait()
        // And what a test of the backend prints, also of checks that fail.
        try pair.server.set(["path": "/Note", "status": 401, "times": 1_000])
        let kit = try pair.home.satchel(
            "plugin", "test", "kinto", "--set", "url=\(pair.server.url)", "--set", "bucket=app",
            "--set", "user=ann", input: KintoServer.password + "\n", with: KintoPair.variables)
        #expect(kit.code == 1, "\(kit)")
        for text in [told.output, kit.output, kit.errors] {
            #expect(!text.contains(KintoServer.password))
        }
        // base64 of user and password, and the password.
        let found = try pair.home.shell(
            "grep -rlaE 'YW5uOmNvcnJlY3QtaG9yc2U|correct-horse' . "
                + "| grep -v -e local/state/satchel/secrets -e '[.]run/' -e server.state")
        #expect(found.output.isEmpty, "\(found)")
    }
}
