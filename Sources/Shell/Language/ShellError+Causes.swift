package import JSON
package import Platform
package import Records
package import Sync

extension ShellError {
    /// A mistake in what was typed, or in the schema.
    package init(_ error: RecordsError) {
        self.init(
            error.kind == .schema ? .schema : .usage, error.message, hint: error.hint)
    }

    package init(_ error: SystemError) {
        let kind: Kind =
            switch error.kind {
            case .closedPipe: .closedPipe
            case .interrupted: .interrupted
            case .notFound: .notFound
            case .noSpace, .exists, .permission, .timedOut, .tooLarge, .other: .system
            }
        self.init(kind, error.message)
    }

    /// A document that is no JSON.
    ///
    /// - Parameters:
    ///   - error: What the reader found.
    ///   - name: The file it was read from.
    package init(_ error: JSONError, in name: String) {
        self.init(.input, "\(name): \(error.message)")
    }

    package init(_ error: BackendError) {
        let kind: Kind =
            switch error.kind {
            case .retryable, .rateLimited: .unreachable
            case .auth: .needsLogin
            case .permanent, .unsupported: .failed
            // Where it could be made smaller it was.
            case .cursorExpired, .broken, .hung, .tooLarge, .unavailable: .plugin
            case .cancelled: .interrupted
            case .untrusted: .needsConsent
            }
        var hint = error.hint
        if hint == nil, error.kind == .auth, !error.message.contains("auth login") {
            hint = "satchel auth login"
        }
        self.init(kind, error.message, hint: hint)
    }
}
