/// What `nextDueAt` last found, and when that was.
struct DueMemory {
    var othersCommits: Int64
    /// Rows that this connection had changed; a rollback takes none of them back.
    var ownChanges: Int64
    var at: Int64?
}

extension Store {
    /// When the next mutation may be sent; 0 when one may at once, nil when none ever will be.
    ///
    /// As for `readyMutations`, only the first live one of a record counts. Finding none takes a look
    /// at every mutation: as long as nobody writes to the store the answer is remembered.
    package func nextDueAt() throws(StoreError) -> Int64? {
        // What a transaction sees it may still take back.
        guard transaction.mode == .none else { return try findNextDue() }
        // Before the look: what another process commits during it makes the next one anew.
        let others = try othersCommits()
        let own = connection.totalChanges
        if let due, due.othersCommits == others, due.ownChanges == own { return due.at }
        let at = try findNextDue()
        due = DueMemory(othersCommits: others, ownChanges: own, at: at)
        return at
    }

    private func findNextDue() throws(StoreError) -> Int64? {
        try first(
            """
            WITH head AS NOT MATERIALIZED (
                SELECT seq, state, not_before FROM mutation
                WHERE NOT EXISTS (SELECT 1 FROM mutation AS earlier
                    WHERE earlier.model = mutation.model AND earlier.id = mutation.id
                        AND earlier.seq < mutation.seq AND earlier.state <> 'rejected'))
            SELECT min(at) FROM (
                SELECT * FROM (SELECT 0 AS at FROM head
                    WHERE state = 'queued' AND not_before = 0
                    ORDER BY seq LIMIT 1)
                UNION ALL
                SELECT * FROM (SELECT not_before AS at FROM head
                    WHERE (state <> 'queued' OR not_before > 0) AND state = 'queued'
                    ORDER BY not_before LIMIT 1)
                UNION ALL
                SELECT * FROM (SELECT not_before AS at FROM head
                    WHERE (state <> 'queued' OR not_before > 0) AND state = 'unknown'
                    ORDER BY not_before LIMIT 1))
            """, { (row) throws(StoreError) in row.optionalInteger(0) }) ?? nil
    }
}
