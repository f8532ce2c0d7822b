import Glibc
import JSON
import Platform
import PluginKit
import Testing

/// A server in a thread of this process, spoken to through two pipes.
final class Conversation {
    private let reader: LineReader
    private let output: ByteOutput
    private var descriptors: [Int32]

    init(_ make: @escaping @Sendable () -> any PluginHandler) throws {
        let (serverInput, hostOutput) = try pipeEnds()
        let (hostInput, serverOutput) = try pipeEnds()
        descriptors = [hostOutput, hostInput]
        reader = LineReader(hostInput, name: "the plugin's output")
        output = ByteOutput(hostOutput, name: "the plugin's input")
        let worker = try Worker.start {
            _ = PluginServer(make(), input: serverInput, output: serverOutput).serve()
            close(serverInput)
            close(serverOutput)
        }
        worker.detach()
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    func send(_ line: String) throws {
        try output.write(line + "\n")
        try output.flush()
    }

    /// Closes the plugin's input.
    func hangUp() {
        close(descriptors.removeFirst())
    }

    func request(_ id: Int64, _ method: String, _ params: JSONValue = [:]) throws {
        let request: JSONValue = [
            "jsonrpc": "2.0", "id": .int(id), "method": .string(method), "params": params,
        ]
        try send(request.serialized())
    }

    /// The next line of the plugin; nil at the end of its output.
    func line() throws -> JSONValue? {
        guard case .line(let bytes) = try reader.next() else { return nil }
        return try JSONValue.parse(bytes)
    }

    func ask(_ id: Int64, _ method: String, _ params: JSONValue = [:]) throws -> JSONValue? {
        try request(id, method, params)
        return try line()
    }
}

/// The reading end and the writing end of a pipe, inherited by nobody.
func pipeEnds() throws -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
}
