package import JSON

extension Store {
    package func cursor(_ model: String) throws(StoreError) -> Cursor? {
        try first(
            """
            SELECT model, scope, token, epoch, complete, synced_at, is_full, full_since, is_reset
            FROM cursor WHERE model = ?
            """, { (row) throws(StoreError) in try row.bind(1, model) },
            { (row) throws(StoreError) in
                Cursor(
                    model: row.text(0), scope: row.text(1), token: try row.json(2),
                    epoch: try row.json(3), complete: row.boolean(4),
                    syncedAt: row.optionalInteger(5), isFull: row.boolean(6),
                    isReset: row.boolean(8), fullSince: row.integer(7))
            })
    }

    /// Saves the cursor if the stored one still is of its scope and at `token`; a model without
    /// a cursor is at nil in every scope.
    ///
    /// - Returns: False when another process moved it: what came with `token` is then discarded.
    package func saveCursor(
        _ cursor: Cursor, replacing token: JSONValue?
    ) throws(StoreError) -> Bool {
        try run(
            """
            INSERT INTO cursor (model, scope, token, epoch, complete, synced_at, is_full,
                full_since, is_reset)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?10
            WHERE ?9 IS NULL OR EXISTS (SELECT 1 FROM cursor WHERE model = ?1)
            ON CONFLICT (model) DO UPDATE SET token = excluded.token, epoch = excluded.epoch,
                complete = excluded.complete, synced_at = excluded.synced_at,
                is_full = excluded.is_full, full_since = excluded.full_since,
                is_reset = excluded.is_reset
            WHERE scope = excluded.scope AND token IS ?9
            """
        ) { (row) in
            row.bind(1, cursor.model)
            row.bind(2, cursor.scope)
            row.bind(3, json: cursor.token)
            row.bind(4, json: cursor.epoch)
            row.bind(5, cursor.complete)
            row.bind(6, cursor.syncedAt)
            row.bind(7, cursor.isFull)
            row.bind(8, cursor.fullSince)
            row.bind(9, json: token)
            row.bind(10, cursor.isReset)
        }
        return connection.changes == 1
    }

    /// Has the model pulled from the start next time; a pull under way counts as overtaken.
    ///
    /// What is known of the backend's history stays.
    package func restartPull(of model: String) throws(StoreError) {
        // No pull begins before the feed's first line: what was asked for is of another cursor.
        try run(
            """
            UPDATE cursor SET token = NULL, complete = 0, is_full = 0, full_since = -1
            WHERE model = ?
            """
        ) { (row) in row.bind(1, model) }
        try clearSeen(model)
    }

    package func deleteCursor(_ model: String) throws(StoreError) {
        try run("DELETE FROM cursor WHERE model = ?") { (row) in
            row.bind(1, model)
        }
    }
}
