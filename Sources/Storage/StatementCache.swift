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

    /// The idle statement for `sql`, prepared now if it is the first use.
    mutating func statement(
        _ sql: StaticString, on connection: borrowing Connection
    ) throws(StoreError) -> CachedStatement {
        if let found = kept[sql.utf8Start], !found.isBusy { return found }
        let made = CachedStatement(try connection.prepare(sql.description, isKept: true))
        if kept[sql.utf8Start] == nil { kept[sql.utf8Start] = made }
        return made
    }

    mutating func removeAll() { kept.removeAll() }
}
