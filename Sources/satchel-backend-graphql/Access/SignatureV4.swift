/// AWS Signature Version 4: who sends a request, and that it came as it was sent.
///
/// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
package struct SignatureV4: Sendable, Equatable {
    package var credentials: AWSCredentials
    package var region: String
    package var service: String

    package init(credentials: AWSCredentials, region: String, service: String = "appsync") {
        self.credentials = credentials
        self.region = region
        self.service = service
    }

    /// The headers that sign a request, without those it has already.
    ///
    /// - Parameters:
    ///   - method: Such as `POST`.
    ///   - path: As it is sent, escaped.
    ///   - query: The pairs after the `?`, not escaped.
    ///   - headers: All that are signed, `Host` among them.
    ///   - body: As it is sent.
    ///   - milliseconds: The present, since 1970.
    /// - Returns: The instant, a session's token and the signature, to be sent with the others.
    package func headers(
        method: String, path: String, query: [(String, String)] = [], headers: [HTTPHeader],
        body: [UInt8], at milliseconds: Int64
    ) -> [HTTPHeader] {
        let stamp = AmazonTime.stamp(milliseconds)
        var added = [HTTPHeader("X-Amz-Date", stamp)]
        if let token = credentials.sessionToken {
            added.append(HTTPHeader("X-Amz-Security-Token", token))
        }
        let (names, lines) = Self.canonical(headers + added)
        let request = [
            method, Self.escaped(path: path), Self.canonical(query), lines, names,
            Digest.hexadecimal(Digest.sha256(body)),
        ].joined(separator: "\n")
        let scope = "\(stamp.prefix(8))/\(region)/\(service)/aws4_request"
        let text = [
            "AWS4-HMAC-SHA256", stamp, scope,
            Digest.hexadecimal(Digest.sha256(Array(request.utf8))),
        ].joined(separator: "\n")
        var key = Array("AWS4\(credentials.secretKey)".utf8)
        for part in [String(stamp.prefix(8)), region, service, "aws4_request"] {
            key = Digest.hmac(key: key, part)
        }
        let signature = Digest.hexadecimal(Digest.hmac(key: key, text))
        added.append(
            HTTPHeader(
                "Authorization",
                "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope), "
                    + "SignedHeaders=\(names), Signature=\(signature)"))
        return added
    }

    /// The names in order, and a line for each with its values.
    private static func canonical(_ headers: [HTTPHeader]) -> (names: String, lines: String) {
        var values: [String: [String]] = [:]
        for header in headers {
            let words = header.value.split { $0 == " " || $0 == "\t" }
            values[header.name.lowercased(), default: []].append(words.joined(separator: " "))
        }
        let names = values.keys.sorted()
        let lines = names.map { "\($0):\((values[$0] ?? []).joined(separator: ","))\n" }
        return (names.joined(separator: ";"), lines.joined())
    }

    private static func canonical(_ query: [(String, String)]) -> String {
        let pairs = query.map { (escaped($0), escaped($1)) }
        return pairs.sorted { $0 < $1 }.map { "\($0)=\($1)" }.joined(separator: "&")
    }

    /// Escaped once more, as every service but S3 wants it.
    private static func escaped(path: String) -> String { escaped(path, keeping: "/") }

    /// All but letters, digits and `-._~` as `%` and two digits.
    static func escaped(_ text: String, keeping kept: String = "") -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.unicodeScalars.append(UnicodeScalar(byte))
            case _ where kept.utf8.contains(byte):
                result.unicodeScalars.append(UnicodeScalar(byte))
            default: result += "%" + Digest.hexadecimal([byte]).uppercased()
            }
        }
        return result
    }
}
