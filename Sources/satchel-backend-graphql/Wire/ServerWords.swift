/// Words of a server's, as they are told on.
package enum ServerWords {
    /// Bytes that an error's message may have.
    static let longest = 4_096

    /// As much of a text as is told on; a longer one says how long it is.
    ///
    /// It is cut between words: what the host shall not show, such as a token that the server says
    /// back, has no spaces in it, and half of it would not be known for a secret.
    package static func cut(_ text: String, to limit: Int = longest) -> String {
        let count = text.utf8.count
        guard count > limit else { return text }
        let bytes = text.utf8.prefix(limit)
        let space = bytes.lastIndex { $0 == 0x20 || $0 == 0x0A || $0 == 0x09 }
        return String(text[..<(space ?? text.startIndex)]) + "… (\(count) bytes)"
    }

    /// A name that a server gives, such as of an error's kind: one that is longer is none.
    package static func name(_ text: String) -> String { text.utf8.count <= 200 ? text : "" }
}
