// What a failure says of the network, and to whom it matters.
extension BackendError {
    /// What it tells the monitor.
    var event: NetworkMonitor.Event {
        switch kind {
        case .auth: .refusedAuth
        case .retryable, .broken, .hung, .unavailable, .untrusted, .cancelled: .unreachable
        case .rateLimited, .permanent, .cursorExpired, .tooLarge, .unsupported: .answered
        }
    }

    /// True where one request failed and another may not: a backend that answers others is there.
    var mayPass: Bool {
        switch kind {
        case .retryable, .broken, .hung: true
        case .auth, .unavailable, .untrusted, .cancelled, .rateLimited, .permanent, .cursorExpired,
            .tooLarge, .unsupported:
            false
        }
    }
}

extension SyncError {
    /// False for being offline and needing a login: states of the network, told as such.
    var isWorthTelling: Bool {
        guard case .backend(let cause) = self else { return true }
        switch cause.kind {
        case .retryable, .auth, .cancelled, .rateLimited: return false
        case .permanent, .cursorExpired, .tooLarge, .unsupported, .broken, .hung, .unavailable,
            .untrusted:
            return true
        }
    }
}
