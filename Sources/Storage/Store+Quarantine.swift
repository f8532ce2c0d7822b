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
            // By their digest: however many have no id, few have that one.
            try run(
                """
                DELETE FROM quarantine
                WHERE model = ?1 AND raw = ?2 AND digest = satchel_digest(
                    ?2, (SELECT value FROM meta WHERE key = 'quarantine_key'))
                """
            ) { (row) in
                row.bind(1, model)
                row.bind(2, raw)
            }
        }
        try run(
            """
            INSERT OR REPLACE INTO quarantine
                (model, id, raw, reason, received_at, version, heard, digest)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, coalesce((SELECT max(seq) FROM change), 0),
                CASE WHEN ?2 IS NULL THEN satchel_digest(
                    ?3, (SELECT value FROM meta WHERE key = 'quarantine_key')) END)
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

    /// Puts other bytes in place of an item's.
    func setQuarantined(_ n: Int64, _ record: JSONObject) throws(StoreError) {
        try run(
            """
            UPDATE quarantine SET raw = ?1, digest = CASE WHEN id IS NULL THEN satchel_digest(
                ?1, (SELECT value FROM meta WHERE key = 'quarantine_key')) END
            WHERE n = ?2
            """
        ) { (row) in
            row.bind(1, json: record)
            row.bind(2, n)
        }
    }

    /// The items whose numbers are above `after`, oldest first.
    package func quarantine(
        after: Int64 = .min, limit: Int = .max
    ) throws(StoreError) -> [QuarantineItem] {
        try all(
            """
            SELECT n, model, id, raw, reason, received_at, version, heard
            FROM quarantine WHERE n > ? ORDER BY n LIMIT ?
            """,
            { (row) throws(StoreError) in
                try row.bind(1, after)
                try row.bind(2, Int64(limit))
            },
            { (row) throws(StoreError) in try row.quarantineItem() })
    }

    /// The number of the newest item; nil where there is none.
    package func lastQuarantineNumber() throws(StoreError) -> Int64? {
        try first(
            "SELECT n FROM quarantine ORDER BY n DESC LIMIT 1",
            { (row) throws(StoreError) in row.integer(0) })
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

    package func isQuarantined(_ key: RecordKey) throws(StoreError) -> Bool {
        try first(
            "SELECT 1 FROM quarantine WHERE model = ? AND id = ?",
            { (row) throws(StoreError) in
                try row.bind(1, key.model)
                try row.bind(2, key.id.text)
            }, { _ in true }) ?? false
    }

    /// Takes no longer where there are many, unlike `quarantineCount`.
    package func hasQuarantine() throws(StoreError) -> Bool {
        try first("SELECT 1 FROM quarantine LIMIT 1", { _ in true }) ?? false
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
