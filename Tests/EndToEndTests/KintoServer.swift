import CSystem
import Glibc
import JSON
import Platform
import Testing

/// A Kinto server of a test's own, on a port that the system chose; gone with the value.
final class KintoServer {
    static let password = "correct-horse"
    /// Where the backend is in the sources.
    static let plugins = Path.normalise(Path.join(Path.parent(#filePath), "../../plugins"))

    let home: SatchelHome
    private let program: RunningProgram
    private let steps: Descriptor
    private(set) var port = 0

    var url: String { "http://127.0.0.1:\(port)" }

    init(_ home: SatchelHome) throws {
        self.home = home
        let root = Path.join(Self.plugins, "..")
        let python = Path.normalise(Path.join(root, ".build/servers/bin/python"))
        try #require(Files.exists(python), "the servers are missing: scripts/packages test")
        let fifo = home.file("server.steps")
        try #require(mkfifo(fifo, 0o600) == 0)
        let number = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(number >= 0)
        steps = Descriptor(taking: number)
        let script = Path.normalise(Path.join(root, "Tests/Servers/kinto_server.py"))
        program = try home.start(python, [script, fifo, home.file("server.state")])
        let ready = try step()
        port = try #require(Int(ready.split(separator: " ").last ?? ""), "\(ready)")
    }

    /// The server goes and is back, with its data.
    func restart() throws { try command(SIGHUP) }

    /// The server is killed and comes back with nothing but the account.
    func restartEmpty() throws { try command(SIGUSR1) }

    /// Connections are refused from now on; from the next call on they are not.
    func toggle() throws { try command(SIGUSR2) }

    /// What it does next instead of answering, as `Faults` in kinto_server.py says.
    func set(_ rules: JSONValue...) throws { _ = try control(["rules": .array(rules)]) }

    /// Does `flush`, `purge` or `release`.
    func tell(_ word: String) throws { _ = try control(["do": .string(word)]) }

    /// The requests since the last time, as `METHOD PATH?QUERY`.
    func requests() throws -> [String] {
        try control([:])["requests"]?.elements?.compactMap(\.text) ?? []
    }

    /// Waits for a request that has these words in its line.
    func met(_ words: String) throws {
        for _ in 0..<600 {
            if try requests().contains(where: { $0.contains(words) }) { return }
        }
        Issue.record("nobody asked for \(words)")
    }

    /// A request of another client; `path` begins below `/v1`.
    func ask(
        _ method: String, _ path: String, _ body: JSONValue? = nil, as login: String? = nil
    ) throws -> JSONValue {
        try send(method, "/v1\(path)", login ?? "ann:\(Self.password)", body)
    }

    private func control(_ words: JSONValue) throws -> JSONValue {
        try #require(try send("POST", "/__test__", "", words)["body"])
    }

    private func send(
        _ method: String, _ path: String, _ login: String, _ body: JSONValue?
    ) throws -> JSONValue {
        let script = Path.normalise(Path.join(Self.plugins, "../Tests/Servers/ask.py"))
        let arguments = [script, method, url + path, login, body?.serialized() ?? ""]
        return try home.start("/usr/bin/python3", arguments).wait().json()
    }

    private func command(_ signal: Int32) throws {
        program.signal(signal)
        #expect(try step() == "done")
    }

    /// The next line that tells of a step done.
    private func step() throws -> String {
        let end = Descriptor(taking: satchel_pidfd_open(program.pid))
        var line: [UInt8] = []
        while line.last != 0x0A {
            let ready = Poll.wait(
                reading: [steps.number, end.number], milliseconds: 60_000)
            var byte: UInt8 = 0
            let count = ready.contains(steps.number) ? read(steps.number, &byte, 1) : 0
            let last = try program.complained.suffix(2_000)
            try #require(count == 1, "the server is gone: \(last)")
            line.append(byte)
        }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }
}
