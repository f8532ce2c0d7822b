import JSON
import Platform
import Plugins
import Records
import Sync
import Testing

/// A plugin that misbehaves, what is asked of it, and what must come of it.
struct HostilePlugin: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var script: String
    var ask: @Sendable (PluginBackend) throws -> Void
    var kind: BackendError.Kind = .broken
    /// A part of the message.
    var message: String
    /// A part of the hint.
    var hint: String?
    var limits: @Sendable (inout Deadlines) -> Void = { _ in }

    static let pulls: @Sendable (PluginBackend) throws -> Void = {
        _ = try $0.pull(PullRequest(model: "Post", cursor: nil, limit: 10))
    }
    static let greets: @Sendable (PluginBackend) throws -> Void = { _ = try $0.greeted() }
    static let pushes: @Sendable (PluginBackend) throws -> Void = {
        _ = try $0.push([.create("k1", id: "1")])
    }
    static let quick: @Sendable (inout Deadlines) -> Void = {
        $0.pull = 150
        $0.push = 150
        $0.ping = 150
    }

    /// A script that answers `initialize` and does `body` with every other request.
    static func afterWelcome(_ body: String) -> String {
        """
        for request in requests():
            if request["method"] == "initialize":
                welcome(request)
                continue
        \(body.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
        """
    }

    static let all: [HostilePlugin] = misbehaving + cancelling + silent + tricks

    private static let misbehaving: [HostilePlugin] = [
        HostilePlugin(
            testDescription: "is silent", script: "for request in requests(): pass",
            ask: greets, kind: .hung, message: "did not answer initialize within 300 ms",
            hint: "it has written no line: does it flush its output after each one?",
            limits: { $0.initialize = 300 }),
        HostilePlugin(
            testDescription: "prints a banner",
            script: "print('Hello from \\x1b[31mme', flush=True)\nfor request in requests(): pass",
            ask: greets, message: "printed \"Hello from \\u{1b}[31mme\" on its standard output",
            hint: "standard output is for the protocol alone; logs go to standard error"),
        HostilePlugin(
            testDescription: "prints a prompt without a newline",
            script: "out(b'> ')\nfor request in requests(): pass",
            ask: greets, message: "printed \"> \" on its standard output"),
        HostilePlugin(
            testDescription: "writes a line of 20 MB",
            script: afterWelcome("out(b'{' + b'x' * 20000000 + b'\\n')"), ask: pulls,
            message: "sent a line longer than 16 MiB"),
        HostilePlugin(
            testDescription: "writes 20 MB without a newline and waits",
            script: afterWelcome("out(b'{' + b'x' * 20000000)"), ask: pulls,
            message: "sent a line longer than 16 MiB"),
        HostilePlugin(
            testDescription: "ends in half a line",
            script: afterWelcome("out(b'{\"jsonrpc\":\"2.0\",\"id\":2,\"res'); sys.exit(0)"),
            ask: pulls,
            message: "ended in the middle of a line: \"{\"jsonrpc\":\"2.0\",\"id\":2,\"res\""),
        HostilePlugin(
            testDescription: "refreshes secrets without end",
            script: """
                for request in requests():
                    while True: tell("secret", key="token", value="v")
                """,
            ask: greets, message: "sent more secrets than it may"),
        HostilePlugin(
            testDescription: "sends a secret of 10 MB",
            script: afterWelcome("tell('secret', key='token', value='v' * 10000000)"),
            ask: pulls, message: "sent more secrets than it may"),
        HostilePlugin(
            testDescription: "dies in a push",
            script: afterWelcome(
                "sys.stderr.write('out of cheese\\n'); os.kill(os.getpid(), signal.SIGKILL)"),
            ask: pushes, message: "ended (signal 9) before it answered push",
            hint: "it wrote: out of cheese"),
        HostilePlugin(
            testDescription: "exits at once", script: "sys.exit(3)", ask: greets,
            message: "ended (exit status 3) before it answered initialize"),
        HostilePlugin(
            testDescription: "answers an id never asked",
            script: afterWelcome("request['id'] = 99; answer(request, {})"), ask: pulls,
            message: "it answered request 99, which was never asked"),
        HostilePlugin(
            testDescription: "answers with a text as id",
            script: afterWelcome("request['id'] = 'two'; answer(request, {})"), ask: pulls,
            message: "it answered request \"two\", which was never asked"),
        HostilePlugin(
            testDescription: "writes invalid UTF-8",
            script: afterWelcome("out(b'{\"id\":2,\"result\":{\"a\":\"\\xff\"}}\\n')"), ask: pulls,
            message: "sent a line that cannot be read"),
        HostilePlugin(
            testDescription: "writes broken JSON",
            script: afterWelcome("out(b'{\"id\":2,\"result\":{]}\\n')"), ask: pulls,
            message: "sent a line that cannot be read"),
        HostilePlugin(
            testDescription: "nests past 512",
            script: afterWelcome(
                "out(b'{\"id\":2,\"result\":' + b'[' * 600 + b']' * 600 + b'}\\n')"), ask: pulls,
            message: "nested deeper than 512 levels"),
        HostilePlugin(
            testDescription: "answers neither result nor error",
            script: afterWelcome("say({'id': request['id']})"), ask: pulls,
            message: "neither method nor result nor error"),
        HostilePlugin(
            testDescription: "closes its output and lives on",
            script: afterWelcome("os.close(1)\ntime.sleep(60)"), ask: pulls,
            message: "closed its standard output"),
        HostilePlugin(
            testDescription: "speaks another protocol",
            script: "for request in requests(): welcome(request, protocol=2)", ask: greets,
            message: "speaks protocol 2, Satchel speaks 1"),
        HostilePlugin(
            testDescription: "ignores everything, SIGTERM too",
            script: "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                + afterWelcome("while True: time.sleep(60)"),
            ask: pulls, kind: .hung, message: "did not answer pull within 150 ms", limits: quick),
        HostilePlugin(
            testDescription: "leaves a grandchild with its pipes",
            script: """
                child = subprocess.Popen(["/bin/sleep", "60"])
                record_pid(child.pid)
                """ + "\n" + afterWelcome("os._exit(4)"),
            ask: pulls, message: "ended (exit status 4) before it answered pull"),
        HostilePlugin(
            testDescription: "leaves a grandchild outside its group with its pipes",
            script: """
                child = subprocess.Popen(["/bin/sleep", "60"], start_new_session=True)
                record_pid(child.pid)
                """ + "\n" + afterWelcome("os._exit(4)"),
            ask: pulls, message: "ended (exit status 4) before it answered pull"),
        HostilePlugin(
            testDescription: "leaves daemons that are deaf to SIGTERM",
            script: """
                if os.fork() == 0:
                    os.setsid()
                    if os.fork() == 0:
                        signal.signal(signal.SIGTERM, signal.SIG_IGN)
                        record_pid(os.getpid())
                        out(b'{"jsonrpc":"2.0","method":"gap"}\\n')
                        while True: time.sleep(60)
                    os._exit(0)
                os.wait()
                """ + "\n" + afterWelcome("while True: time.sleep(60)"),
            ask: pulls, kind: .hung, message: "did not answer pull within 150 ms", limits: quick),
        HostilePlugin(
            testDescription: "answers with result and error at once",
            script: afterWelcome("say({'id': request['id'], 'result': {}, 'error': {'code': 1}})"),
            ask: pulls, message: "the message has both result and error"),
        HostilePlugin(
            testDescription: "names an identity of 5 MB",
            script: "for request in requests(): welcome(request, identity='i' * 5000000)",
            ask: greets, message: "the identity is longer than 4096 bytes"),
        HostilePlugin(
            testDescription: "names an epoch of 5 MB",
            script: afterWelcome(
                "answer(request, {'records': [], 'more': False, 'epoch': 'e' * 5000000})"),
            ask: pulls, message: "the epoch is longer than 4096 bytes"),
        HostilePlugin(
            testDescription: "sends a secret with a key of 10 MB",
            script: afterWelcome("tell('secret', key='k' * 10000000, value='v')"),
            ask: pulls, message: "sent more secrets than it may"),
        HostilePlugin(
            testDescription: "tells of progress without end",
            script: afterWelcome(
                """
                while True:
                    tell('progress', id=request['id'], done=1, total=2)
                    time.sleep(0.01)
                """),
            ask: pulls, kind: .hung, message: "did not end pull within 1500 ms",
            limits: {
                $0.pull = 60_000
                $0.longest = 1_500
            }),
        HostilePlugin(
            testDescription: "answers a push with no list",
            script: afterWelcome("answer(request, {'results': {}})"), ask: pushes,
            message: "answered push wrongly: there is no list of results"),
        HostilePlugin(
            testDescription: "dies in a pull, in a fetch, in whatever it is asked",
            script: afterWelcome("os._exit(0)"),
            ask: { _ = try $0.fetch(model: "Post", ids: [RecordID("7")]) },
            message: "ended (exit status 0) before it answered fetch"),
        HostilePlugin(
            testDescription: "writes 10 MB to its standard error",
            script: afterWelcome(
                "for n in range(100): sys.stderr.write('e' * 99999 + '\\n')\nsys.exit(1)"),
            ask: pulls, message: "ended (exit status 1) before it answered pull",
            hint: "eeee"),
        HostilePlugin(
            testDescription: "does not read its input",
            script: "request = next(requests()); welcome(request); time.sleep(60)",
            ask: { backend in
                let text = JSONValue.string(String(repeating: "x", count: 3_000_000))
                var operation = PushOperation.create("k", id: "1")
                operation.set = JSONObject([("title", text)])
                _ = try backend.push([operation])
            }, kind: .hung, message: "did not answer push within 150 ms", limits: quick),
        HostilePlugin(
            testDescription: "says that more follows and gives no cursor",
            script: afterWelcome("answer(request, {'records': [], 'more': True})"), ask: pulls,
            message: "more follows and gives no new cursor"),
        HostilePlugin(
            testDescription: "gives more records than were asked for",
            script: afterWelcome(
                """
                answer(request, {'more': False, 'cursor': 1, 'records': [
                    {'id': str(n), 'version': 1, 'deleted': True} for n in range(11)]})
                """), ask: pulls, message: "11 records came where 10 at most were asked for"),
        HostilePlugin(
            testDescription: "gives a cursor over 4 KiB",
            script: afterWelcome(
                "answer(request, {'records': [], 'more': False, 'cursor': 'c' * 5000})"),
            ask: pulls, message: "the cursor is longer than 4096 bytes"),
        HostilePlugin(
            testDescription: "answers a pull with a list",
            script: afterWelcome("answer(request, [])"), ask: pulls,
            message: "there is no list of records"),
        HostilePlugin(
            testDescription: "leaves a record out of a fetch",
            script: afterWelcome("answer(request, {'records': []})"),
            ask: { _ = try $0.fetch(model: "Post", ids: [RecordID("7")]) },
            message: "the record 7 was asked for and is not answered"),
        HostilePlugin(
            testDescription: "would have to take a line longer than the protocol's",
            script: afterWelcome("pass"),
            ask: { backend in
                let text = JSONValue.string(String(repeating: "x", count: 17 << 20))
                var operation = PushOperation.create("k", id: "1")
                operation.set = JSONObject([("title", text)])
                _ = try backend.push([operation])
            }, kind: .tooLarge, message: "the push request for plugin scripted would be 18 MiB long"
        ),
        HostilePlugin(
            testDescription: "answers again and again while nobody looks",
            script: afterWelcome(
                """
                answer(request, {})
                if request["method"] == "ping":
                    for n in range(40): answer(request, {"fill": "x" * 200000})
                    open(sys.argv[0] + ".flooded", "w")
                """),
            ask: { backend in
                try backend.ping()
                let flooded = backend.setting.program.path + ".flooded"
                while !Files.exists(flooded) { _ = Poll.wait(reading: [], milliseconds: 1) }
                _ = try backend.pull(PullRequest(model: "Post", cursor: nil, limit: 10))
            }, message: "gave more than 16 answers that nobody asked for"),
        HostilePlugin(
            testDescription: "has no interpreter", script: "", ask: greets, kind: .unavailable,
            message: "cannot start"),
    ]

    /// What is asked, by name; each is cancelled by the plugin alone.
    private static let requests: [(String, @Sendable (PluginBackend) throws -> Void)] = [
        ("initialize", greets), ("pull", pulls), ("push", pushes),
        ("ping", { try $0.ping() }), ("schema", { _ = try $0.schema() }),
        ("fetch", { _ = try $0.fetch(model: "Post", ids: [RecordID("7")]) }),
        ("subscribe", { try $0.subscribe(models: ["Post"]) }),
        ("configure", { _ = try $0.configure(answers: JSONObject()) }),
    ]

    private static let silent: [HostilePlugin] = requests.dropFirst().map { name, ask in
        HostilePlugin(
            testDescription: "is silent to \(name)",
            script: afterWelcome("pass"), ask: ask, kind: .hung,
            message: "did not answer \(name) within 150 ms",
            limits: {
                quick(&$0)
                $0.fetch = 150
                $0.other = 150
            })
    }

    private static let cancelling: [HostilePlugin] = requests.map { name, ask in
        HostilePlugin(
            testDescription: "cancels \(name) by itself",
            script: """
                for request in requests():
                    if request["method"] == "\(name)": refuse(request, "cancelled")
                    else: welcome(request)
                """,
            ask: ask,
            message: "answered \(name) wrongly: it says \"cancelled\", and nobody cancelled it")
    }
}
