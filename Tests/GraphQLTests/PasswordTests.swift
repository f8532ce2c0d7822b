import JSON
import Platform
import PluginKit
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.timeLimit(.minutes(15))) struct `A password for a user pool` {
    struct Vector {
        var secret: [UInt8]
        var salt: String
        var server: String
        /// SHA-256 of the public number's digits.
        var number: String
        var proof: String
    }

    /// Computed by pycognito 2024.5.1, for the user `u-ann` of the pool `TESTPOOL1`.
    static let vectors = [
        Vector(
            secret: Array(repeating: 0x42, count: 128), salt: "a7b1c2d3e4f5061728394a5b6c7d8e9f",
            server: String(repeating: "9a", count: 384),
            number: "af09296e1addc20969bf3916d8335e96275633b81b8ffa3dd3c72536d51d03db",
            proof: "HTCC71SslYndh38hk8UFqU3W58gNVdE0yrPUt0fTE2Y="),
        Vector(
            secret: Array(repeating: [0xF1, 0xE2, 0xD3, 0xC4], count: 32).flatMap { $0 },
            salt: "17b1c2d3e4f5061728394a5b6c7d8e9",
            server: "f" + String(repeating: "1f", count: 382),
            number: "2908c7914ccfcbf7665ade1bb3bd2a58958e8c40d74452525c321db12518f296",
            proof: "OoGeyfYAFSR5VMZbRwsFgUE40omuy6rElVqsR2KtZKw="),
    ]

    @Test func `is proven as other clients prove it`() throws {
        let time = AmazonTime.words(1_551_769_689_000)
        #expect(time == "Tue Mar 5 07:08:09 UTC 2019")
        for vector in Self.vectors {
            let ours = try #require(SecureRemotePassword(secret: vector.secret))
            let digest = Digest.hexadecimal(Digest.sha256(Array(ours.publicNumber.utf8)))
            #expect(digest == vector.number)
            let salt = try #require(Digest.bytes(hexadecimal: vector.salt))
            let number = try #require(Digest.bytes(hexadecimal: vector.server))
            let challenge = try #require(
                SecureRemotePassword.Challenge(
                    user: "u-ann", salt: salt, publicNumber: number,
                    block: Array("secret block".utf8)))
            let proof = ours.proof(
                challenge, password: "correct horse", pool: "TESTPOOL1", time: time)
            #expect(proof == vector.proof)
        }
    }

    @Test func `is not given away to a server that cheats`() {
        let modulus = [UInt8](repeating: 0xFF, count: 385)
        for number in [[], [0], Array(repeating: 0, count: 384), modulus] {
            let challenge = SecureRemotePassword.Challenge(
                user: "u", salt: [1], publicNumber: number, block: [1])
            #expect(challenge == nil)
        }
    }

    private func server(_ wants: JSONValue = nil) throws -> AppSyncServer {
        let server = try AppSyncServer("--auth", "userPools,apiKey")
        try server.control([
            "command": "user", "name": "alice", "password": "p@ss wörd", "wants": wants,
        ])
        return server
    }

    private func listener(_ server: AppSyncServer, _ password: JSONValue) throws -> Listener {
        let config = JSONObject([
            ("auth", "user_pools"), ("client_id", "testclient"), ("user", "alice"),
            ("user_pool", "us-east-1_TESTPOOL1"),
            ("token_url", .string("http://127.0.0.1:\(server.port)/cognito")),
        ])
        return try Listener(server, config, secrets: JSONObject([("password", password)]))
    }

    @Test func `is changed for tokens that renew themselves, and forgotten`() throws {
        let server = try server()
        let listener = try listener(server, "p@ss wörd")
        try listener.api.make("p1")
        #expect(listener.api.welcome.identity?.hasSuffix("#sub-alice") == true)
        try server.control(["command": "expire_tokens"])
        #expect(try listener.api.pull().ids == ["p1"])
        let told = try listener.hear {
            $0.contains { if case .secret("token", _) = $0 { true } else { false } }
        }
        #expect(told.contains(.secret("password", "")))
        #expect(told.contains { if case .secret("refresh_token", _) = $0 { true } else { false } })
        #expect(!told.contains(.secret("password", "p@ss wörd")))
    }

    @Test func `that is wrong means a login, and is not told on`() throws {
        let error = failure { _ = try listener(try server(), "wr0ng") }
        #expect(error?.kind == .auth)
        #expect(error?.message.contains("Incorrect username or password") == true)
        #expect(error?.message.contains("wr0ng") == false)
    }

    @Test func `may not be enough, and what is says so`() throws {
        let error = failure {
            _ = try listener(try server("SOFTWARE_TOKEN_MFA"), "p@ss wörd")
        }
        #expect(error?.kind == .auth)
        #expect(error?.message.contains("SOFTWARE_TOKEN_MFA") == true)
    }

    @Test func `is asked for where a user is named`() throws {
        var answers = JSONObject([
            ("url", "https://abc.appsync-api.eu-west-1.amazonaws.com/graphql"),
            ("auth", "user_pools"), ("client_id", "c"), ("user_pool", "eu-west-1_X"),
            ("user", "ann"),
        ])
        guard case .ask("password", let label, true, _, _, _) = try Questions.next(answers) else {
            Issue.record("it is not asked for")
            return
        }
        #expect(label == "Password of ann")
        answers["password"] = "x"
        guard case .done(let config) = try Questions.next(answers) else {
            Issue.record("more is asked for")
            return
        }
        #expect(config["password"] == nil)
    }
}
