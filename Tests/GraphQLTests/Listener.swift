import JSON
import Platform
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

/// The backend in this process, with the words it has for the host: a host that only listens.
final class Listener {
    typealias Told = Ears.Told

    let api: AppSync
    let server: AppSyncServer
    private let ears: Ears

    init(
        _ server: AppSyncServer, _ config: JSONObject = JSONObject(),
        secrets: JSONObject = JSONObject([("api_key", .string(AppSyncServer.apiKey))]),
        schema: Schema = AppSync.schema, environment: [String: String] = [:]
    ) throws {
        ears = try Ears()
        self.server = server
        api = try AppSync(
            server, config, secrets: secrets, schema: schema, environment: environment,
            host: ears.host)
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
        ears.hear(api.backend, until: isEnough)
    }

    /// Takes one turn of the plugin, as its server does.
    func turn(atMost milliseconds: Int64) { ears.turn(api.backend, atMost: milliseconds) }

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
