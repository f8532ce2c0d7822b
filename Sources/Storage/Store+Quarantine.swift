package import Records

/// Data from the backend that is no record Satchel understands.
package struct QuarantineItem: Sendable, Equatable {
    /// Its number in `quarantine list`.
    package var n: Int64
    package var model: String
    package var id: RecordID?
    /// As it came.
    package var raw: String
    package var reason: String
    /// Milliseconds since 1970.
    package var receivedAt: Int64

    package init(
        n: Int64, model: String, id: RecordID?, raw: String, reason: String, receivedAt: Int64
    ) {
        self.n = n
        self.model = model
        self.id = id
        self.raw = raw
        self.reason = reason
        self.receivedAt = receivedAt
    }
}

extension Store {
    /// Adds an item in place of an earlier one of the same record.
    ///
    /// - Returns: Its number.
    @discardableResult
    package func addQuarantine(
        model: String, id: RecordID?, raw: String, reason: String, receivedAt: Int64
    ) throws(StoreError) -> Int64 {
        try run(
            """
            INSERT OR REPLACE INTO quarantine (model, id, raw, reason, received_at)
            VALUES (?, ?, ?, ?, ?)
            """
        ) { (row) in
            row.bind(1, model)
            row.bind(2, id?.text)
            row.bind(3, raw)
            row.bind(4, reason)
            row.bind(5, receivedAt)
        }
        return connection.lastRowID
    }

    /// The items, oldest first.
    package func quarantine(limit: Int = .max) throws(StoreError) -> [QuarantineItem] {
        try all(
            "SELECT n, model, id, raw, reason, received_at FROM quarantine ORDER BY n LIMIT ?",
            { (row) throws(StoreError) in try row.bind(1, Int64(limit)) },
            { (row) throws(StoreError) in row.quarantineItem() })
    }

    package func quarantineItem(_ n: Int64) throws(StoreError) -> QuarantineItem? {
        try first(
            "SELECT n, model, id, raw, reason, received_at FROM quarantine WHERE n = ?",
            { (row) throws(StoreError) in try row.bind(1, n) },
            { (row) throws(StoreError) in row.quarantineItem() })
    }

    package func removeQuarantine(_ n: Int64) throws(StoreError) {
        try run("DELETE FROM quarantine WHERE n = ?") { (row) in
            row.bind(1, n)
        }
    }

    package func removeQuarantine(_ model: String, _ id: RecordID) throws(StoreError) {
        try run("DELETE FROM quarantine WHERE model = ? AND id = ?") { (row) in
            row.bind(1, model)
            row.bind(2, id.text)
        }
    }

    package func quarantineCount() throws(StoreError) -> Int {
        try first(
            "SELECT count(*) FROM quarantine",
            { (row) throws(StoreError) in Int(row.integer(0)) }) ?? 0
    }
}

extension Statement {
    fileprivate func quarantineItem() -> QuarantineItem {
        QuarantineItem(
            n: integer(0), model: text(1), id: optionalText(2).map(RecordID.init), raw: text(3),
            reason: text(4), receivedAt: integer(5))
    }
}
