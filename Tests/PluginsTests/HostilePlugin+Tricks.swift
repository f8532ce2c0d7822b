import Platform
import Plugins
import Records
import Sync

extension HostilePlugin {
    /// What looks like an answer and is none, and what never ends.
    static let tricks: [HostilePlugin] = answers + endless + deaf

    private static func flood(_ line: String) -> String {
        afterWelcome("while True: out(b'\(line)\\n' * 1000)")
    }

    private static let answers: [HostilePlugin] = [
        HostilePlugin(
            testDescription: "answers with the id of the request before",
            script: afterWelcome("request['id'] -= 1; answer(request, {'records': []})"),
            ask: pulls, kind: .hung, message: "did not answer pull within 150 ms", limits: quick),
        HostilePlugin(
            testDescription: "answers the request that comes after",
            script: afterWelcome("request['id'] += 1; answer(request, {'records': []})"),
            ask: pulls, message: "it answered request 3, which was never asked"),
        HostilePlugin(
            testDescription: "answers with a fraction as id",
            script: afterWelcome("request['id'] = 1.5; answer(request, {'records': []})"),
            ask: pulls, message: "it answered request 1.5, which was never asked"),
        HostilePlugin(
            testDescription: "answers with nothing as id",
            script: afterWelcome("say({'result': {'records': []}})"),
            ask: pulls, message: "it answered request null, which was never asked"),
        HostilePlugin(
            testDescription: "answers with an id of 5 MB",
            script: afterWelcome("request['id'] = 'i' * 5000000; answer(request, {})"),
            ask: pulls, message: "iii…, which was never asked"),
        HostilePlugin(
            testDescription: "answers with 200,000 items that are none",
            script: afterWelcome("answer(request, {'records': [1] * 200000})"),
            ask: pulls, message: "200000 records came where 10 at most were asked for"),
        HostilePlugin(
            testDescription: "asks something itself, and waits",
            script: afterWelcome(
                "say({'jsonrpc': '2.0', 'id': 7, 'method': 'pull', 'params': {}})"),
            ask: pulls, kind: .hung, message: "did not answer pull within 150 ms", limits: quick),
        HostilePlugin(
            testDescription: "answers in a batch",
            script: afterWelcome("say([{'id': request['id'], 'result': {'records': []}}])"),
            ask: pulls, message: "on its standard output",
            hint: "standard output is for the protocol alone"),
    ]

    private static let endless: [HostilePlugin] = [
        HostilePlugin(
            testDescription: "drips bytes of a line without end",
            script: afterWelcome(
                """
                out(b'{"jsonrpc":"2.0",')
                while True:
                    out(b' ')
                    time.sleep(0.02)
                """),
            ask: pulls, kind: .hung, message: "did not answer pull within 150 ms", limits: quick),
        HostilePlugin(
            testDescription: "pads a line with white space without end",
            script: afterWelcome("out(b'{')\nwhile True: out(b' ' * 65536)"),
            ask: pulls, message: "sent a line longer than 16 MiB"),
        HostilePlugin(
            testDescription: "writes white space without end",
            script: afterWelcome("while True: out(b' ' * 65536)"),
            ask: pulls, message: "printed \"    "),
        HostilePlugin(
            testDescription: "writes empty lines without end",
            script: afterWelcome("while True: out(b'\\n' * 65536)"),
            ask: pulls, message: "printed \"\" on its standard output"),
        HostilePlugin(
            testDescription: "writes nothing but notes nobody knows",
            script: flood(#"{"method":"x"}"#), ask: pulls, kind: .hung,
            message: "did not answer pull within 150 ms", limits: quick),
        HostilePlugin(
            testDescription: "writes nothing but gaps", script: flood(#"{"method":"gap"}"#),
            ask: pulls, kind: .hung, message: "did not answer pull within 150 ms", limits: quick),
        HostilePlugin(
            testDescription: "tells of the progress of what was never asked",
            script: flood(#"{"method":"progress","params":{"id":99}}"#), ask: pulls, kind: .hung,
            message: "did not answer pull within 150 ms", limits: quick),
        HostilePlugin(
            testDescription: "writes to its standard error without end",
            script: afterWelcome("while True: os.write(2, b'e' * 999 + b'\\n')"), ask: pulls,
            kind: .hung, message: "did not answer pull within 1 s", hint: "eeee",
            limits: { $0.pull = 1_000 }),
    ]

    private static let deaf: [HostilePlugin] = [
        HostilePlugin(
            testDescription: "stops itself",
            script: afterWelcome("os.kill(os.getpid(), signal.SIGSTOP)"), ask: pulls, kind: .hung,
            message: "did not answer pull within 150 ms", limits: quick),
        HostilePlugin(
            testDescription: "closes its input and lives on",
            script: afterWelcome(
                """
                os.close(0)
                answer(request, {})
                time.sleep(60)
                """),
            ask: {
                try $0.ping()
                _ = try $0.pull(PullRequest(model: "Post", cursor: nil, limit: 10))
            }, message: "closed its input before it took pull"),
        HostilePlugin(
            testDescription: "leaves 20 daemons, each in a session of its own",
            script: """
                for n in range(20):
                    child = os.fork()
                    if child == 0:
                        os.setsid()
                        if os.fork() == 0:
                            record_pid(os.getpid())
                            while True: time.sleep(60)
                        os._exit(0)
                    os.waitpid(child, 0)
                """ + "\n" + afterWelcome("os._exit(4)"),
            ask: pulls, message: "ended (exit status 4) before it answered pull"),
    ]
}
