package import JSON
package import Records

/// Data from the backend that is no record Satchel understands.
package struct QuarantineItem: Sendable, Equatable {
    /// Its number in `quarantine list`.
    package var n: Int64
    package var model: String
    package var id: RecordID?
    /// As it came, but for the names of fields that were renamed since.
    package var raw: String
    package var reason: String
    /// Milliseconds since 1970.
    package var receivedAt: Int64
    /// The record's, where the backend told it.
    package var version: JSONValue?
    /// The change feed's end when it came; nil where that was not kept.
    package var heard: Int64?

    package init(
        n: Int64, model: String, id: RecordID?, raw: String, reason: String, receivedAt: Int64,
        version: JSONValue? = nil, heard: Int64? = nil
    ) {
        self.n = n
        self.model = model
        self.id = id
        self.raw = raw
        self.reason = reason
        self.receivedAt = receivedAt
        self.version = version
        self.heard = heard
    }
}

extension Store {
    /// Adds an item in place of an earlier one of the same record; without an id, of the same bytes.
    ///
    /// - Returns: Its number.
    @discardableResult
    package func addQuarantine(
        model: String, id: RecordID?, raw: String, reason: String, receivedAt: Int64,
        version: JSONValue? = nil
    ) throws(StoreError) -> Int64 {
        if id == nil {
            try run("DELETE FROM quarantine WHERE model = ? AND id IS NULL AND raw = ?") { (row) in
                row.bind(1, model)
                row.bind(2, raw)
            }
        }
        try run(
            """
            INSERT OR REPLACE INTO quarantine (model, id, raw, reason, received_at, version, heard)
            VALUES (?, ?, ?, ?, ?, ?, coalesce((SELECT max(seq) FROM change), 0))
            """
        ) { (row) in
            row.bind(1, model)
            row.bind(2, id?.text)
            row.bind(3, raw)
            row.bind(4, reason)
            row.bind(5, receivedAt)
            row.bind(6, json: version)
        }
        return connection.lastRowID
    }

    /// The items, oldest first.
    package func quarantine(limit: Int = .max) throws(StoreError) -> [QuarantineItem] {
        try all(
            """
            SELECT n, model, id, raw, reason, received_at, version, heard
            FROM quarantine ORDER BY n LIMIT ?
            """,
            { (row) throws(StoreError) in try row.bind(1, Int64(limit)) },
            { (row) throws(StoreError) in try row.quarantineItem() })
    }

    package func quarantineItem(_ n: Int64) throws(StoreError) -> QuarantineItem? {
        try first(
            """
            SELECT n, model, id, raw, reason, received_at, version, heard
            FROM quarantine WHERE n = ?
            """,
            { (row) throws(StoreError) in try row.bind(1, n) },
            { (row) throws(StoreError) in try row.quarantineItem() })
    }

    /// True when `item` surely is the backend's latest word on the record `id`: nothing of it was
    /// heard since, by pull or push, and no pull of everything began since.
    package func isLatest(_ item: QuarantineItem, of id: RecordID) throws(StoreError) -> Bool {
        guard let heard = item.heard, let cursor = try cursor(item.model),
            0...heard ~= cursor.fullSince
        else { return false }
        if let first = try firstChangeSeq() {
            // What was pruned since cannot be told.
            if first > heard + 1 { return false }
        } else if heard > 0 {
            return false
        }
        return try first(
            """
            SELECT 1 FROM change
            WHERE seq > ? AND model = ? AND id = ? AND origin IN ('push', 'remote', 'rebase')
            LIMIT 1
            """,
            { (row) throws(StoreError) in
                try row.bind(1, heard)
                try row.bind(2, item.model)
                try row.bind(3, id.text)
            }, { _ in true }) == nil
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
    fileprivate func quarantineItem() throws(StoreError) -> QuarantineItem {
        QuarantineItem(
            n: integer(0), model: text(1), id: optionalText(2).map(RecordID.init), raw: text(3),
            reason: text(4), receivedAt: integer(5), version: try json(6),
            heard: optionalInteger(7))
    }
}
