import Testing
import satchel_backend_graphql

/// A case of AWS's own suite of test vectors (aws-sig-v4-test-suite).
struct Vector: CustomTestStringConvertible {
    var name: String
    var method = "GET"
    var path = "/"
    var query: [(String, String)] = []
    var headers: [HTTPHeader] = []
    var body = ""
    var token: String?
    var signed: String
    var signature: String

    var testDescription: String { name }
}

@Suite struct `Signature version 4` {
    static let vectors = [
        Vector(
            name: "get-vanilla", signed: "host;x-amz-date",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            name: "get-vanilla-query-order-key-case",
            query: [("Param2", "value2"), ("Param1", "value1")], signed: "host;x-amz-date",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Vector(
            name: "post-vanilla", method: "POST", signed: "host;x-amz-date",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Vector(
            name: "post-header-key-sort", method: "POST",
            headers: [HTTPHeader("My-Header1", "value1")], signed: "host;my-header1;x-amz-date",
            signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
        Vector(
            name: "post-x-www-form-urlencoded", method: "POST",
            headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")],
            body: "Param1=value1", signed: "content-type;host;x-amz-date",
            signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
        Vector(
            name: "get-header-value-trim",
            headers: [
                HTTPHeader("My-Header1", " value1"), HTTPHeader("My-Header2", " \"a   b   c\""),
            ],
            signed: "host;my-header1;my-header2;x-amz-date",
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Vector(
            name: "post-sts-header-before", method: "POST",
            token:
                "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
            signed: "host;x-amz-date;x-amz-security-token",
            signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
    ]

    @Test(arguments: vectors) func `agrees with AWS`(_ vector: Vector) {
        let signature = SignatureV4(
            credentials: AWSCredentials(
                accessKey: "AKIDEXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                sessionToken: vector.token),
            region: "us-east-1", service: "service")
        let added = signature.headers(
            method: vector.method, path: vector.path, query: vector.query,
            headers: vector.headers + [HTTPHeader("Host", "example.amazonaws.com")],
            body: Array(vector.body.utf8), at: 1_440_938_160_000)
        #expect(added.first == HTTPHeader("X-Amz-Date", "20150830T123600Z"))
        #expect(
            added.last?.value == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/"
                + "service/aws4_request, SignedHeaders=\(vector.signed), "
                + "Signature=\(vector.signature)")
    }

    @Test func `reads the instant of a header`() {
        #expect(
            AmazonTime.milliseconds(ofHeader: "Sun, 30 Aug 2015 12:36:00 GMT") == 1_440_938_160_000)
        #expect(AmazonTime.milliseconds(ofHeader: "yesterday") == nil)
        #expect(AmazonTime.stamp(1_440_938_160_999) == "20150830T123600Z")
    }

    @Test func `hashes as FIPS 180-4 and RFC 4231 have it`() {
        #expect(
            Digest.hexadecimal(Digest.sha256([]))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            Digest.hexadecimal(Digest.hmac(key: Array("Jefe".utf8), "what do ya want for nothing?"))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }
}
