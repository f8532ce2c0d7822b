internal import JSON
internal import PluginKit

/// How requests prove who sends them.
package enum Access: Sendable, Equatable {
    case apiKey(String)
    /// A JWT of user pools or another issuer, or what a Lambda authorizer takes.
    case token(String)
    case signature(SignatureV4)
    /// Headers as any other API wants them; none for one that is open to all.
    case headers([HTTPHeader])

    /// A kind of access, as `auth` in the configuration names it.
    package enum Mode: String, Sendable, CaseIterable {
        case apiKey = "api_key"
        case userPools = "user_pools"
        case oidc
        case lambda
        case iam
        /// `Authorization: Bearer` and the token.
        case bearer
        /// A header of the API's own.
        case header
        case none

        /// The secrets it needs where they are not found elsewhere, with what a person is asked.
        package var secrets: [(key: String, label: String)] {
            switch self {
            case .apiKey: [("api_key", "API key")]
            case .userPools: [("token", "Token of the user (JWT)")]
            case .oidc: [("token", "Token of the user (JWT)")]
            case .lambda: [("token", "Token for the authorizer")]
            case .bearer: [("token", "Token")]
            case .header: [("credential", "Value of the header")]
            case .none: []
            case .iam: [("access_key", "Access key ID"), ("secret_key", "Secret access key")]
            }
        }
    }

    /// The headers that go with a request.
    ///
    /// - Parameters:
    ///   - body: As it is sent.
    ///   - endpoint: Where it goes.
    ///   - headers: Those that are signed as well.
    ///   - milliseconds: The server's present, since 1970.
    /// - Returns: What is added to `headers`.
    package func headers(
        for body: [UInt8], to endpoint: Endpoint, with headers: [HTTPHeader],
        at milliseconds: Int64
    ) -> [HTTPHeader] {
        switch self {
        case .apiKey(let key): [HTTPHeader("x-api-key", key)]
        case .token(let token): [HTTPHeader("Authorization", token)]
        case .headers(let headers): headers
        case .signature(let signature):
            signature.headers(
                method: "POST", path: endpoint.path,
                headers: headers + [HTTPHeader("Host", endpoint.authority)], body: body,
                at: milliseconds)
        }
    }

    /// True when a wrong clock can be why a request is refused.
    package var isTimed: Bool { if case .signature = self { true } else { false } }

    /// Whom a JWT names: its issuer's subject; nil for other kinds, and for a text that is no JWT.
    package var subject: String? {
        claims["sub"]?.text
    }
}

/// Base64 as JWTs have it: `-` and `_`, no padding.
package enum Base64URL {
    /// The bytes; nil when a character is none of the 64.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var result: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text.utf8 where byte != UInt8(ascii: "=") {
            let value: UInt8
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - 65
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - 71
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte + 4
            case UInt8(ascii: "-"), UInt8(ascii: "+"): value = 62
            case UInt8(ascii: "_"), UInt8(ascii: "/"): value = 63
            default: return nil
            }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return result
    }
}
