internal import Platform

/// Sees that somebody logged in, in whatever process: by the mark that a login leaves beside the
/// secrets, never by the secrets themselves.
struct LoginWatch: Sendable {
    private let secrets: SecretStore
    private var modified: Int64?
    private var known: String?

    /// How often to look, in milliseconds.
    static let interval: Int64 = 500

    /// Begins with the login of now: made before the secrets are read, it misses none.
    init(_ secrets: SecretStore) {
        self.secrets = secrets
        modified = secrets.modified
        known = secrets.login
    }

    /// True where somebody logged in since the last time.
    mutating func isNew() -> Bool {
        let now = secrets.modified
        if now == modified { return false }
        modified = now
        // A plugin that renewed a secret has written there too.
        guard let found = secrets.login, found != known else { return false }
        known = found
        return true
    }
}
