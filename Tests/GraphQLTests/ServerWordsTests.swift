import JSON
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.serialized, .timeLimit(.minutes(15))) struct `Words of a server's` {
    static let lies: [(name: String, lie: JSONValue)] = [
        (
            "an error in a 200",
            ["body": #"{"data": null, "errors": [{"message": "@PAD@", "errorType": "@PAD@"}]}"#]
        ),
        ("an error with a status", ["status": 500, "body": #"{"message": "@PAD@"}"#]),
        ("a refusal", ["status": 400, "body": #"{"errors": [{"message": "@PAD@"}]}"#]),
        ("a failed login", ["status": 401, "body": #"{"errors": [{"message": "@PAD@"}]}"#]),
        ("one word", ["body": #"{"data": null, "errors": [{"message": "@PAD@"}]}"#]),
    ]

    @Test(arguments: lies) func `are cut before they are told on`(
        _ row: (name: String, lie: JSONValue)
    ) throws {
        let deceived = try Deceived()
        var lie = row.lie.members ?? JSONObject()
        lie.append("pad", row.name == "one word" ? "wordwordw" : "and more ")
        lie.append("times", 1_500_000)
        try deceived.server.tell(.object(lie))
        let error = try #require(deceived.pull().error)
        #expect(error.message.utf8.count < 5_000, "\(row.name)")
        #expect(error.message.contains("(13500000 bytes)"), "\(row.name): \(error.message)")
        let verdicts: [PluginVerdict?]
        do { verdicts = try deceived.push() } catch {
            #expect("\(error)".utf8.count < 6_000, "\(row.name)")
            return
        }
        #expect("\(verdicts)".utf8.count < 6_000, "\(row.name)")
    }

    @Test func `are cut between two of them, and never within one`() {
        #expect(ServerWords.cut("short", to: 10) == "short")
        #expect(ServerWords.cut("one two three", to: 10) == "one two… (13 bytes)")
        #expect(ServerWords.cut("secretsecret", to: 10) == "… (12 bytes)")
        #expect(ServerWords.cut("a secretsecret b", to: 10) == "a… (16 bytes)")
        #expect(ServerWords.cut("äöü äöü äöü", to: 9) == "äöü… (20 bytes)")
    }

    /// Bytes of the words before a secret that is said back; of the last two the cut is in it, or before.
    @Test(arguments: [200, 4_000, 4_090, 20_000])
    func `of an issuer that hold a secret hold all of it or nothing`(_ length: Int) throws {
        let server = try LyingServer()
        let secret = "s3cret-token"
        let words = String(repeating: "long ", count: length / 5) + secret
        try server.tell(["status": 400, "body": .string(#"{"message": "\#(words)"}"#)])
        let renewal = TokenRenewal(
            .userPool, try Endpoint(server.url), clientID: "c", refreshToken: secret)
        let error = failure { _ = try renewal.ask(try HTTPClient()) }
        #expect(error?.kind == .auth)
        let message = error?.message ?? ""
        if words.utf8.count <= 4_096 {
            #expect(message.hasSuffix(words))
        } else {
            #expect(message.hasSuffix("long… (\(words.utf8.count) bytes)"), "\(message.suffix(60))")
        }
    }
}
