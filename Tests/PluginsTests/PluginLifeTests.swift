import JSON
import Platform
import Plugins
import Records
import Sync
import Testing

@Suite struct `The life of a plugin` {
    @Test func `begins anew once after a death, and then waits`() throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome(
                "if request['method'] == 'push': sys.exit(1)\nanswer(request, {})"))
        let backend = plugin.backend()
        #expect(throws: BackendError.self) { try backend.push([.create("k", id: "1")]) }
        try backend.ping()
        #expect(try plugin.starts() == 2)
        #expect(throws: BackendError.self) { try backend.push([.create("k", id: "1")]) }
        let error = #expect(throws: BackendError.self) { try backend.ping() }
        #expect(error?.kind == .broken)
        #expect(error?.hint == "it is not started again for 1 s")
        #expect(try plugin.starts() == 2)
    }

    @Test func `ends by itself at the end of its input`() throws {
        let plugin = try ScriptedPlugin(
            """
            for request in requests(): welcome(request)
            open(sys.argv[0] + ".left", "w").write("of its own will")
            """)
        plugin.deadlines.closing = 120_000
        let backend = plugin.backend()
        _ = try backend.greeted()
        backend.close()
        #expect(Files.exists(plugin.path + ".left"))
        #expect(try plugin.survivors() == [])
    }

    @Test func `ends with its backend`() throws {
        let plugin = try ScriptedPlugin(HostilePlugin.afterWelcome("pass"))
        do {
            let backend = plugin.backend()
            _ = try backend.greeted()
        }
        #expect(try plugin.survivors() == [])
    }

    @Test func `refuses another data set after a restart`() throws {
        let plugin = try ScriptedPlugin(
            """
            for request in requests():
                if request["method"] == "initialize": welcome(request, identity=str(os.getpid()))
                else: sys.exit(1)
            """)
        let backend = plugin.backend()
        #expect(try backend.identity()?.isEmpty == false)
        #expect(throws: BackendError.self) { try backend.ping() }
        let error = #expect(throws: BackendError.self) { try backend.identity() }
        #expect(error?.message.contains("another data set") == true)
    }

    @Test func `sees its own group, folder and environment, and nothing else`() throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome(
                """
                answer(request, {'records': [{'id': '1', 'record': {
                    'leads': os.getpgrp() == os.getpid(), 'folder': os.getcwd(),
                    'environment': sorted(k for k in os.environ if k != 'LC_CTYPE'),
                    'open': [f for f in map(int, os.listdir('/proc/self/fd'))
                        if os.path.exists('/proc/self/fd/%d' % f)],
                    'pipe': signal.getsignal(signal.SIGPIPE) == signal.SIG_IGN,
                    'blocked': len(signal.pthread_sigmask(signal.SIG_BLOCK, []))}}]})
                """))
        let backend = plugin.backend()
        let page = try backend.pull(PullRequest(model: "Post", cursor: nil, limit: 10))
        let seen = page.records.first?.record
        #expect(seen?["leads"] == true)
        #expect(seen?["folder"]?.text == (try Files.realPath(plugin.directory)))
        #expect(seen?["environment"] == ["HOME", "PATH", "SATCHEL_PLUGIN"])
        #expect(seen?["open"] == [0, 1, 2])
        #expect(seen?["blocked"] == 0)
        backend.close()
    }

    @Test(arguments: [
        "d\u{e9}j\u{e0}/vu\u{1f511}", "d\\u00e9j\\u00e0/vu\\ud83d\\udd11",
        "d\\u00E9j\\u00E0/vu\\uD83D\\uDD11", "d\u{e9}j\u{e0}\\/vu\u{1f511}",
        "d%C3%A9j%C3%A0%2Fvu%F0%9F%94%91", "d%c3%a9j%c3%a0%2fvu%f0%9f%94%91",
        "ZMOpasOgL3Z18J+UkQ==", "ZMOpasOgL3Z18J-UkQ==", "ZMOpasOgL3Z18J-UkQ",
    ])
    func `has a secret masked however it spells it`(_ spelling: String) {
        let masker = Masker(["d\u{e9}j\u{e0}/vu\u{1f511}"])
        #expect(masker.mask("it is \(spelling).") == "it is ••••••.")
    }

    @Test func `has its secrets masked in all it says`() throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome(
                """
                tell("log", level="info", message="using s3 cr\\"et now")
                tell("secret", key="token", value="fresh-token")
                sys.stderr.write("and fresh-token; s3%20cr%22et\\n")
                sys.stderr.flush()
                if request["method"] == "pull":
                    answer(request, {'records': [{'id': '1', 'record': 's3 cr"et'}]})
                else: refuse(request, 'auth', 'bad fresh-token')
                """))
        let backend = plugin.backend(secrets: JSONObject([("password", "s3 cr\"et")]))
        var refreshed: [String] = []
        backend.onSecret = { key, value, _ in refreshed.append("\(key)=\(value)") }
        let page = try backend.pull(PullRequest(model: "Post", cursor: nil, limit: 10))
        #expect(page.undecodable.first?.raw == "••••••")
        let error = #expect(throws: BackendError.self) { try backend.ping() }
        #expect(error?.message == "bad ••••••")
        #expect(refreshed == ["token=fresh-token", "token=fresh-token"])
        backend.close()
        let said = plugin.logs.takeAll().map(\.message).joined(separator: "\n")
        #expect(said.contains("using •••••• now"))
        #expect(!said.contains("fresh-token") && !said.contains("s3%20"))
    }
}

