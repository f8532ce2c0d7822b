extension Store {
    /// Makes the mutation `seq` wait until `other` is delivered.
    package func addDependency(seq: Int64, on other: Int64) throws(StoreError) {
        try run("INSERT OR IGNORE INTO dependency (seq, on_seq) VALUES (?, ?)") {
            (row) in
            row.bind(1, seq)
            row.bind(2, other)
        }
    }

    /// Makes the mutation wait for nothing; its state is left as it is.
    package func removeDependencies(of seq: Int64) throws(StoreError) {
        try run("DELETE FROM dependency WHERE seq = ?") { (row) in row.bind(1, seq) }
    }

    /// Makes the mutation not wait for `other`; its state is left as it is.
    package func removeDependency(seq: Int64, on other: Int64) throws(StoreError) {
        try run("DELETE FROM dependency WHERE seq = ? AND on_seq = ?") { (row) in
            row.bind(1, seq)
            row.bind(2, other)
        }
    }

    /// What the mutation waits for.
    package func dependencies(of seq: Int64) throws(StoreError) -> [Int64] {
        try all(
            "SELECT on_seq FROM dependency WHERE seq = ? ORDER BY on_seq",
            { (row) throws(StoreError) in try row.bind(1, seq) },
            { (row) throws(StoreError) in row.integer(0) })
    }

    /// What waits for the mutation.
    package func dependents(on seq: Int64) throws(StoreError) -> [Int64] {
        try all(
            "SELECT seq FROM dependency WHERE on_seq = ? ORDER BY seq",
            { (row) throws(StoreError) in try row.bind(1, seq) },
            { (row) throws(StoreError) in row.integer(0) })
    }

    /// Ends the waiting for `seq`: those that wait for nothing else are queued.
    package func releaseDependents(of seq: Int64) throws(StoreError) {
        let waiting = try dependents(on: seq)
        if waiting.isEmpty { return }
        try run("DELETE FROM dependency WHERE on_seq = ?") { (row) in
            row.bind(1, seq)
        }
        for dependent in waiting {
            try run(
                """
                UPDATE mutation SET state = 'queued' WHERE seq = ?1 AND state = 'waiting'
                    AND NOT EXISTS (SELECT 1 FROM dependency WHERE seq = ?1)
                """
            ) { (row) in row.bind(1, dependent) }
        }
    }
}
