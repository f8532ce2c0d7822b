package import JSON

/// Why a plugin cannot do a whole request.
package struct PluginError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// The network or the server failed on the way: asking again later may help.
        case retryable
        /// The server asks for a pause; nil when it does not say how long.
        case rateLimited(afterMilliseconds: Int64?)
        /// Credentials are missing or expired.
        case auth
        /// Asking again will not help.
        case permanent
        /// The cursor is of another history: the host pulls from the start.
        case cursorExpired
        /// The host halves the batch or the page.
        case tooLarge
        case unsupported
        /// The host asked for an end of this request.
        case cancelled
    }

    package var kind: Kind
    /// What failed, on which thing.
    package var message: String
    /// What to do next, where the plugin knows.
    package var hint: String?

    package init(_ kind: Kind, _ message: String, hint: String? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
    }

    package static let cancelled = PluginError(.cancelled, "stopped as asked")
}

extension PluginError {
    /// The kind's name in `error.data.kind`.
    package var name: String {
        switch kind {
        case .retryable: "retryable"
        case .rateLimited: "rate_limited"
        case .auth: "auth"
        case .permanent: "permanent"
        case .cursorExpired: "cursor_expired"
        case .tooLarge: "too_large"
        case .unsupported: "unsupported"
        case .cancelled: "cancelled"
        }
    }

    /// The `error` member of a JSON-RPC reply.
    package var json: JSONValue {
        var data = JSONObject([("kind", .string(name))])
        if case .rateLimited(let delay?) = kind { data.append("after_ms", .int(delay)) }
        if let hint { data.append("hint", .string(hint)) }
        // JSON-RPC reserves -32601 for a method that is not there.
        let code: Int64 = kind == .unsupported ? -32601 : -32000
        return ["code": .int(code), "message": .string(message), "data": .object(data)]
    }
}
