/// How a command or a run of commands ended, as the number the process exits with.
package enum ExitCode: Int32, Sendable, Equatable, CaseIterable {
    /// Done; an empty list too.
    case done = 0
    /// Failed or not found.
    case failed = 1
    /// What was typed is wrong; nothing was done.
    case usage = 2
    /// Some items failed or remain.
    case partial = 3
    case needsLogin = 4
    case conflicts = 5
    /// The backend cannot be reached.
    case unreachable = 6
    case brokenPlugin = 7
    /// The store is busy or damaged.
    case store = 8
    /// A guard waits for a person's consent.
    case needsConsent = 9
    case interrupted = 130
    /// Nobody reads standard output any more: said to nobody.
    case closedPipe = 141
}

extension ExitCode {
    /// The code of a run of which this and `other` are two parts: the one a person must hear of first.
    package func merged(with other: ExitCode) -> ExitCode {
        gravity >= other.gravity ? self : other
    }

    /// Ends the run at once, whatever `--keep-going` says.
    package var endsRun: Bool { self == .interrupted || self == .closedPipe }

    private var gravity: Int {
        switch self {
        case .done: 0
        case .failed: 1
        case .usage: 2
        case .partial: 3
        case .conflicts: 4
        case .unreachable: 5
        case .needsConsent: 6
        case .needsLogin: 7
        case .brokenPlugin: 8
        case .store: 9
        case .interrupted: 10
        case .closedPipe: 11
        }
    }
}
