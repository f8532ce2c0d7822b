/// Why a whole request failed.
package struct BackendError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// The network, the server, a time-out on the way: the whole context waits.
        case retryable
        /// As `retryable`, with the backend's own delay; no attempt is charged.
        case rateLimited(afterMilliseconds: Int64?)
        /// Credentials are missing or expired.
        case auth
        /// Asking again will not help, such as a model that may not be read.
        case permanent
        /// The cursor is of another history: pull from the start.
        case cursorExpired
        /// Halve the batch or the page.
        case tooLarge
        case unsupported
        /// The user interrupted, or the command's time is over.
        case cancelled
        /// The plugin broke the protocol or died: exit code 7.
        case broken
        /// The plugin missed a deadline, and was stopped: exit code 7. It is not asked again at once,
        /// which would take as long again.
        case hung
        /// The plugin may not be run here, or cannot be found.
        case unavailable
        /// The workspace is not trusted: exit code 9.
        case untrusted
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
