import Glibc
import JSON
import Platform
import Testing

/// A plugin that misbehaves in a sync, and what is said of it.
struct HostileBackend: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// Python, run for each request: `m` is its method; a `continue` leaves out the good answer.
    var body: String
    var says: String

    init(_ name: String, _ body: String, says: String) {
        testDescription = name
        self.body = body
        self.says = says
    }

    var script: String {
        """
        #!/usr/bin/env python3
        import json, os, signal, subprocess, sys, time
        def note(pid):
            with open("\(Self.pids)", "a") as pids: pids.write("%d\\n" % pid)
        note(os.getpid())
        def out(data):
            sys.stdout.buffer.write(data)
            sys.stdout.flush()
        def say(message): out((json.dumps(message) + "\\n").encode())
        for line in sys.stdin:
            r = json.loads(line)
            if "id" not in r: continue
            m = r["method"]
            def answer(result): say({"jsonrpc": "2.0", "id": r["id"], "result": result})
            def refuse(kind): say({"jsonrpc": "2.0", "id": r["id"], "error":
                {"code": 1, "message": "big", "data": {"kind": kind}}})
        \(body.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
            if m == "initialize":
                answer({"protocol": 1, "plugin": {"name": "hostile", "version": "1"},
                    "capabilities": {"push": {"idempotency": "key", "batch": 9}}, "identity": "x"})
            elif m == "pull": answer({"records": [], "more": False, "cursor": "1"})
            elif m == "push": answer({"results": [{"key": o["key"], "outcome": "ok", "version": 1}
                for o in r["params"]["ops"]]})
            else: answer({})

        """
    }

    /// Relative to where the tests put it in; see `HostileSyncTests`.
    static let pids = "PIDS"

    static let all = [
        HostileBackend("is silent", "continue", says: "did not answer initialize within 5 s"),
        HostileBackend(
            "prints a banner", "print('Hello')", says: "printed \"Hello\" on its standard output"),
        HostileBackend(
            "writes a line of 20 MB", "if m == 'pull': out(b'{' + b'x' * 20000000 + b'\\n')",
            says: "sent a line longer than 16 MiB"),
        HostileBackend(
            "ends in half a line", "if m == 'push':\n    out(b'{\"id\":2,')\n    sys.exit(0)",
            says: "ended in the middle of a line"),
        HostileBackend(
            "dies in push", "if m == 'push': os.kill(os.getpid(), signal.SIGKILL)",
            says: "ended (signal 9) before it answered push"),
        HostileBackend(
            "dies in pull", "if m == 'pull': sys.exit(4)",
            says: "ended (exit status 4) before it answered pull"),
        HostileBackend(
            "answers another id", "if m == 'push': r['id'] = 99",
            says: "it answered request 99, which was never asked"),
        HostileBackend(
            "writes invalid UTF-8", "if m == 'push': out(b'{\"id\":2,\"result\":\"\\xff\"}\\n')",
            says: "sent a line that cannot be read"),
        HostileBackend(
            "nests deeply", "if m == 'pull': out(b'{\"id\":' + b'[' * 600 + b']' * 600 + b'}\\n')",
            says: "nested deeper than 512 levels"),
        HostileBackend(
            "answers with result and error",
            """
            if m == 'push':
                say({'id': r['id'], 'result': {}, 'error': {'code': 1}})
                continue
            """, says: "the message has both result and error"),
        HostileBackend(
            "speaks another protocol",
            """
            if m == 'initialize':
                answer({'protocol': 2})
                continue
            """, says: "speaks protocol 2"),
        HostileBackend(
            "names an identity of 5 MB",
            """
            if m == 'initialize':
                answer({'protocol': 1, 'identity': 'i' * 5000000})
                continue
            """, says: "the identity is longer than 4096 bytes"),
        HostileBackend(
            "cancels a push by itself", "if m == 'push':\n    refuse('cancelled')\n    continue",
            says: "it says \"cancelled\", and nobody cancelled it"),
        HostileBackend(
            "cancels a pull by itself", "if m == 'pull':\n    refuse('cancelled')\n    continue",
            says: "it says \"cancelled\", and nobody cancelled it"),
        HostileBackend(
            "cancels the welcome by itself",
            "if m == 'initialize':\n    refuse('cancelled')\n    continue",
            says: "it says \"cancelled\", and nobody cancelled it"),
        HostileBackend(
            "finds a page of one record too large",
            "if m == 'pull':\n    refuse('too_large')\n    continue",
            says:
                "plugin hostile calls the request too large: big (one record of Post was asked for)"
        ),
        HostileBackend(
            "gives no verdict", "if m == 'push':\n    answer({'results': []})\n    continue",
            says: "plugin hostile gave no verdict on the create of Post"),
        HostileBackend(
            "gives a verdict that cannot be read",
            """
            if m == 'push':
                answer({'results': [{'key': o['key'], 'outcome': 'perhaps'}
                    for o in r['params']['ops']]})
                continue
            """, says: "plugin hostile gave a verdict that cannot be read"),
        HostileBackend(
            "leaves a daemon with its pipes",
            """
            if m == 'push':
                note(subprocess.Popen(['/bin/sleep', '1000'], start_new_session=True).pid)
                os._exit(5)
            """, says: "ended (exit status 5) before it answered push"),
        HostileBackend(
            "complains at length",
            """
            if m == 'push':
                for n in range(100): sys.stderr.write('e' * 99999 + '\\n')
                sys.exit(1)
            """, says: "ended (exit status 1) before it answered push"),
    ]
}

@Suite(.timeLimit(.minutes(15))) struct `A sync with a plugin that misbehaves` {
    let space: HookedWorkspace

    init() throws { space = try HookedWorkspace() }

    @Test(arguments: HostileBackend.all)
    func `ends with a named fault, its queue whole and nothing running`(_ hostile: HostileBackend)
        throws
    {
        let home = space.pair.home
        let pids = home.file("pids")
        try home.write(
            "a/plugins/satchel-backend-hostile",
            hostile.script.replacing(HostileBackend.pids, with: pids), mode: 0o755)
        try space.output("trust --yes")
        try space.output("context add other --backend hostile")
        try space.output("create Post id=p1 title=x --context other")
        let ended = try space.run("sync --context other -o json")
        #expect(ended.code == 7, "\(ended)")
        let line = try #require(ended.errors.split(separator: "\n").last)
        let error = try JSONValue.parse(String(line))["error"]
        #expect(error?["kind"] == "plugin", "\(ended)")
        #expect(error?["message"]?.text?.contains(hostile.says) == true, "\(ended)")
        // A push that was answered before is done; anything else still waits.
        let queue = try space.pair.json("a", "queue --context other")
        let entry = queue.elements?.first
        if hostile.body.contains("'pull'") {
            #expect(queue.elements?.isEmpty == true, "\(queue)")
        } else {
            #expect(entry?["id"] == "p1", "\(queue)")
            #expect(["queued", "unknown"].contains(entry?["state"]?.text), "\(queue)")
        }
        for pid in try home.read("pids").split(separator: "\n").compactMap({ pid_t($0) }) {
            #expect(!Machine.isAlive(pid))
        }
    }
}
