/// Why a text is no JSON value Satchel takes.
package struct JSONError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case syntax, duplicateKey, tooDeep, invalidUTF8, tooLarge
        /// A document was to get a member where something other than an object stands.
        case notAnObject
    }

    package var kind: Kind
    /// What is wrong, in words that fit after "FILE: ".
    package var message: String
    /// Byte offset into the input where known.
    package var offset: Int?

    package init(_ kind: Kind, _ message: String, offset: Int? = nil) {
        self.kind = kind
        self.message = message
        self.offset = offset
    }
}
