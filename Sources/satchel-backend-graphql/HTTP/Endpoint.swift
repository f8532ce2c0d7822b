/// Where an API is: a URL in its parts.
package struct Endpoint: Sendable, Equatable {
    /// Why a text is no address of an API.
    package struct Bad: Error, Equatable, Sendable {
        package var message: String
    }

    package let isSecure: Bool
    /// In lower case; an IPv6 address in its brackets.
    package let host: String
    /// Nil for the scheme's own.
    package let port: Int?
    /// Begins with a slash.
    package let path: String

    /// Reads an `http` or `https` URL.
    ///
    /// - Throws: For anything else, and for one with a user, a query or a fragment in it.
    package init(_ text: String) throws(Bad) {
        let scheme: String
        guard let cut = text.range(ofText: "://") else {
            throw Bad(message: "\(text) is no URL: it does not begin with https://")
        }
        scheme = text[..<cut.lowerBound].lowercased()
        guard scheme == "https" || scheme == "http" else {
            throw Bad(message: "\(text) begins neither with https:// nor with http://")
        }
        isSecure = scheme == "https"
        let rest = text[cut.upperBound...]
        let isWrong: (UInt8) -> Bool = { byte in
            byte <= 0x20 || byte >= 0x7F || "?#@\"<>\\^`{|}".utf8.contains(byte)
        }
        if rest.utf8.contains(where: isWrong) {
            throw Bad(message: "\(text) has more in it than a host and a path")
        }
        let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        path = slash == rest.endIndex ? "/" : String(rest[slash...])
        var authority = rest[..<slash].lowercased()
        var port: Int?
        if let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")),
            authority.utf8.last != UInt8(ascii: "]")
        {
            let digits = authority[authority.utf8.index(after: colon)...]
            guard let number = Int(digits), 1...65535 ~= number else {
                throw Bad(message: "\(text) has a port that is none")
            }
            port = number
            authority = String(authority[..<colon])
        }
        guard !authority.isEmpty else { throw Bad(message: "\(text) names no host") }
        host = authority
        self.port = port == (isSecure ? 443 : 80) ? nil : port
    }

    /// The `Host` header, and what a signature is made for.
    package var authority: String { port.map { "\(host):\($0)" } ?? host }

    package var url: String { "\(isSecure ? "https" : "http")://\(authority)\(path)" }

    /// True for this machine, to which credentials may travel in the open.
    package var isLocal: Bool {
        host == "localhost" || host == "[::1]" || host.hasSuffix(".localhost")
            || host.split(separator: ".", omittingEmptySubsequences: false).count == 4
                && host.hasPrefix("127.") && host.utf8.allSatisfy { $0 < 0x3A }
    }

    /// Where AppSync tells of changes: beside an address that AWS gave, below one of one's own.
    package var realTime: Endpoint {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        var address = "\(isSecure ? "https" : "http")://"
        if parts.count >= 5, parts[1] == "appsync-api", parts[3] == "amazonaws" {
            let rest = parts.dropFirst(2).joined(separator: ".")
            address += "\(parts[0]).appsync-realtime-api.\(rest)\(path)"
        } else {
            address += authority + (path.hasSuffix("/") ? "\(path)realtime" : "\(path)/realtime")
        }
        do throws(Bad) { return try Endpoint(address) } catch { return self }
    }

    /// The region in an address that AWS gave: `xyz.appsync-api.eu-west-1.amazonaws.com`.
    package var region: String? {
        let parts = host.split(separator: ".")
        guard parts.count >= 4, parts[1] == "appsync-api", parts[3] == "amazonaws" else {
            return nil
        }
        return String(parts[2])
    }
}

extension String {
    /// Where `text` begins first, byte for byte.
    func range(ofText text: String) -> Range<String.Index>? {
        var start = utf8.startIndex
        while start != utf8.endIndex {
            if utf8[start...].starts(with: text.utf8) {
                return start..<utf8.index(start, offsetBy: text.utf8.count)
            }
            start = utf8.index(after: start)
        }
        return nil
    }
}
