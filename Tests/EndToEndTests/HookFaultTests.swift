import Glibc
import JSON
import Platform
import Testing

@Suite(.timeLimit(.minutes(15))) struct `A hook that does not work` {
    struct Fault: CustomTestStringConvertible {
        var testDescription: String
        var script: String
        var says: String
        var timeout: Double?

        init(_ name: String, _ script: String, says: String, timeout: Double? = nil) {
            testDescription = name
            self.script = script
            self.says = says
            self.timeout = timeout
        }
    }

    static let faults = [
        Fault(
            "crashes", "#!/bin/sh\necho 'no \u{1b}[31mmodule' >&2; exit 3\n",
            says: "ended with exit code 3: no ␛[31mmodule"),
        Fault("is killed", "#!/bin/sh\nkill -9 $$\n", says: "was ended by signal 9"),
        Fault(
            "is slow", "#!/bin/sh\nexec sleep 1000\n", says: "was not done within 300 ms",
            timeout: 0.3),
        Fault(
            "is deaf", "#!/bin/sh\ntrap '' TERM INT HUP\nwhile :; do sleep 1000; done\n",
            says: "was not done within 300 ms", timeout: 0.3),
        Fault(
            "leaves its pipes to a child, which is ended too",
            "#!/bin/sh\nsleep 1000 & echo $! > grandchild\necho '{}'; echo '{}'\n",
            says: "answered 2 lines for 1 record"),
        Fault(
            "writes without end", "#!/usr/bin/env python3\nprint('x' * 100_000_000)\n",
            says: "wrote more than 16 MiB"),
        Fault(
            "says nothing", "#!/bin/sh\ncat > /dev/null\n", says: "answered 0 lines for 1 record"),
        Fault("answers no JSON", "#!/bin/sh\necho yes\n", says: "answered no JSON object"),
        Fault("answers a list", "#!/bin/sh\necho '[]'\n", says: "answered no JSON object"),
        Fault("answers bytes", "#!/bin/sh\nprintf '\\377\\n'\n", says: "answered no JSON object"),
        Fault(
            "answers what means nothing", "#!/bin/sh\necho '{\"refused\":\"x\"}'\n",
            says: "answered \"refused\""),
        Fault(
            "refuses without a word", "#!/bin/sh\necho '{\"refuse\":true}'\n",
            says: "without a text that says why"),
        Fault(
            "makes a record that cannot be",
            "#!/bin/sh\necho '{\"record\":{\"rating\":\"high\"}}'\n", says: "rating"),
        Fault(
            "empties what is required", "#!/bin/sh\necho '{\"record\":{\"title\":null}}'\n",
            says: "title is required"),
        Fault(
            "knows another schema", "#!/bin/sh\necho '{\"record\":{\"headline\":\"x\"}}'\n",
            says: "headline"),
        Fault(
            "changes the id", "#!/bin/sh\necho '{\"record\":{\"id\":\"p2\"}}'\n",
            says: "id is what the record is known by"),
        Fault("has no interpreter", "#!/no/such/program\n", says: "cannot start"),
    ]

    @Test(arguments: faults) func `lets no write pass`(_ fault: Fault) throws {
        let space = try HookedWorkspace()
        try space.hook("before_create", fault.script, timeout: fault.timeout)
        let ended = try space.run("create Post id=p1 title=x")
        #expect(ended.code == 1, "\(ended)")
        #expect(ended.errors.contains(fault.says), "\(ended)")
        #expect(ended.errors.contains("hooks.before_create"), "\(ended)")
        #expect(!ended.errors.contains("\u{1b}"))
        #expect(try space.isUntouched())
        let grandchild = space.pair.home.file("a/grandchild")
        if Files.exists(grandchild) {
            let pid = try #require(
                pid_t(try space.pair.home.read("a/grandchild").dropLast()))
            // A signal takes a moment to arrive.
            while runs(pid) {}
        }
    }

    /// False for what has ended, collected or not.
    private func runs(_ pid: pid_t) -> Bool {
        guard let state = try? Files.read("/proc/\(pid)/stat") else { return false }
        return !String(decoding: state, as: UTF8.self).contains(") Z ")
    }

    @Test func `is missing, or not executable`() throws {
        let space = try HookedWorkspace()
        try space.output("config set hooks.before_create ./nothing")
        let missing = try space.run("create Post title=x")
        #expect(missing.code == 1 && missing.errors.contains("/a/nothing"), "\(missing)")
        try space.output("config set hooks.before_create no-such-program")
        let nowhere = try space.run("create Post title=x")
        #expect(nowhere.code == 1 && nowhere.errors.contains("./no-such-program"), "\(nowhere)")
        try space.pair.home.write("a/plain", "#!/bin/sh\n")
        try space.output("config set hooks.before_create ./plain")
        let plain = try space.run("create Post title=x")
        #expect(plain.code == 1 && plain.errors.contains("chmod +x"), "\(plain)")
    }

    @Test func `lets nothing pass where whoever started satchel ignores the ends of children`()
        throws
    {
        let space = try HookedWorkspace()
        try space.hook("before_create", "#!/bin/sh\necho '{}'\nexit 3\n")
        let ended = try space.pair.home.shell(
            "python3 -c 'import os, signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN); "
                + "os.execvp(\"satchel\", [\"satchel\", \"create\", \"Post\", \"title=x\"])'",
            in: "a")
        #expect(ended.code == 1, "\(ended)")
        #expect(ended.errors.contains("ended with exit code 3"), "\(ended)")
        #expect(try space.isUntouched())
    }

    @Test func `ends with the time-out of the command, and with Ctrl-C`() throws {
        let space = try HookedWorkspace()
        try space.hook("before_create", "#!/bin/sh\n: > begun\nexec sleep 1000\n", timeout: 60)
        let late = try space.run("create Post title=x --timeout 0.3")
        #expect(late.code == 1 && late.errors.contains("not done within 300 ms"), "\(late)")
        try Files.remove(space.pair.home.file("a/begun"))
        let program = Path.join(try SatchelHome.programs(), "satchel")
        let running = try space.pair.home.start(program, ["create", "Post", "title=x"], in: "a")
        while !Files.exists(space.pair.home.file("a/begun")), !running.isOver {
            _ = Poll.wait(reading: [], milliseconds: 5)
        }
        running.signal(SIGINT)
        let ended = try running.wait()
        #expect(ended.code == 130, "\(ended)")
        #expect(try space.isUntouched())
    }

    @Test func `gets no secret of this process, and tells none`() throws {
        let home = try SatchelHome()
        try home.write(
            "schema.graphql", "type Key @model { id: ID! name: String! code: String @secret }\n")
        let made = try home.satchel("init", ".", "--schema", "schema.graphql")
        try #require(made.code == 0, "\(made)")
        try home.write(
            "check",
            """
            #!/usr/bin/env python3
            import json, os, sys
            e = json.loads(sys.stdin.readline())
            open("seen", "w").write(e["record"]["code"] + " " + " ".join(sorted(os.environ)))
            if e["record"]["name"] == "no":
                print(json.dumps({"refuse": "not " + e["record"]["code"]}))
            else:
                sys.exit("boom " + e["record"]["code"])

            """, mode: 0o755)
        _ = try home.satchel("config", "set", "hooks.before_create", "./check")
        for name in ["no", "yes"] {
            let ended = try home.satchel(
                "create", "Key", "name=\(name)", "code=hunter2",
                with: ["AWS_SECRET_ACCESS_KEY": "planted", "SATCHEL_TOKEN": "planted"])
            #expect(ended.code == 1, "\(ended)")
            #expect(!ended.errors.contains("hunter2"), "\(ended)")
            #expect(ended.errors.contains("••••••"), "\(ended)")
        }
        let seen = try home.read("seen")
        #expect(seen.hasPrefix("hunter2 "))
        #expect(!seen.contains("AWS_") && !seen.contains("SATCHEL_TOKEN"), "\(seen)")
        #expect(seen.contains("SATCHEL_HOOK SATCHEL_WORKSPACE"))
    }
}
