/// Tokens of pages that are too long for a cursor, by the names that stand for them there.
///
/// The latest are kept, as many as fit; of one that is gone the cursor counts as expired.
package struct LongTokens: Sendable {
    private var tokens: [(name: String, token: String)] = []
    private var bytes = 0

    /// Bytes of a token that still fit into a cursor.
    private static let longest = 3_000
    /// Bytes that are kept of all; two tokens are, whatever their size: a page may be asked for again.
    private static let mostBytes = 8 << 20
    private static let fewest = 2

    package init() {}

    /// Bytes that are held.
    package var size: Int { bytes }

    /// What stands for a token in a cursor: itself where it fits.
    package mutating func name(for token: String) -> String {
        guard token.utf8.count > Self.longest else { return token }
        let digest = Digest.hexadecimal(Array(Digest.sha256(Array(token.utf8)).prefix(12)))
        let name = "@\(digest)"
        tokens.removeAll { entry in
            guard entry.name == name else { return false }
            bytes -= entry.token.utf8.count
            return true
        }
        tokens.append((name, token))
        bytes += token.utf8.count
        while tokens.count > Self.fewest, bytes > Self.mostBytes {
            bytes -= tokens.removeFirst().token.utf8.count
        }
        return name
    }

    /// The token that a cursor names; nil where it is not known any more.
    package func token(named name: String) -> String? {
        guard name.utf8.first == UInt8(ascii: "@") else { return name }
        return tokens.last { $0.name == name }?.token
    }
}
