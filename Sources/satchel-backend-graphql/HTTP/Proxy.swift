package import Platform

/// The proxy that the environment names for an address, as curl reads it.
package enum Proxy {
    /// `host:port`, with `user:password@` before it where it has them; nil for none.
    package static func of(_ endpoint: Endpoint, in environment: Environment) -> String? {
        if endpoint.isLocal || isExempt(endpoint.host, environment) { return nil }
        let names =
            endpoint.isSecure
            ? ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
            : ["http_proxy", "all_proxy", "ALL_PROXY"]
        for name in names {
            guard var text = environment[name], !text.isEmpty else { continue }
            if let scheme = text.range(ofText: "://") {
                guard text[..<scheme.lowerBound].lowercased() == "http" else { return nil }
                text = String(text[scheme.upperBound...])
            }
            while text.utf8.last == UInt8(ascii: "/") { text = String(text.dropLast()) }
            let host = text.split(separator: "@").last ?? ""
            return host.utf8.contains(UInt8(ascii: ":")) ? text : "\(text):1080"
        }
        return nil
    }

    private static func isExempt(_ host: String, _ environment: Environment) -> Bool {
        let text = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        return text.split(whereSeparator: { $0 == "," || $0 == " " }).contains { word in
            var suffix = word.lowercased()
            if suffix == "*" { return true }
            if suffix.utf8.first == UInt8(ascii: ".") { suffix = String(suffix.dropFirst()) }
            return !suffix.isEmpty && (host == suffix || host.hasSuffix(".\(suffix)"))
        }
    }
}
