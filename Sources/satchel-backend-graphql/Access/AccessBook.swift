/// How requests prove who sends them, where some models have a way of their own.
package struct AccessBook: Sendable, Equatable {
    /// For all that has none of its own; for the connection of live changes too.
    package let usual: Access
    private let others: [Access.Mode: Access]

    package init(_ usual: Access, others: [Access.Mode: Access] = [:]) {
        self.usual = usual
        self.others = others
    }

    /// The access of a kind; nil for the usual one.
    package subscript(_ mode: Access.Mode?) -> Access {
        mode.flatMap { others[$0] } ?? usual
    }

    /// Whom the tokens name, that of the usual access first.
    package var subjects: [String] {
        var subjects: [String] = []
        for access in [usual] + Access.Mode.allCases.compactMap({ others[$0] }) {
            guard let subject = access.subject, !subjects.contains(subject) else { continue }
            subjects.append(subject)
        }
        return subjects
    }

    /// The kinds that there are: nil for the usual one.
    package var modes: [Access.Mode?] { [nil] + Access.Mode.allCases.filter { others[$0] != nil } }
}
