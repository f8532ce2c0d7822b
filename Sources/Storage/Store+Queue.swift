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
        var wanted: JSONValue?
        if let models { wanted = .array(models.map(JSONValue.string)) }
        // Those that nothing happened to yet are found by scanning the queue itself; the others
        // by their index, whose condition the query must repeat to the letter.
        let untouched = try all(
            """
            SELECT seq, model, id, kind, state, not_before, attempts, frozen, created_at, key,
                "group", base_version, error, "set", was
            FROM mutation
            WHERE state = 'queued' AND not_before = 0 AND (?1 IS NULL OR "group" = ?1)
                AND (?3 IS NULL OR model IN (SELECT value FROM json_each(?3)))
                AND NOT EXISTS (SELECT 1 FROM mutation AS earlier
                    WHERE earlier.model = mutation.model AND earlier.id = mutation.id
                        AND earlier.seq < mutation.seq AND earlier.state <> 'rejected')
            ORDER BY seq LIMIT ?2
            """,
            { (row) throws(StoreError) in
                try row.bind(1, group)
                try row.bind(2, Int64(limit))
                try row.bind(3, json: wanted)
            }, { (row) throws(StoreError) in try row.mutation() })
        let apart = try all(
            """
            SELECT seq, model, id, kind, state, not_before, attempts, frozen, created_at, key,
                "group", base_version, error, "set", was
            FROM mutation
            WHERE (state <> 'queued' OR not_before > 0) AND state IN ('queued', 'unknown')
                AND not_before <= ?4 AND (?1 IS NULL OR "group" = ?1)
                AND (?3 IS NULL OR model IN (SELECT value FROM json_each(?3)))
                AND NOT EXISTS (SELECT 1 FROM mutation AS earlier
                    WHERE earlier.model = mutation.model AND earlier.id = mutation.id
                        AND earlier.seq < mutation.seq AND earlier.state <> 'rejected')
            ORDER BY seq LIMIT ?2
            """,
            { (row) throws(StoreError) in
                try row.bind(1, group)
                try row.bind(2, Int64(limit))
                try row.bind(3, json: wanted)
                try row.bind(4, ignoringDelay ? .max : now)
            }, { (row) throws(StoreError) in try row.mutation() })
        if apart.isEmpty { return untouched }
        return Array((untouched + apart).sorted { $0.seq < $1.seq }.prefix(limit))
    }

    /// How many mutations there are of each state; a state without any is left out.
    package func mutationCounts() throws(StoreError) -> [Mutation.State: Int] {
        let apart = try all(
            """
            SELECT state, count(*) FROM mutation WHERE state <> 'queued' OR not_before > 0
            GROUP BY state
            """
        ) { (row) throws(StoreError) in (row.text(0), Int(row.integer(1))) }
        let total = try first(
            "SELECT count(*) FROM mutation",
            { (row) throws(StoreError) in Int(row.integer(0)) })
        var result: [Mutation.State: Int] = [:]
        var untouched = total ?? 0
        for (name, count) in apart {
            untouched -= count
            if let state = Mutation.State(rawValue: name) { result[state] = count }
        }
        if untouched > 0 { result[.queued, default: 0] += untouched }
        return result
    }

    /// When the longest-waiting mutation that is still to be delivered was made.
    package func oldestQueuedAt() throws(StoreError) -> Int64? {
        try first(
            """
            SELECT min(at) FROM (
                SELECT * FROM (SELECT created_at AS at FROM mutation
                    WHERE state = 'queued' AND not_before = 0 ORDER BY seq LIMIT 1)
                UNION ALL
                SELECT min(created_at) FROM mutation
                WHERE (state <> 'queued' OR not_before > 0)
                    AND state IN ('queued', 'unknown', 'sending', 'waiting'))
            """, { (row) throws(StoreError) in row.optionalInteger(0) }) ?? nil
    }

    /// Makes mutations due at once, but for those that the backend itself put off.
    package func forgetDelays() throws(StoreError) {
        try run(
            """
            UPDATE mutation SET not_before = 0
            WHERE state IN ('queued', 'unknown') AND not_before > 0
                AND coalesce(error ->> 'kind', '') <> 'later'
            """)
    }

    /// Makes mutations whose delay ends after `latest` due at once, or after `announced` where the
    /// backend named the delay itself: the clock jumped back.
    ///
    /// `latest` is positive; the query says so too, or it would read the whole queue.
    package func clampDelays(latest: Int64, announced: Int64) throws(StoreError) {
        try run(
            """
            UPDATE mutation SET not_before = 0
            WHERE not_before > 0 AND state IN ('queued', 'unknown') AND not_before > ?1
                AND (not_before > ?2 OR coalesce(error ->> 'kind', '') <> 'later')
            """
        ) { (row) in
            row.bind(1, latest)
            row.bind(2, announced)
        }
    }

    /// After a crash nobody knows what became of the mutations that were being sent.
    ///
    /// - Returns: How many there were.
    @discardableResult
    package func markAllSendingUnknown() throws(StoreError) -> Int {
        try run(
            """
            UPDATE mutation SET state = 'unknown' WHERE state <> 'queued' AND state = 'sending'
            """)
        return connection.changes
    }
}
