extension ExitCode {
    /// What it tells a script, in help's words.
    package var meaning: String {
        switch self {
        case .done: "done; an empty list too"
        case .failed: "failed, or not found"
        case .usage:
            "what was typed is wrong; nothing of it was done, though of a script the lines before it were"
        case .partial: "partial: some items failed or remain"
        case .needsLogin: "the backend needs a login"
        case .conflicts: "conflicts wait for a decision"
        case .unreachable: "the backend cannot be reached; a write queued offline is 0"
        case .brokenPlugin: "the backend's program is broken"
        case .store: "the store is busy or damaged"
        case .needsConsent: "consent is needed: nobody could be asked, or the answer was no"
        case .interrupted: "interrupted"
        case .closedPipe: "nobody reads the output any more"
        }
    }
}
