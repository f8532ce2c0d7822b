extension Store {
    /// Drops old lines of the feed, and what undo knew of their groups.
    ///
    /// Those from before `olderThan` go, and all but the newest `keeping`, but for the last line:
    /// no more than `limit` at once, to keep the transaction short.
    ///
    /// - Returns: How many went; as many as `limit` means that more may be left.
    @discardableResult
    package func pruneChanges(
        olderThan: Int64, keeping: Int, limit: Int = 20_000
    ) throws(StoreError) -> Int {
        try write { () throws(StoreError) in
            guard let end = try pruningEnd(olderThan, keeping, limit) else { return 0 }
            let groups = try all(
                """
                SELECT DISTINCT "group" FROM change
                WHERE seq <= ? AND origin = 'local' AND "group" IS NOT NULL
                """, { (row) throws(StoreError) in try row.bind(1, end) },
                { (row) throws(StoreError) in row.text(0) })
            for group in groups { try forget(group) }
            try run("DELETE FROM change WHERE seq <= ?") { (row) in
                row.bind(1, end)
            }
            let count = connection.changes
            try closeCutGroup(groups)
            return count
        }
    }

    /// The last line to drop: lines are in order of place, and so roughly of time.
    private func pruningEnd(
        _ olderThan: Int64, _ keeping: Int, _ limit: Int
    ) throws(StoreError) -> Int64? {
        try first(
            """
            SELECT max(seq) FROM (
                SELECT seq, at FROM change
                WHERE seq < (SELECT max(seq) FROM change) ORDER BY seq LIMIT ?3)
            WHERE at < ?1 OR seq <= (SELECT max(seq) FROM change) - ?2
            """,
            { (row) throws(StoreError) in
                try row.bind(1, olderThan)
                try row.bind(2, Int64(max(keeping, 1)))
                try row.bind(3, Int64(limit))
            }, { (row) throws(StoreError) in row.optionalInteger(0) }) ?? nil
    }

    private func forget(_ group: String) throws(StoreError) {
        try run("DELETE FROM undo_entry WHERE \"group\" = ?") { (row) in
            row.bind(1, group)
        }
        try run("DELETE FROM undo_group WHERE \"group\" = ?") { (row) in
            row.bind(1, group)
        }
    }

    /// A group that lost lines can no longer be undone as a whole.
    private func closeCutGroup(_ groups: [String]) throws(StoreError) {
        let next =
            try first(
                "SELECT \"group\" FROM change WHERE origin = 'local' ORDER BY seq LIMIT 1",
                { (row) throws(StoreError) in row.optionalText(0) }) ?? nil
        if let next, groups.contains(next) { try markUndone(next) }
    }
}