@Suite struct `Interrupting a plugin` {
    private static func interrupted(
        _ body: String, graceful: Int64 = 150
    ) throws -> (error: BackendError?, survivors: [Int32]) {
        let plugin = try ScriptedPlugin(body)
        plugin.deadlines.cancel = graceful
        let backend = plugin.backend()
        _ = try backend.greeted()
        let interrupt = plugin.interrupt
        let asked = plugin.path + ".asked"
        // Raised only once the plugin has the request in hand.
        let waker = try Worker.start {
            while !Files.exists(asked) { _ = Poll.wait(reading: [], milliseconds: 1) }
            interrupt.raise(signal: 2)
        }
        var failure: BackendError?
        do throws(BackendError) {
            _ = try backend.push([.create("k", id: "1")])
        } catch {
            failure = error
        }
        waker.join()
        backend.close()
        return (failure, try plugin.survivors())
    }

    private static let asked = "open(sys.argv[0] + '.asked', 'w')\n"

    @Test func `gets its verdicts when it answers the cancel`() throws {
        let result = try Self.interrupted(
            """
            request = next(requests()); welcome(request)
            request = next(requests())
            \(Self.asked)
            cancel = json.loads(sys.stdin.readline())
            if cancel["method"] == "cancel" and cancel["params"]["id"] == request["id"]:
                answer(request, {"results": []})
            sys.stdin.read()
            """, graceful: 120_000)
        #expect(result.error == nil)
        #expect(result.survivors == [])
    }

    @Test func `stops a plugin deaf to cancel and SIGTERM`() throws {
        let result = try Self.interrupted(
            "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                + HostilePlugin.afterWelcome("\(Self.asked)time.sleep(60)"))
        #expect(result.error?.kind == .cancelled)
        #expect(result.survivors == [])
    }

    @Test func `gives the caller back at once when there is no grace`() throws {
        let result = try Self.interrupted(
            HostilePlugin.afterWelcome("\(Self.asked)time.sleep(60)"), graceful: 0)
        #expect(result.error?.kind == .cancelled)
        #expect(result.survivors == [])
    }

    @Test func `asks nothing of a plugin that is well once it is raised`() throws {
        let plugin = try ScriptedPlugin(HostilePlugin.afterWelcome("answer(request, {})"))
        let backend = plugin.backend()
        try backend.ping()
        plugin.interrupt.raise(signal: 2)
        let error = #expect(throws: BackendError.self) { try backend.ping() }
        #expect(error?.kind == .cancelled)
        plugin.interrupt.reset()
        try backend.ping()
        backend.close()
        #expect(try plugin.starts() == 1)
    }

    @Test func `ignores an answer that comes after the cancel`() throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome(
                """
                if request["method"] == "pull": time.sleep(0.05)
                answer(request, {'records': []})
                """))
        let backend = plugin.backend()
        backend.prefetch(PullRequest(model: "Post", cursor: nil, limit: 1))
        _ = try backend.pull(PullRequest(model: "Post", cursor: 1, limit: 1))
        try backend.ping()
        backend.close()
        #expect(try plugin.starts() == 1)
    }
}
