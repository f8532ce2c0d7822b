/// Why a command was not carried out, as it is told to people and to programs.
package struct ShellError: Error, Equatable, Sendable {
    /// What callers branch on; the raw value is `kind` in JSON errors.
    package enum Kind: String, Sendable, Equatable, CaseIterable {
        /// What was typed is wrong: nothing was done.
        case usage
        case failed
        case notFound = "not-found"
        case exists
        /// A rule forbids it.
        case refused
        /// A file, a row or a document that is not as it must be.
        case input
        /// The schema file is wrong.
        case schema
        /// No workspace here, or one that cannot be used as it is.
        case workspace
        /// The system refused: permissions, a full disk.
        case system
        /// Some items failed or remain.
        case partial
        case needsLogin = "needs-login"
        case conflict
        case unreachable
        case plugin
        /// Another process held the store all the time.
        case busy
        /// The store is damaged, from a newer version, or cannot be written.
        case store
        /// A guard tripped; the hint names what consents.
        case needsConsent = "needs-consent"
        case interrupted
        case closedPipe = "closed-pipe"
    }

    package var kind: Kind
    /// What failed, on which thing.
    package var message: String
    /// What to do next, such as `did you mean "list"?`.
    package var hint: String?
    /// The command it happened in, such as `queue retry`.
    package var command: String?
    /// The line of the script it happened on, counted from 1.
    package var line: Int?
    /// The store could not be written: which one, whoever knows it has to add.
    package var isOfReadOnlyStore = false

    package init(
        _ kind: Kind, _ message: String, hint: String? = nil, command: String? = nil,
        line: Int? = nil
    ) {
        self.kind = kind
        self.message = message
        self.hint = hint
        self.command = command
        self.line = line
    }

    package static func usage(
        _ message: String, hint: String? = nil, command: String? = nil
    ) -> ShellError {
        ShellError(.usage, message, hint: hint, command: command)
    }

    package var exitCode: ExitCode { kind.exitCode }
}

extension ShellError.Kind {
    package var exitCode: ExitCode {
        switch self {
        case .usage: .usage
        case .failed, .notFound, .exists, .refused, .input, .schema, .workspace, .system: .failed
        case .partial: .partial
        case .needsLogin: .needsLogin
        case .conflict: .conflicts
        case .unreachable: .unreachable
        case .plugin: .brokenPlugin
        case .busy, .store: .store
        case .needsConsent: .needsConsent
        case .interrupted: .interrupted
        case .closedPipe: .closedPipe
        }
    }
}
