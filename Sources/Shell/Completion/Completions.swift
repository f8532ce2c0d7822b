/// What may stand in the place of the word being typed.
package struct Completions: Sendable, Equatable {
    package var candidates: [Candidate]
    /// The completed word goes on: no space after it.
    package var goesOn: Bool
    /// Files belong here too; the shell knows them best.
    package var includesFiles: Bool

    package init(
        _ candidates: [Candidate] = [], goesOn: Bool = false, includesFiles: Bool = false
    ) {
        self.candidates = candidates
        self.goesOn = goesOn
        self.includesFiles = includesFiles
    }

    package static let none = Completions()
}

/// A whole word, and what tells it from the others.
package struct Candidate: Sendable, Equatable {
    package var value: String
    package var help: String

    package init(_ value: String, _ help: String = "") {
        self.value = value
        self.help = help
    }
}
