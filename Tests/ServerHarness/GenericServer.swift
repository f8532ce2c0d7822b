package import JSON
internal import Platform

/// A GraphQL server of the tests that is none of AppSync's, as new.
///
/// `strawberry` is a real Strawberry API; `hasura` and `postgraphile` have the shapes of theirs.
package final class GenericServer {
    private let process: ServerProcess

    package var port: Int { process.port }
    package var url: String { "http://127.0.0.1:\(port)/graphql" }

    /// Takes one that is free, or starts it and waits until it listens.
    package init(_ shape: String) throws {
        process = try ServerProcess.free(["-m", "generic", shape])
        try control(["command": "fresh"])
    }

    deinit { process.giveBack() }

    /// Gives a command to its control address.
    @discardableResult
    package func control(_ command: JSONValue) throws -> JSONValue {
        let (status, body) = try LoopbackHTTP.post(port, "/__control", command.bytes())
        guard status == 200 else {
            throw AppSyncServer.Trouble(
                description: "\(command.serialized()): \(String(decoding: body, as: UTF8.self))")
        }
        return try JSONValue.parse(body)
    }

    /// Plans a fault of the next request whose document has `text` in it.
    package func fault(_ type: String, _ text: String, code: Int64 = 503) throws {
        try control([
            "command": "fault", "type": .string(type), "document": .string(text),
            "code": .int(code),
        ])
    }

    /// The writes that were applied to a record.
    package func effects(_ table: String, _ id: String) throws -> [JSONValue] {
        try control(["command": "effects", "table": .string(table), "id": .string(id)])
            .elements ?? []
    }

    /// Executes a document as another client.
    @discardableResult
    package func execute(
        _ query: String, _ variables: JSONValue = [:], headers: [String: String] = [:]
    ) throws -> JSONValue {
        let body: JSONValue = ["query": .string(query), "variables": variables]
        return try JSONValue.parse(
            try LoopbackHTTP.post(port, "/graphql", body.bytes(), headers: headers).body)
    }
}
