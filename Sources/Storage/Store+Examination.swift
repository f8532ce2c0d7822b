internal import CSQLite
internal import Glibc

/// Rows of our own tables that belong to nothing.
package struct StoreOrphans: Sendable, Equatable {
    /// Bases of records without live mutations.
    package var bases = 0
    /// Dependencies from or on a mutation that is not there.
    package var dependencies = 0
    /// Mutations that wait and have nothing to wait for.
    package var waiting = 0

    package init() {}

    package var total: Int { bases + dependencies + waiting }
}

// Looking for damage; nothing here changes the file.
extension Store {
    /// Lists what SQLite's own check finds wrong with a file: nothing for a sound one.
    ///
    /// Nothing too where there is no file at `path`. The schema is not needed.
    ///
    /// - Parameters:
    ///   - path: Of the store.
    ///   - limit: How many problems to list.
    /// - Returns: A line a problem.
    /// - Throws: Kind `.damaged` for a file that cannot even be read as a database.
    package static func integrityProblems(
        at path: String, limit: Int = 20
    ) throws(StoreError) -> [String] {
        var info = stat()
        guard stat(path, &info) == 0, info.st_size > 0 else { return [] }
        let connection = try Connection(path: path, isNew: false)
        try connection.execute("PRAGMA busy_timeout = 5000")
        let check = try connection.prepare("PRAGMA integrity_check(\(limit))", isKept: false)
        var problems: [String] = []
        while try check.step() {
            let line = check.text(0)
            if line != "ok" { problems.append(line) }
        }
        return problems
    }

    package func orphans() throws(StoreError) -> StoreOrphans {
        var orphans = StoreOrphans()
        orphans.bases = try examined(
            """
            SELECT count(*) FROM base WHERE NOT EXISTS (
                SELECT 1 FROM mutation WHERE mutation.model = base.model
                    AND mutation.id = base.id AND mutation.state <> 'rejected')
            """)
        orphans.dependencies = try examined(
            """
            SELECT count(*) FROM dependency
            WHERE NOT EXISTS (SELECT 1 FROM mutation WHERE seq = dependency.seq)
                OR NOT EXISTS (SELECT 1 FROM mutation WHERE seq = dependency.on_seq)
            """)
        orphans.waiting = try examined(
            """
            SELECT count(*) FROM mutation WHERE state <> 'queued' AND state = 'waiting'
                AND NOT EXISTS (SELECT 1 FROM dependency WHERE dependency.seq = mutation.seq)
            """)
        return orphans
    }

    private func examined(_ sql: StaticString) throws(StoreError) -> Int {
        try first(sql, { (row) throws(StoreError) in Int(row.integer(0)) }) ?? 0
    }
}
