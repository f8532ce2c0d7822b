package import Sync

extension PluginError {
    /// This error as the sync engine knows it.
    package var asBackendError: BackendError {
        let kind: BackendError.Kind =
            switch self.kind {
            case .notFound, .cannotStart: .unavailable
            case .untrusted: .untrusted
            case .violation, .died, .malformed: .broken
            case .deadline: .hung
            case .interrupted: .cancelled
            case .tooLarge: .tooLarge
            case .refused(let refusal):
                switch refusal.kind {
                case .retryable: .retryable
                case .rateLimited: .rateLimited(afterMilliseconds: refusal.afterMilliseconds)
                case .auth: .auth
                case .permanent: .permanent
                case .cursorExpired: .cursorExpired
                case .tooLarge: .tooLarge
                case .unsupported: .unsupported
                case .cancelled: .cancelled
                }
            }
        return BackendError(kind, message, hint: hint)
    }
}
