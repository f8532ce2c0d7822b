extension JSON5Document {
    /// The line and column, counted from 1, where the member at `path` begins with its key.
    ///
    /// - Parameter path: Keys from the outermost object inwards.
    /// - Returns: The place of the innermost member of the path that is there; nil when the first is
    ///   missing.
    package func position(of path: [String]) -> (line: Int, column: Int)? {
        var node = root
        var offset: Int?
        for key in path {
            guard let member = node.members.first(where: { $0.key.sameBytes(as: key) }) else {
                break
            }
            offset = member.keyRange.lowerBound
            node = member.node
        }
        guard let offset else { return nil }
        let before = bytes[..<offset]
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        // People count characters: continuation bytes of UTF-8 are not columns.
        let column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
        return (before.count { $0 == 0x0A } + 1, column)
    }
}
