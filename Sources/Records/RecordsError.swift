/// A mistake in a schema, a filter, an item or a value.
package struct RecordsError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// The schema file is wrong; the message begins `FILE:LINE:COL:`.
        case schema
        /// No such model, field, relation, operator or enum value.
        case unknown
        /// A value that does not fit its field's type, or a required one that is missing.
        case value
        /// A filter or an item that does not parse.
        case syntax
    }

    package var kind: Kind
    package var message: String
    /// What to do next, such as "did you mean Post?".
    package var hint: String?

    package init(_ kind: Kind, _ message: String, hint: String? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
    }
}
