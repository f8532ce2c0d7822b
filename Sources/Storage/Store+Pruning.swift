/// How long the change feed may grow.
package struct FeedBounds: Sendable, Equatable {
    /// Lines from before this time go; milliseconds since 1970.
    package var oldest: Int64
    /// Lines before the newest so many go, but for the young ones.
    package var count: Int
    /// Lines from this time on are young: somebody may be reading them.
    package var young: Int64
    /// The newest so many stay whatever their time.
    package var sparing: Int

    package init(oldest: Int64, count: Int, young: Int64 = .max, sparing: Int = 1) {
        self.oldest = oldest
        self.count = count
        self.young = young
        self.sparing = sparing
    }
}

extension Store {
    /// Drops old lines of the feed, and what undo knew of their groups.
    ///
    /// No more than `limit` at once, to keep the transaction short.
    ///
    /// - Returns: How many went; as many as `limit` means that more may be left.
    @discardableResult
    package func pruneChanges(_ bounds: FeedBounds, limit: Int = 20_000) throws(StoreError) -> Int {
        if let first = try firstChangeSeq(), try lastChangeSeq() - first < bounds.sparing {
            return 0
        }
        return try write { () throws(StoreError) in
            guard let end = try pruningEnd(bounds, limit) else { return 0 }
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
    private func pruningEnd(_ bounds: FeedBounds, _ limit: Int) throws(StoreError) -> Int64? {
        try first(
            """
            SELECT max(seq) FROM (
                SELECT seq, at FROM change
                WHERE seq <= (SELECT max(seq) FROM change) - ?3 ORDER BY seq LIMIT ?5)
            WHERE at < ?1 OR at < ?4 AND seq <= (SELECT max(seq) FROM change) - ?2
            """,
            { (row) throws(StoreError) in
                try row.bind(1, bounds.oldest)
                try row.bind(2, Int64(bounds.count))
                try row.bind(3, Int64(max(bounds.sparing, 1)))
                try row.bind(4, bounds.young)
                try row.bind(5, Int64(limit))
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
