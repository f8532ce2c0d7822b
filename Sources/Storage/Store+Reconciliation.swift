package import Records

// A full pull removes the clean records that it did not meet: `seen` remembers which it met.
extension Store {
    package func markSeen(_ model: String, _ id: RecordID) throws(StoreError) {
        try run("INSERT OR IGNORE INTO seen (model, id) VALUES (?, ?)") {
            (row) in
            row.bind(1, model)
            row.bind(2, id.text)
        }
    }

    /// As for a record, for an item of the quarantine that names none.
    package func markSeen(_ item: Int64) throws(StoreError) {
        try run(
            """
            INSERT OR IGNORE INTO seen (model, id)
            SELECT model, char(0) || n FROM quarantine WHERE n = ?
            """
        ) { (row) in
            row.bind(1, item)
        }
    }

    /// True when the full pull has met an item whose id cannot be read.
    package func hasMetNameless(_ model: String) throws(StoreError) -> Bool {
        try first(
            "SELECT 1 FROM seen WHERE model = ? AND id >= char(0) AND id < char(1) LIMIT 1",
            { (row) throws(StoreError) in try row.bind(1, model) }, { _ in true }) ?? false
    }

    /// Removes the items of the quarantine that a full pull has not met and that were there before
    /// it: what came while it ran, such as the answer to a push, may be newer than its pages.
    package func removeUnseenQuarantine(_ model: String, since: Int64) throws(StoreError) {
        try run(
            """
            DELETE FROM quarantine WHERE model = ?1 AND coalesce(heard, 0) <= ?2
                AND NOT EXISTS (SELECT 1 FROM seen
                    WHERE model = ?1 AND id = coalesce(quarantine.id, char(0) || quarantine.n))
            """
        ) { (row) in
            row.bind(1, model)
            row.bind(2, since)
        }
    }

    /// The records whose items `removeUnseenQuarantine` would remove.
    package func unseenQuarantined(
        _ model: String, since: Int64
    ) throws(StoreError) -> [RecordID] {
        try all(
            """
            SELECT id FROM quarantine
            WHERE model = ?1 AND id IS NOT NULL AND coalesce(heard, 0) <= ?2
                AND NOT EXISTS (SELECT 1 FROM seen WHERE model = ?1 AND id = quarantine.id)
            ORDER BY id
            """,
            { (row) throws(StoreError) in
                try row.bind(1, model)
                try row.bind(2, since)
            }, { (row) throws(StoreError) in RecordID(row.text(0)) })
    }

    package func clearSeen(_ model: String) throws(StoreError) {
        try run("DELETE FROM seen WHERE model = ?") { (row) in
            row.bind(1, model)
        }
    }

    /// Records that a full pull has not met though the backend should have them: without live
    /// mutations, and without a push that it took since the pull began.
    ///
    /// They come in id order, those behind `after` only.
    package func unseenCleanRecords(
        _ model: Model, pushedSince: Int64, after: RecordID? = nil, limit: Int = .max
    ) throws(StoreError) -> [RecordID] {
        var ids: [RecordID] = []
        try each(prepared(.unseen, of: table(model.name))) { (row) throws(StoreError) in
            try row.bind(1, model.name)
            try row.bind(2, pushedSince)
            try row.bind(3, after?.text ?? "")
            try row.bind(4, Int64(limit))
        } _: { (row) throws(StoreError) in
            ids.append(RecordID(row.text(0)))
            return true
        }
        return ids
    }

    /// As `unseenCleanRecords`, those with live mutations whose base has the record.
    package func unseenBases(_ model: Model, pushedSince: Int64) throws(StoreError) -> [RecordID] {
        try all(
            """
            SELECT id FROM base
            WHERE model = ?1 AND record IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM seen WHERE model = ?1 AND id = base.id)
                AND id NOT IN (SELECT id FROM change
                    WHERE seq > ?2 AND model = ?1 AND origin = 'push')
            ORDER BY id
            """,
            { (row) throws(StoreError) in
                try row.bind(1, model.name)
                try row.bind(2, pushedSince)
            }, { (row) throws(StoreError) in RecordID(row.text(0)) })
    }

    package func countUnseenCleanRecords(
        _ model: Model, pushedSince: Int64
    ) throws(StoreError) -> Int {
        try first(
            prepared(.countUnseen, of: table(model.name)),
            { (row) throws(StoreError) in
                try row.bind(1, model.name)
                try row.bind(2, pushedSince)
                try row.bind(3, "")
            }, { (row) throws(StoreError) in Int(row.integer(0)) }) ?? 0
    }

    /// How many records of the model have no live mutations.
    package func countCleanRecords(_ model: Model) throws(StoreError) -> Int {
        try first(
            prepared(.countClean, of: table(model.name)),
            { (row) throws(StoreError) in try row.bind(1, model.name) },
            { (row) throws(StoreError) in Int(row.integer(0)) }) ?? 0
    }
}
