import JSON
import Platform
import PluginKit
import ServerHarness
import Testing
import satchel_backend_graphql

/// The backend in this process, with the words it has for the host: a host that only listens.
final class Listener {
    let api: AppSync
    let server: AppSyncServer
    private let pipe: Pipe
    private let lines: LineReader
    /// All that was told, in order.
    private(set) var told: [Told] = []

    enum Told: Equatable {
        case gap
        case event(model: String, id: String, version: JSONValue?, isDeleted: Bool)
        case secret(String, String)
        case log(String)
    }

    init(
        _ server: AppSyncServer, _ config: JSONObject = JSONObject(),
        secrets: JSONObject = JSONObject([("api_key", .string(AppSyncServer.apiKey))]),
        environment: [String: String] = [:]
    ) throws {
        pipe = try Pipe.make()
        lines = LineReader(pipe.reading.number, name: "the plugin")
        let output = PluginHost(output: ByteOutput(pipe.writing.number, name: "the host"))
        self.server = server
        api = try AppSync(
            server, config, secrets: secrets, environment: environment, host: output)
    }

    convenience init(_ options: String...) throws {
        try self.init(AppSyncServer(options: options))
    }

    func subscribe(_ models: String..., filters: JSONValue? = nil) throws {
        try api.backend.subscribe(
            models: models.isEmpty ? nil : models, filters: filters, api.call)
    }

    /// Does as a host that waits, until something of that kind is told; all of it since the last time.
    @discardableResult
    func hear(until isEnough: ([Told]) -> Bool) throws -> [Told] {
        let end = Clock.system.monotonic() + 120_000
        while !isEnough(told) {
            guard Clock.system.monotonic() < end else {
                Issue.record("it is not told; there is \(told)")
                break
            }
            turn(atMost: 1_000)
        }
        defer { told = [] }
        return told
    }

    /// Takes one turn of the plugin, as its server does.
    func turn(atMost milliseconds: Int64) {
        let reading = pipe.reading.number
        var pause = milliseconds
        switch api.backend.idle() {
        case .again: pause = 0
        case .later(let time): pause = min(pause, time)
        case .done: break
        }
        let ready = Poll.wait(
            reading: api.backend.watchedDescriptors + [reading], milliseconds: pause)
        for descriptor in ready where descriptor != reading {
            api.backend.react(to: descriptor)
        }
        while lines.isReady, let line = read() { told.append(line) }
    }

    /// Lets the plugin work until the server has come to a state.
    func wait(_ state: JSONValue) throws {
        let end = Clock.system.monotonic() + 120_000
        var command = JSONObject([("command", "wait"), ("timeout", 0)])
        for (key, value) in state.members?.pairs ?? [] { command[key] = value }
        while try server.control(.object(command))["held"] != true {
            guard Clock.system.monotonic() < end else {
                Issue.record("the server does not come to \(state.serialized())")
                return
            }
            turn(atMost: 50)
        }
    }

    private func read() -> Told? {
        guard case .line(let bytes)? = try? lines.next(),
            let message = try? JSONValue.parse(bytes), let params = message["params"]
        else { return nil }
        switch message["method"]?.text {
        case "gap": return .gap
        case "event":
            return .event(
                model: params["model"]?.text ?? "", id: params["id"]?.text ?? "",
                version: params["version"], isDeleted: params["deleted"] == true)
        case "secret":
            return .secret(params["key"]?.text ?? "", params["value"]?.text ?? "")
        default: return .log(params["message"]?.text ?? "")
        }
    }
}

extension [Listener.Told] {
    /// The ids of the records that were told of.
    var ids: [String] {
        compactMap { if case .event(_, let id, _, _) = $0 { id } else { nil } }
    }

    /// What was told of a record.
    func of(_ id: String) -> [Listener.Told] {
        filter { if case .event(_, id, _, _) = $0 { true } else { false } }
    }

    var gaps: Int { count { $0 == .gap } }

    var logs: [String] { compactMap { if case .log(let words) = $0 { words } else { nil } } }
}

/// What other clients write, with all that a record has or less.
extension AppSyncServer {
    func make(
        _ id: String, title: String = "one", _ more: JSONValue = [:],
        selecting selection: String = "id title _version _deleted _lastChangedAt"
    ) throws {
        var input = JSONObject([("id", .string(id)), ("title", .string(title))])
        for (key, value) in more.members?.pairs ?? [] { input[key] = value }
        let answer = try execute(
            "mutation C($i: CreatePostInput!) { createPost(input: $i) { \(selection) } }",
            ["i": .object(input)])
        #expect(answer["errors"] == nil, "\(answer.serialized())")
    }

    func write(_ verb: String, _ input: JSONValue, selecting selection: String) throws {
        let type = verb.prefix(1).uppercased() + verb.dropFirst()
        let answer = try execute(
            "mutation W($i: \(type)PostInput!) { \(verb)Post(input: $i) { \(selection) } }",
            ["i": input])
        #expect(answer["errors"] == nil, "\(answer.serialized())")
    }
}
