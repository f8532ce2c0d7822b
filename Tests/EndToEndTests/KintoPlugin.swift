import CSystem
import Glibc
import JSON
import Platform
import Testing

/// The backend itself, spoken to line by line.
final class KintoPlugin {
    static let models: JSONValue = [
        [
            "name": "Note", "key": ["id"],
            "fields": [
                ["name": "id", "type": "ID", "required": true],
                ["name": "title", "type": "String", "required": true],
                ["name": "done", "type": "Boolean"],
                ["name": "extra", "type": "AWSJSON"],
            ],
        ]
    ]

    let program: RunningProgram
    private var input: Descriptor?
    /// Its files are there as long as this is.
    private let home: SatchelHome
    private var count: Int64 = 0

    init(_ home: SatchelHome) throws {
        self.home = home
        let fifo = home.file("plugin-\(RandomBytes.hexadecimal(count: 4))")
        try #require(mkfifo(fifo, 0o600) == 0)
        // Both ends, so that neither side waits for the other to open its own.
        let number = open(fifo, O_RDWR | O_CLOEXEC)
        try #require(number >= 0)
        let opened = Descriptor(taking: number)
        let path = Path.join(KintoServer.plugins, "satchel-backend-kinto")
        let stem = RandomBytes.hexadecimal(count: 4)
        program = try RunningProgram(
            path, [], environment: try home.environment(["SATCHEL_PLUGIN": "1"]),
            directory: home.path, input: fifo, output: home.file("out-\(stem)"),
            errors: home.file("err-\(stem)"))
        input = consume opened
    }

    /// Ends its input.
    func closeInput() { input = nil }

    /// Welcomes it; changes to the usual configuration come in `config`.
    @discardableResult
    func initialize(_ url: String, _ config: JSONObject = JSONObject()) throws -> JSONValue {
        var all = JSONObject([
            ("url", .string(url)), ("bucket", "app"), ("user", "ann"),
        ])
        for (key, value) in config.pairs { all[key] = value }
        return try ask(
            "initialize",
            [
                "protocols": [1], "client": "test", "context": "test", "config": .object(all),
                "secrets": ["password": .string(KintoServer.password)], "models": Self.models,
            ])
    }

    /// Sends a request; its id.
    func send(_ method: String, _ params: JSONValue) throws -> Int64 {
        count += 1
        try write(["id": .int(count), "method": .string(method), "params": params])
        return count
    }

    func cancel(_ id: Int64) throws { try write(["method": "cancel", "params": ["id": .int(id)]]) }

    /// The whole answer to a request, with `result` or `error`.
    func answer(to id: Int64) throws -> JSONValue {
        let end = Descriptor(taking: satchel_pidfd_open(program.pid))
        while true {
            let isOver = !Poll.wait(reading: [end.number], milliseconds: 2).isEmpty
            for line in try program.printed.split(separator: "\n") {
                guard let value = try? JSONValue.parse(String(line)) else { continue }
                if value["id"] == .int(id) { return value }
            }
            let complained = try program.complained
            try #require(!isOver, "it ended: \(complained)")
        }
    }

    func ask(_ method: String, _ params: JSONValue) throws -> JSONValue {
        try answer(to: try send(method, params))
    }

    func pull(_ cursor: JSONValue? = nil, filter: JSONValue? = nil) throws -> JSONValue {
        try ask(
            "pull",
            [
                "model": "Note", "cursor": cursor ?? .null, "limit": 100,
                "filter": filter ?? .null,
            ])
    }

    /// Pushes one operation; its verdict.
    func push(
        _ kind: String, _ id: String, _ set: JSONValue, base: JSONValue? = nil
    ) throws -> JSONValue {
        let op: JSONValue = [
            "key": .string(RandomBytes.hexadecimal(count: 8)), "group": "g", "model": "Note",
            "id": .string(id), "kind": .string(kind), "base_version": base ?? .null, "set": set,
            "record": set,
        ]
        let answer = try ask("push", ["ops": [op]])
        return try #require(answer["result"]?["results"]?.elements?.first, "\(answer)")
    }

    private func write(_ message: JSONValue) throws {
        let bytes = Array((message.serialized() + "\n").utf8)
        try #require(Glibc.write(input?.number ?? -1, bytes, bytes.count) == bytes.count)
    }
}
