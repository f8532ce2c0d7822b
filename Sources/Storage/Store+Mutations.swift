package import Records

extension Store {
    /// Puts a mutation at the end of the queue.
    ///
    /// - Returns: Its place, never given to another one.
    @discardableResult
    package func appendMutation(_ mutation: Mutation) throws(StoreError) -> Int64 {
        let seq = try nextMutationSeq()
        try run(
            """
            INSERT INTO mutation (model, id, kind, state, not_before, attempts, frozen, created_at,
                key, "group", base_version, error, "set", was, seq)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ) { (row) in
            row.bind(mutation)
            row.bind(15, seq)
        }
        return seq
    }

    /// Writes every field of the mutation whose place is `mutation.seq`.
    package func updateMutation(_ mutation: Mutation) throws(StoreError) {
        try run(
            """
            UPDATE mutation SET model = ?, id = ?, kind = ?, state = ?, not_before = ?,
                attempts = ?, frozen = ?, created_at = ?, key = ?, "group" = ?, base_version = ?,
                error = ?, "set" = ?, was = ?
            WHERE seq = ?
            """
        ) { (row) in
            row.bind(mutation)
            row.bind(15, mutation.seq)
        }
        guard connection.changes == 1 else {
            throw StoreError(.misuse, "there is no mutation \(mutation.seq) to change")
        }
    }

    /// Marks a mutation as being sent, which freezes its key and payload, and returns it so.
    package func markSending(_ mutation: Mutation) throws(StoreError) -> Mutation {
        try run("UPDATE mutation SET state = 'sending', frozen = 1 WHERE seq = ?") { (row) in
            row.bind(1, mutation.seq)
        }
        guard connection.changes == 1 else {
            throw StoreError(.misuse, "there is no mutation \(mutation.seq) to send")
        }
        var sending = mutation
        sending.state = .sending
        sending.isFrozen = true
        return sending
    }

    /// Takes a mutation, and what it waited for, out of the queue; what waits for it stays so
    /// until `releaseDependents`.
    package func removeMutation(_ seq: Int64) throws(StoreError) {
        try keepCreatedState(of: seq)
        try keepLastPlace(seq)
        try run("DELETE FROM dependency WHERE seq = ?") { (row) in row.bind(1, seq) }
        try run("DELETE FROM _detachment WHERE seq = ?") { (row) in row.bind(1, seq) }
        try run("DELETE FROM mutation WHERE seq = ?") { (row) in row.bind(1, seq) }
    }

    package func mutation(_ seq: Int64) throws(StoreError) -> Mutation? {
        try first(
            """
            SELECT seq, model, id, kind, state, not_before, attempts, frozen, created_at, key,
                "group", base_version, error, "set", was
            FROM mutation WHERE seq = ?
            """, { (row) throws(StoreError) in try row.bind(1, seq) },
            { (row) throws(StoreError) in try row.mutation() })
    }

    /// The record's mutations of every state, in their order.
    package func mutations(of key: RecordKey) throws(StoreError) -> [Mutation] {
        try all(
            """
            SELECT seq, model, id, kind, state, not_before, attempts, frozen, created_at, key,
                "group", base_version, error, "set", was
            FROM mutation WHERE model = ? AND id = ? ORDER BY seq
            """,
            { (row) throws(StoreError) in
                try row.bind(1, key.model)
                try row.bind(2, key.id.text)
            }, { (row) throws(StoreError) in try row.mutation() })
    }

    package func lastMutation(of key: RecordKey) throws(StoreError) -> Mutation? {
        try first(
            """
            SELECT seq, model, id, kind, state, not_before, attempts, frozen, created_at, key,
                "group", base_version, error, "set", was
            FROM mutation WHERE model = ? AND id = ? ORDER BY seq DESC LIMIT 1
            """,
            { (row) throws(StoreError) in
                try row.bind(1, key.model)
                try row.bind(2, key.id.text)
            }, { (row) throws(StoreError) in try row.mutation() })
    }

    package func hasLiveMutations(ofModel model: String) throws(StoreError) -> Bool {
        try first(
            "SELECT 1 FROM mutation WHERE model = ? AND state <> 'rejected' LIMIT 1",
            { (row) throws(StoreError) in try row.bind(1, model) },
            { (_) throws(StoreError) in true }) ?? false
    }

    package func hasLiveMutations(_ key: RecordKey) throws(StoreError) -> Bool {
        try first(
            "SELECT 1 FROM mutation WHERE model = ? AND id = ? AND state <> 'rejected' LIMIT 1",
            { (row) throws(StoreError) in
                try row.bind(1, key.model)
                try row.bind(2, key.id.text)
            }, { _ in true }) ?? false
    }

    /// Part of the queue, in its order.
    ///
    /// Nil stands for all states, all groups; only what is behind the place `after` is given.
    package func mutations(
        states: [Mutation.State]? = nil, group: String? = nil, after: Int64 = 0,
        limit: Int = .max
    ) throws(StoreError) -> [Mutation] {
        let bind = { (row: borrowing Statement) throws(StoreError) in
            try row.bind(1, after)
            try row.bind(2, states.map { $0.map { $0.rawValue + "," }.joined() })
            try row.bind(3, group)
            try row.bind(4, Int64(limit))
        }
        if let states, !states.contains(.queued) {
            // The few that are apart have an index of their own.
            return try all(
                """
                SELECT seq, model, id, kind, state, not_before, attempts, frozen, created_at, key,
                    "group", base_version, error, "set", was
                FROM mutation
                WHERE state <> 'queued' AND seq > ?1 AND instr(?2, state || ',')
                    AND (?3 IS NULL OR "group" = ?3)
                ORDER BY seq LIMIT ?4
                """, bind, { (row) throws(StoreError) in try row.mutation() })
        }
        return try all(
            """
            SELECT seq, model, id, kind, state, not_before, attempts, frozen, created_at, key,
                "group", base_version, error, "set", was
            FROM mutation
            WHERE seq > ?1 AND (?2 IS NULL OR instr(?2, state || ','))
                AND (?3 IS NULL OR "group" = ?3)
            ORDER BY seq LIMIT ?4
            """, bind, { (row) throws(StoreError) in try row.mutation() })
    }
}

// Places
extension Store {
    /// The next free place: counted within a transaction, looked up at its first use.
    private func nextMutationSeq() throws(StoreError) -> Int64 {
        if let next = transaction.nextMutation {
            transaction.nextMutation = next + 1
            return next
        }
        let next =
            try first(
                """
                SELECT 1 + max(coalesce((SELECT max(seq) FROM mutation), 0), coalesce(
                    (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'last_mutation'), 0))
                """, { (row) throws(StoreError) in row.integer(0) }) ?? 1
        if transaction.mode != .none { transaction.nextMutation = next + 1 }
        return next
    }

    /// Remembers the highest place before it leaves; SQLite's AUTOINCREMENT would write as much
    /// at every insert.
    private func keepLastPlace(_ seq: Int64) throws(StoreError) {
        try run(
            """
            INSERT INTO meta (key, value)
            SELECT 'last_mutation', ?1 WHERE NOT EXISTS (SELECT 1 FROM mutation WHERE seq > ?1)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value
            WHERE CAST(value AS INTEGER) < CAST(excluded.value AS INTEGER)
            """
        ) { (row) in row.bind(1, seq) }
    }
}
