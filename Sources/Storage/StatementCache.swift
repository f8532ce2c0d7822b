/// A prepared statement that is kept for its next use.
final class CachedStatement {
    let statement: Statement
    /// True from its first step until its reset: it cannot serve a second user meanwhile.
    var isBusy = false

    init(_ statement: consuming Statement) { self.statement = statement }
}

/// Prepared statements by the address of the literal that is their SQL.
struct StatementCache {
    private var kept: [UnsafePointer<UInt8>: CachedStatement] = [:]

    /// The prepared form of `sql`; nil where there is none, or it is in the midst of its rows.
    @inline(__always)
    func idle(_ sql: StaticString) -> CachedStatement? {
        guard let found = kept[sql.utf8Start], !found.isBusy else { return nil }
        return found
    }

    mutating func keep(_ made: CachedStatement, for sql: StaticString) -> CachedStatement {
        if kept[sql.utf8Start] == nil { kept[sql.utf8Start] = made }
        return made
    }

    mutating func removeAll() { kept.removeAll() }
}
