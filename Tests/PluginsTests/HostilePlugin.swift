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

    static let all: [HostilePlugin] = [
        HostilePlugin(
            testDescription: "is silent", script: "for request in requests(): pass",
            ask: greets, message: "did not answer initialize within 300 ms",
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
            ask: pulls, message: "did not answer pull within 150 ms", limits: quick),
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
                child = subprocess.Popen(["/bin/sleep", "1"], start_new_session=True)
                """ + "\n" + afterWelcome("os._exit(4)"),
            ask: pulls, message: "ended (exit status 4) before it answered pull"),
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
            }, message: "did not answer push within 150 ms", limits: quick),
        HostilePlugin(
            testDescription: "says that more follows and gives no cursor",
            script: afterWelcome("answer(request, {'records': [], 'more': True})"), ask: pulls,
            message: "more follows and gives no new cursor"),
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
            testDescription: "has no interpreter", script: "", ask: greets, kind: .unavailable,
            message: "cannot start"),
    ]
}
