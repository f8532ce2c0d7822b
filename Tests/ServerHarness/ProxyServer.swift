/// A proxy whose tunnels all lead to one port of this machine; see `proxy_server.py`.
package final class ProxyServer: Sendable {
    private let process: ServerProcess

    package init(to port: Int) throws {
        process = try ServerProcess(["proxy_server.py", String(port)])
    }

    deinit { process.kill() }

    package var address: String { "127.0.0.1:\(process.port)" }
}
