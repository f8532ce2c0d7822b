/// A server over TLS with a certificate that nobody vouches for.
package final class TLSServer {
    private let process: ServerProcess

    package var url: String { "https://localhost:\(process.port)/graphql" }

    /// Starts it; its certificate is written to a file.
    package init(certificate: String) throws {
        process = try ServerProcess(["tls_server.py", certificate])
    }

    deinit { process.kill() }
}
