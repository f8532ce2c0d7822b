package import JSON
internal import Platform

/// The AppSync-shaped server of the tests, as new; it goes back to the others with the value.
package final class AppSyncServer {
    /// Why there is no server, or none that answers.
    package struct Trouble: Error, CustomStringConvertible {
        package let description: String
    }

    package static let apiKey = "da2-testapikey000000000000000"
    /// The project's folder.
    package static let root = Path.normalise(Path.join(Path.parent(#filePath), "../.."))
    package static let fixtures = Path.join(root, "Tests/Servers/appsync/fixtures")

    private let process: ServerProcess
    private var isStopped = false

    package var port: Int { process.port }
    package var url: String { "http://127.0.0.1:\(port)/graphql" }

    /// Takes one that is free, or starts it and waits until it listens.
    ///
    /// The options are those of its README; a nil `schema` is the one of its fixtures.
    package convenience init(_ options: String..., schema: String? = nil) throws {
        try self.init(options: options, schema: schema)
    }

    package init(options: [String], schema: String? = nil) throws {
        let path = schema ?? Path.join(Self.fixtures, "schema.graphql")
        process = try ServerProcess.free(["-m", "appsync", "--schema", path] + options)
        try control(["command": "fresh"])
    }

    deinit { if !isStopped { process.giveBack() } }

    /// Gives a command, or a list of them, to its control address.
    @discardableResult
    package func control(_ command: JSONValue) throws -> JSONValue {
        let (status, body) = try LoopbackHTTP.post(port, "/__control", command.bytes())
        guard status == 200 else {
            throw Trouble(
                description: "\(command.serialized()): \(String(decoding: body, as: UTF8.self))")
        }
        return try JSONValue.parse(body)
    }

    /// Plans a fault of the next requests.
    package func fault(_ type: String, _ more: JSONValue = [:]) throws {
        var command = JSONObject([("command", "fault"), ("type", .string(type))])
        for (key, value) in more.members?.pairs ?? [] { command[key] = value }
        try control(.object(command))
    }

    /// Executes a document as another client, with the API key.
    @discardableResult
    package func execute(
        _ query: String, _ variables: JSONValue = [:], headers: [String: String] = [:]
    ) throws -> JSONValue {
        var all = headers
        if all.isEmpty { all["x-api-key"] = Self.apiKey }
        let body: JSONValue = ["query": .string(query), "variables": variables]
        return try JSONValue.parse(
            try LoopbackHTTP.post(port, "/graphql", body.bytes(), headers: all).body)
    }

    /// The writes that were applied to a record.
    package func effects(_ model: String, _ key: JSONValue...) throws -> [JSONValue] {
        let answer = try control([
            "command": "effects", "model": .string(model), "key": .array(key),
        ])
        return answer["effects"]?.elements ?? []
    }

    /// The requests that a root field or an operation's name, as a glob, was in.
    package func journal(_ operation: String) throws -> [JSONValue] {
        let answer = try control(["command": "journal", "operation": .string(operation)])
        return answer["entries"]?.elements ?? []
    }

    /// Ends its process at once, as a machine that fails.
    package func stop() {
        isStopped = true
        process.kill()
    }
}
