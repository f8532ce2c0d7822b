import JSON
import Platform
import Plugins
import Records
import Sync
import Testing

@Suite struct `A working plugin` {
    static func pulling(_ result: String) -> String {
        HostilePlugin.afterWelcome("answer(request, \(result))")
    }

    @Test func `is understood one byte at a time`() throws {
        let plugin = try ScriptedPlugin(
            """
            def out(data):
                for byte in data: os.write(1, bytes([byte]))
            """ + "\n"
                + Self.pulling("{'records': [{'id': '1', 'version': 3, 'record': {'id': '1'}}]}"))
        let backend = plugin.backend()
        let page = try backend.pull(PullRequest(model: "Post", cursor: nil, limit: 10))
        #expect(
            page.records == [
                RemoteRecord(id: RecordID("1"), version: 3, record: JSONObject([("id", "1")]))
            ])
        #expect(!page.more && page.cursor == nil && page.complete == nil)
        backend.close()
        #expect(try plugin.survivors() == [])
    }

    @Test func `may answer one request twice`() throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome("answer(request, {})\nanswer(request, {})"))
        let backend = plugin.backend()
        try backend.ping()
        try backend.ping()
        backend.close()
        let notes = plugin.logs.takeAll().filter { $0.source == .host }
        #expect(notes.first?.message == "answered request 2 again or too late; ignored")
    }

    @Test func `may leave verdicts out and give strange ones`() throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome(
                """
                answer(request, {'results': [
                    {'key': 'a', 'outcome': 'ok', 'version': 1, 'record': {'id': '1'}},
                    {'key': 'a', 'outcome': 'rejected', 'message': 'second'},
                    {'key': 'i', 'outcome': 'conflict'}, {'key': 'i', 'outcome': 'conflict'},
                    {'key': 'zzz', 'outcome': 'ok'}, 7,
                    {'key': 'c', 'outcome': 'perhaps'},
                    {'key': 'd', 'outcome': 'conflict', 'record': None},
                    {'key': 'e', 'outcome': 'conflict'},
                    {'key': 'f', 'outcome': 'rejected', 'message': 'no', 'field': 'title'},
                    {'key': 'g', 'outcome': 'retry', 'message': 'busy', 'after_ms': 5},
                    {'key': 'h', 'outcome': 'auth', 'message': 'who?'},
                    {'key': 'j', 'outcome': 'unknown', 'message': 'it failed'},
                ]})
                """))
        let backend = plugin.backend()
        let keys = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
        let verdicts = try backend.push(keys.map { .create($0, id: $0) })
        #expect(
            verdicts == [
                "a": .unknown(message: "two verdicts that contradict each other"),
                "c": .unknown(message: "a verdict that cannot be read"),
                "d": .conflict(.gone(version: nil)), "e": .conflict(.unknown),
                "i": .conflict(.unknown),
                "f": .rejected(message: "no", code: nil, field: "title"),
                "g": .retry(message: "busy", afterMilliseconds: 5), "h": .auth(message: "who?"),
                "j": .unknown(message: "no verdict: it failed"),
            ])
        backend.close()
    }

    @Test func `has data it cannot decode put aside and the page go on`() throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome(
                """
                deep = {}
                for n in range(200): deep = {'d': deep}
                answer(request, {'records': [
                    {'id': '1', 'version': 1, 'record': deep}, {'id': '2', 'record': 'garbage'},
                    {'record': {}}, 5, {'id': 6, 'version': None, 'deleted': True},
                    {'id': '10', 'record': 'half', 'reason': 'it says half'},
                    {'id': None, 'record': 'none', 'reason': 'no key'},
                    {'id': '11', 'record': 'x', 'reason': 7},
                    {'id': '7', 'version': 'v' * 5000, 'record': {}},
                    {'id': '8', 'version': 1, 'model': 'Note', 'record': {}},
                    {'id': '9' * 5000, 'version': 1, 'record': {}}],
                    'cursor': 12345678901234567890.50, 'more': True, 'complete': False})
                """))
        let backend = plugin.backend()
        let page = try backend.pull(PullRequest(model: "Post", cursor: nil, limit: 20))
        #expect(page.records == [RemoteRecord(id: RecordID("6"), version: nil, record: nil)])
        let noID = "it has no id, or one longer than 4096 bytes"
        #expect(
            page.undecodable.map(\.reason) == [
                "it is nested deeper than 128 levels", "its record is no object", noID,
                "it is no object", "it says half", "no key",
                "its record is no object", "its version is longer than 4096 bytes", noID,
                "it says that it is of another model than Post",
            ])
        #expect(
            page.undecodable.map { $0.id?.text } == [
                "1", "2", nil, nil, "10", nil, "11", "7", nil, nil,
            ])
        // What is no record must not be taken for one later.
        #expect(
            page.undecodable.map { $0.raw.hasPrefix("[") } == [
                false, false, true, true, false, true, false, false, true, true,
            ])
        #expect(page.undecodable[1].raw == "garbage")
        #expect(page.more && page.complete == false)
        backend.close()
    }

    @Test func `can do what it said at first, whatever it says later`() throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome(
                """
                tell("initialize", capabilities={"push": {"batch": 1}}, identity="other")
                tell("capabilities", push={"batch": 1})
                answer(request, {"capabilities": {"push": {"batch": 1}}, "identity": "other"})
                """))
        let backend = plugin.backend()
        defer { backend.close() }
        let before = try backend.greeted()
        try backend.ping()
        #expect(try backend.greeted() == before)
        #expect(before.capabilities.batch == 100 && before.identity == "set-1")
    }

    @Test func `gets cursors and versions back byte for byte`() throws {
        let plugin = try ScriptedPlugin(
            """
            for line in sys.stdin:
                request = json.loads(line)
                if request["method"] == "initialize": welcome(request)
                elif request["method"] == "pull":
                    if request["params"]["cursor"] is None:
                        out(b'{"id":%d,"result":{"records":[],"more":true,"cursor":{"b":1.10,"a":[100000000000000000000,1e5,"\\u00e9"]}}}\\n' % request["id"])
                    else:
                        at = line.index('"cursor":') + 9
                        answer(request, {"records": [{"id": "1", "record": {"seen": line[at:line.index(',"limit"')]}}]})
            """)
        let backend = plugin.backend()
        let first = try backend.pull(PullRequest(model: "Post", cursor: nil, limit: 10))
        let second = try backend.pull(PullRequest(model: "Post", cursor: first.cursor, limit: 10))
        #expect(
            second.records.first?.record?["seen"]
                == #"{"b":1.10,"a":[100000000000000000000,1e5,"é"]}"#)
        backend.close()
    }

    @Test func `works ahead on the page that is asked for next`() throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome(
                "answer(request, {'records': [{'id': str(request['id']), 'record': {}}]})"))
        let backend = plugin.backend()
        let first = PullRequest(model: "Post", cursor: nil, limit: 10)
        let second = PullRequest(model: "Post", cursor: 1, limit: 10)
        backend.prefetch(first)
        #expect(try backend.pull(first).records.map(\.id.text) == ["2"])
        backend.prefetch(first)
        backend.prefetch(first)
        #expect(try backend.pull(second).records.map(\.id.text) == ["4"])
        #expect(try backend.pull(first).records.map(\.id.text) == ["5"])
        backend.close()
    }

    @Test(arguments: [
        ("retryable", BackendError.Kind.retryable), ("auth", .auth), ("permanent", .permanent),
        ("rate_limited", .rateLimited(afterMilliseconds: 70)), ("cursor_expired", .cursorExpired),
        ("unsupported", .unsupported),
        ("something new", .permanent),
    ])
    func `tells why a request failed`(_ word: String, _ kind: BackendError.Kind) throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome(
                "refuse(request, '\(word)', 'not today', after_ms=70, hint='go home')"))
        let backend = plugin.backend()
        let error = #expect(throws: BackendError.self) { try backend.ping() }
        #expect(error == BackendError(kind, "not today", hint: "go home"))
        backend.close()
    }

    @Test func `is said to find a request too large, by name`() throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome("refuse(request, 'too_large', 'big', hint='go home')"))
        let backend = plugin.backend()
        let error = #expect(throws: BackendError.self) { try backend.ping() }
        #expect(
            error
                == BackendError(
                    .tooLarge, "plugin scripted calls the request too large: big", hint: "go home"))
        backend.close()
    }

    @Test func `may leave a null beside its answer`() throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome(
                """
                if request["method"] == "ping": say({"id": request["id"], "result": {}, "error": None})
                else: say({"id": request["id"], "result": None, "error":
                    {"code": 1, "message": "no", "data": {"kind": "auth"}}})
                """))
        let backend = plugin.backend()
        try backend.ping()
        let error = #expect(throws: BackendError.self) { try backend.push([.create("k", id: "1")]) }
        #expect(error == BackendError(.auth, "no"))
        backend.close()
    }

    @Test func `extends its deadline by telling of progress`() throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome(
                """
                for n in range(16):
                    time.sleep(0.25)
                    tell("progress", id=request["id"], done=n, total=16)
                answer(request, {'records': []})
                """))
        plugin.deadlines.pull = 3_000
        let backend = plugin.backend()
        _ = try backend.pull(PullRequest(model: "Post", cursor: nil, limit: 10))
        backend.close()
        plugin.deadlines.longest = 2_000
        let hurried = plugin.backend()
        let error = #expect(throws: BackendError.self) {
            try hurried.pull(PullRequest(model: "Post", cursor: nil, limit: 10))
        }
        #expect(
            error?.message
                == "plugin scripted did not end pull within 2 s, all its progress told")
    }

    @Test func `that tells of progress and falls silent has its deadline again from then`() throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome(
                "tell('progress', id=request['id'], done=1, total=8)\nsys.stdin.read()"))
        plugin.deadlines.pull = 1_500
        let backend = plugin.backend()
        let error = #expect(throws: BackendError.self) {
            try backend.pull(PullRequest(model: "Post", cursor: nil, limit: 10))
        }
        #expect(error?.kind == .hung)
        #expect(
            error?.message
                == "plugin scripted told of progress with pull, and then of nothing for 1500 ms")
    }

    @Test func `has a flood of events turned into a gap`() throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome(
                """
                if request["method"] == "subscribe":
                    out(b'{"method":"event","params":{"model":"Post","id":"1"}}\\n' * 50000)
                answer(request, {})
                """))
        let backend = plugin.backend()
        _ = try backend.greeted()
        // Nobody takes the events while the plugin sends them.
        try backend.ping()
        try backend.subscribe(models: ["Post"])
        let events = try backend.nextEvents()
        #expect(events.count <= 50_000)
        #expect(events.count == 50_000 || events.contains(.gap))
        try backend.ping()
        backend.close()
    }

    @Test func `sends events, and a gap after it died`() throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome(
                """
                if request["method"] == "subscribe":
                    tell("event", model="Post", id="1", version=2, deleted=True, origin_key="k")
                    tell("gap")
                    tell("event", nonsense=1)
                elif request["method"] == "push": sys.exit(1)
                answer(request, {})
                """))
        let backend = plugin.backend()
        #expect(try backend.nextEvents() == [])
        try backend.subscribe(models: ["Post"])
        #expect(
            try backend.nextEvents() == [
                .changed(
                    model: "Post", id: RecordID("1"), version: 2, record: nil, deleted: true,
                    originKey: "k"), .gap, .gap,
            ])
        #expect(throws: BackendError.self) { try backend.push([.create("k", id: "1")]) }
        #expect(try backend.nextEvents().first == .gap)
        backend.close()
    }
}
