/// Why a plugin could not be found, started, or got to answer.
package struct PluginError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case notFound
        /// The workspace is not trusted, or the program is one that others can change.
        case untrusted
        case cannotStart
        /// It said something that protocol 1 does not allow; it was stopped.
        case violation(Violation)
        /// It did not answer in time; it was stopped.
        case deadline
        /// It ended while an answer was due.
        case died
        /// The user interrupted.
        case interrupted
        /// It answered that the request failed.
        case refused(Refusal)
        /// Its answer has the wrong shape; it goes on running.
        case malformed
        /// The request is longer than a line may be; it was not sent.
        case tooLarge
    }

    /// The rule of the protocol that was broken.
    package enum Violation: String, Equatable, Sendable {
        case notProtocol = "not the protocol"
        case lineTooLong = "line too long"
        case invalidUTF8 = "invalid UTF-8"
        case notJSON = "not JSON"
        case notObject = "not an object"
        case tooDeep = "nested too deeply"
        case unknownID = "an answer nobody asked for"
        case noResult = "neither result nor error"
        case bothAnswers = "both result and error"
        case wrongProtocol = "wrong protocol"
        case tooManySecrets = "too many secrets"
        case tooManyAnswers = "too many answers"
        case halfLine = "half a line"
        case closedOutput = "closed its output"
    }

    package var kind: Kind
    package var message: String
    package var hint: String?

    package init(_ kind: Kind, _ message: String, hint: String? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
    }
}

/// The error of a whole request, as the plugin told it.
package struct Refusal: Equatable, Sendable {
    package enum Kind: String, Equatable, Sendable {
        case retryable
        case rateLimited = "rate_limited"
        case auth, permanent
        case cursorExpired = "cursor_expired"
        case tooLarge = "too_large"
        case unsupported, cancelled
    }

    package var kind: Kind
    package var message: String
    package var afterMilliseconds: Int64?
}
