package import JSON

/// A server that answers as a test tells it to; see `liar_server.py`.
package final class LyingServer {
    private let process: ServerProcess

    package var url: String { "http://127.0.0.1:\(process.port)/graphql" }

    /// Takes one that is free, or starts it; it knows nothing yet.
    package init() throws {
        process = try ServerProcess.free(["liar_server.py"])
        try tell()
    }

    deinit { process.giveBack() }

    /// Says what it answers from now on, each lie to documents that have its `document` in them.
    package func tell(_ lies: JSONValue...) throws { try tell(all: lies) }

    package func tell(all lies: [JSONValue]) throws { _ = try control(["lies": .array(lies)]) }

    /// How many requests since then had a text in them.
    package func count(_ text: String) throws -> Int64 {
        try control(["asked": .string(text)])["count"]?.integer ?? 0
    }

    private func control(_ command: JSONValue) throws -> JSONValue {
        let (status, body) = try LoopbackHTTP.post(
            process.port, "/__control", command.bytes())
        guard status == 200 else {
            throw AppSyncServer.Trouble(description: String(decoding: body, as: UTF8.self))
        }
        return try JSONValue.parse(body)
    }
}
