import Platform
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.serialized, .timeLimit(.minutes(15))) struct `A connection` {
    private let folder: String
    private let certificate: String

    init() throws {
        folder = try Files.makeTemporaryDirectory(prefix: "satchel-tls")
        certificate = Path.join(folder, "certificate.pem")
    }

    /// What a request comes to.
    private func outcome(
        _ request: HTTPRequest, _ limits: HTTPClient.Limits = .init()
    ) throws -> Result<HTTPResponse, HTTPFailure> {
        let client = try HTTPClient(limits)
        let ticket = try client.begin(request)
        while true {
            guard let completion = client.next(within: 1_000) else { continue }
            #expect(completion.ticket == ticket)
            return completion.outcome
        }
    }

    @Test func `is made only with whom the certificate proves`() throws {
        defer { try? Files.removeTree(folder) }
        let server = try TLSServer(certificate: certificate)
        let request = HTTPRequest(
            url: server.url, headers: [HTTPHeader("x-api-key", "secret")], body: Array("{}".utf8))
        guard case .failure(let failure) = try outcome(request) else {
            Issue.record("it was trusted")
            return
        }
        #expect(failure.kind == .untrusted)
        #expect(failure.isUnsent)
        let trusting = HTTPClient.Limits(caFile: certificate)
        let response = try outcome(request, trusting).get()
        #expect(response.status == 200)
        #expect(String(decoding: response.body, as: UTF8.self).contains("secret"))
        var other = request
        other.url = "https://127.0.0.2" + server.url.dropFirst("https://localhost".count)
        if case .failure(let failure) = try outcome(other, trusting) {
            #expect([.untrusted, .unreachable].contains(failure.kind))
        } else {
            Issue.record("the name was not looked at")
        }
    }

    @Test func `is told apart where there is none`() throws {
        defer { try? Files.removeTree(folder) }
        let table: [(String, HTTPFailure.Kind)] = [
            ("http://127.0.0.1:1/", .unreachable), ("http://no-such-host.invalid/", .unreachable),
        ]
        for (url, kind) in table {
            guard case .failure(let failure) = try outcome(HTTPRequest(url: url, timeout: 20_000))
            else {
                Issue.record("there was an answer from \(url)")
                continue
            }
            // Behind a proxy or without a name server it takes until the time is up.
            #expect([kind, .late].contains(failure.kind), "\(url): \(failure)")
            #expect(failure.isUnsent)
        }
    }

    @Test func `carries a long body that changes something, once`() throws {
        defer { try? Files.removeTree(folder) }
        let server = try TLSServer(certificate: certificate)
        let trusting = HTTPClient.Limits(caFile: certificate)
        let body = [UInt8](repeating: UInt8(ascii: " "), count: 3 << 20)
        for hasEffect in [true, false] {
            let request = HTTPRequest(url: server.url, body: body, hasEffect: hasEffect)
            let response = try outcome(request, trusting).get()
            let text = String(decoding: response.body, as: UTF8.self)
            #expect(text.contains("\"content-length\": \"\(body.count)\""))
            #expect(!text.contains("\"expect\""))
        }
    }
}
