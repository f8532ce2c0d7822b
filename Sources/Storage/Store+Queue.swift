internal import JSON
package import Records

// The queue as a whole: what is due, how much of what there is.
extension Store {
    /// The mutations that may be sent now, in the queue's order: the first live ones of their
    /// records, queued or of unknown outcome.
    ///
    /// `now` is in milliseconds since 1970; `ignoringDelay` passes over `notBefore`; nil stands
    /// for all groups, all models.
    package func readyMutations(
        now: Int64, limit: Int, ignoringDelay: Bool = false, group: String? = nil,
        models: [String]? = nil
    ) throws(StoreError) -> [Mutation] {
        // Four runs of one index, each already in the queue's order or short: the undelayed are
        // found at once however many there are, and however many are parked before them.
        try all(
            """
            SELECT seq, key, "group", model, id, kind, "set", was, base_version, state, attempts,
                frozen, not_before, error, created_at
            FROM mutation JOIN (
                SELECT seq AS place FROM mutation WHERE state = 'queued' AND not_before = 0
                UNION ALL
                SELECT seq FROM mutation WHERE state = 'unknown' AND not_before = 0
                UNION ALL
                SELECT seq FROM mutation
                WHERE state = 'queued' AND not_before > 0 AND not_before <= ?1
                UNION ALL
                SELECT seq FROM mutation
                WHERE state = 'unknown' AND not_before > 0 AND not_before <= ?1
                ORDER BY 1
            ) ON seq = place
            WHERE (?2 IS NULL OR "group" = ?2)
                AND (?4 IS NULL OR model IN (SELECT value FROM json_each(?4)))
                AND NOT EXISTS (
                SELECT 1 FROM mutation AS earlier
                WHERE earlier.model = mutation.model AND earlier.id = mutation.id
                    AND earlier.seq < mutation.seq AND earlier.state <> 'rejected')
            ORDER BY place LIMIT ?3
            """,
            { (row) throws(StoreError) in
                try row.bind(1, ignoringDelay ? .max : now)
                try row.bind(2, group)
                try row.bind(3, Int64(limit))
                try row.bind(4, json: models.map { .array($0.map(JSONValue.string)) })
            }, { (row) throws(StoreError) in try row.mutation() })
    }

    /// How many mutations there are of each state; a state without any is left out.
    package func mutationCounts() throws(StoreError) -> [Mutation.State: Int] {
        let counts = try all("SELECT state, count(*) FROM mutation GROUP BY state") {
            (row) throws(StoreError) in (row.text(0), Int(row.integer(1)))
        }
        var result: [Mutation.State: Int] = [:]
        for (state, count) in counts {
            if let state = Mutation.State(rawValue: state) { result[state] = count }
        }
        return result
    }

    /// When the longest-waiting mutation that is still to be sent was made.
    package func oldestQueuedAt() throws(StoreError) -> Int64? {
        try first(
            """
            SELECT min(at) FROM (
                SELECT * FROM (SELECT created_at AS at FROM mutation
                    WHERE state = 'queued' AND not_before = 0 ORDER BY seq LIMIT 1)
                UNION ALL
                SELECT * FROM (SELECT created_at FROM mutation
                    WHERE state = 'unknown' AND not_before = 0 ORDER BY seq LIMIT 1)
                UNION ALL
                SELECT min(created_at) FROM mutation
                    WHERE state IN ('queued', 'unknown') AND not_before > 0
                UNION ALL
                SELECT min(created_at) FROM mutation WHERE state IN ('sending', 'waiting'))
            """, { (row) throws(StoreError) in row.optionalInteger(0) }) ?? nil
    }

    /// When the next mutation may be sent; 0 when one may at once, nil when none ever will be.
    package func nextDueAt() throws(StoreError) -> Int64? {
        try first(
            """
            SELECT min(at) FROM (
                SELECT min(not_before) AS at FROM mutation WHERE state = 'queued'
                UNION ALL
                SELECT min(not_before) FROM mutation WHERE state = 'unknown')
            """, { (row) throws(StoreError) in row.optionalInteger(0) }) ?? nil
    }

    /// After a crash nobody knows what became of the mutations that were being sent.
    ///
    /// - Returns: How many there were.
    @discardableResult
    package func markAllSendingUnknown() throws(StoreError) -> Int {
        try run("UPDATE mutation SET state = 'unknown' WHERE state = 'sending'")
        return connection.changes
    }
}
