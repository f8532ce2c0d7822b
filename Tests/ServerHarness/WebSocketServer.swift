/// A WebSocket server that does as the path it is asked for says; see `ws_server.py`.
package final class WebSocketServer: Sendable {
    private let process: ServerProcess
    private let origin: String

    /// Starts it; with a file for its certificate it speaks TLS.
    package init(certificate: String? = nil) throws {
        process = try ServerProcess(["ws_server.py"] + (certificate.map { [$0] } ?? []))
        origin = certificate == nil ? "http://127.0.0.1" : "https://localhost"
    }

    deinit { process.kill() }

    package func url(_ path: String) -> String { "\(origin):\(process.port)\(path)" }
}
