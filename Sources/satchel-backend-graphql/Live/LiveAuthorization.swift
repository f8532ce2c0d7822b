package import JSON

extension Access {
    /// The headers that authorise a message of the real-time protocol, as a JSON object.
    ///
    /// They stand for a POST to the API: of `{}` to its path with `/connect` for a connection, of the
    /// message's data for a `start`; `data` is what is signed, at the server's present,
    /// `milliseconds` since 1970.
    package func realTime(
        _ data: [UInt8], to endpoint: Endpoint, isConnection: Bool, at milliseconds: Int64
    ) -> JSONObject {
        let host = HTTPHeader("host", endpoint.authority)
        let headers: [HTTPHeader]
        switch self {
        case .apiKey(let key):
            headers = [
                host, HTTPHeader("x-amz-date", AmazonTime.stamp(milliseconds)),
                HTTPHeader("x-api-key", key),
            ]
        case .token(let token): headers = [host, HTTPHeader("Authorization", token)]
        case .headers(let others): headers = [host] + others
        case .signature(let signature):
            let signed = [
                HTTPHeader("accept", "application/json, text/javascript"),
                HTTPHeader("content-encoding", "amz-1.0"),
                HTTPHeader("content-type", "application/json; charset=UTF-8"), host,
            ]
            headers =
                signed
                + signature.headers(
                    method: "POST", path: endpoint.path + (isConnection ? "/connect" : ""),
                    headers: signed, body: data, at: milliseconds)
        }
        return JSONObject(headers.map { ($0.name, JSONValue.string($0.value)) })
    }

    /// Where a handshake says who asks.
    package enum RealTimeWay: String, Sendable, CaseIterable {
        /// A subprotocol beside that of the connection.
        case subprotocol
        /// The address, which whoever passes it on may write down.
        case query
        case headers

        /// The others, for words of advice.
        package var others: String {
            Self.allCases.filter { $0 != self }.map(\.rawValue).joined(separator: " or ")
        }
    }

    /// The handshake of a connection at `address` that listens for changes of the API at `endpoint`.
    package func handshake(
        _ way: RealTimeWay, at address: Endpoint, to endpoint: Endpoint, at milliseconds: Int64
    ) -> WebSocket.Request {
        let object = realTime(
            Array("{}".utf8), to: endpoint, isConnection: true, at: milliseconds)
        let bytes = JSONValue.object(object).bytes()
        var request = WebSocket.Request(
            address, headers: [HTTPHeader("User-Agent", "satchel")], subprotocols: ["graphql-ws"])
        switch way {
        case .subprotocol: request.subprotocols.append("header-" + Base64URL.text(bytes))
        case .query:
            let header = Base64URL.padded(bytes).utf8.map { byte in
                switch byte {
                case UInt8(ascii: "+"): "%2B"
                case UInt8(ascii: "/"): "%2F"
                case UInt8(ascii: "="): "%3D"
                default: String(UnicodeScalar(byte))
                }
            }
            request.query = "header=\(header.joined())&payload=e30="
        case .headers:
            for (name, value) in object.pairs {
                guard let text = value.text, name != "host" else { continue }
                request.headers.append(HTTPHeader(name, text))
            }
        }
        return request
    }

    /// The claims of a JWT; none for other kinds, and for a text that is no JWT.
    package var claims: JSONObject {
        let token: String
        switch self {
        case .token(let text): token = text
        case .headers(let headers):
            guard let text = headers.first?.value, text.hasPrefix("Bearer ") else {
                return JSONObject()
            }
            token = String(text.dropFirst(7))
        case .apiKey, .signature: return JSONObject()
        }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.bytes(parts[1]) else { return JSONObject() }
        do throws(JSONError) { return try JSONValue.parse(bytes).members ?? JSONObject() } catch {
            return JSONObject()
        }
    }

    /// Whom an owner argument may want to hear of, as a rule's `identityClaim` may have it: by the
    /// claim that is configured, nil for those that Amplify uses.
    package func ownerNames(_ claim: String?) -> [String] {
        let claims = claims
        let one: (String) -> String? = { claims[$0]?.text }
        if let claim {
            let parts = claim.splitText(on: "::").compactMap(one)
            return parts.isEmpty ? [] : [parts.joined(separator: "::")]
        }
        let user = one("username") ?? one("cognito:username")
        let subject = one("sub")
        var names: [String] = []
        if let subject, let user { names.append("\(subject)::\(user)") }
        for name in [user, subject].compactMap({ $0 }) where !names.contains(name) {
            names.append(name)
        }
        return names
    }
}

extension Base64URL {
    /// The bytes as all others have them: `+` and `/`, padded.
    package static func padded(_ bytes: [UInt8]) -> String {
        var digits = text(bytes).utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while digits.count % 4 != 0 { digits.append(UInt8(ascii: "=")) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The bytes as JWTs have them: `-` and `_`, no padding.
    package static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for byte in group { bits = bits << 8 | UInt32(byte) }
            bits <<= UInt32(3 - group.count) * 8
            for place in 0...group.count {
                text.append(digits[Int(bits >> UInt32(18 - place * 6) & 63)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension String {
    /// The parts between `separator`, those that are empty left out.
    fileprivate func splitText(on separator: String) -> [String] {
        var parts: [String] = []
        var rest = self[...]
        while let range = String(rest).range(ofText: separator) {
            let text = String(rest)
            parts.append(String(text[..<range.lowerBound]))
            rest = Substring(text[range.upperBound...])
        }
        parts.append(String(rest))
        return parts.filter { !$0.isEmpty }
    }
}
