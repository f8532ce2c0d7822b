internal import CSQLite
internal import Glibc
internal import JSON
package import Records

/// Rows of the queue's tables that belong to nothing.
package struct StoreOrphans: Sendable, Equatable {
    /// Bases of records without live mutations.
    package var bases = 0
    /// Dependencies from or on a mutation that is not there, and notes for such.
    package var dependencies = 0
    /// Mutations that wait and have nothing to wait for.
    package var waiting = 0

    package init() {}

    package var total: Int { bases + dependencies + waiting }
}

/// Rows that do no harm, though nothing will ever ask for them.
package struct StoreLeftovers: Sendable, Equatable {
    /// Cursors of models that are gone.
    package var cursors = 0
    /// Records noted by a full pull that is not under way.
    package var seen = 0
    /// What undo knows of commands that the feed does not have.
    package var undo = 0
    /// Quarantined data of models that are gone.
    package var quarantine = 0

    package init() {}
}

/// What a look at every record came to.
package struct RecordReading: Sendable, Equatable {
    package var examined = 0
    /// Those that cannot be read; the first few.
    package var unreadable: [RecordKey] = []
    package var unreadableCount = 0

    package init() {}

    mutating func noteUnreadable(_ key: RecordKey) {
        unreadableCount += 1
        if unreadable.count < 10 { unreadable.append(key) }
    }
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

    /// What `read` finds; nil also where it is there and illegible.
    ///
    /// For what will be written anew: one spoilt value must not stop all the others. `doctor` names
    /// those that are left.
    package func legible<T>(
        _ read: () throws(StoreError) -> T?
    ) throws(StoreError) -> T? {
        do throws(StoreError) { return try read() } catch {
            guard error.kind == .illegible else { throw error }
            return nil
        }
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
            SELECT (SELECT count(*) FROM dependency
                WHERE NOT EXISTS (SELECT 1 FROM mutation WHERE seq = dependency.seq)
                    OR NOT EXISTS (SELECT 1 FROM mutation WHERE seq = dependency.on_seq))
                + (SELECT count(*) FROM _detachment
                WHERE NOT EXISTS (SELECT 1 FROM mutation WHERE seq = _detachment.seq))
            """)
        orphans.waiting = try examined(
            """
            SELECT count(*) FROM mutation WHERE state <> 'queued' AND state = 'waiting'
                AND NOT EXISTS (SELECT 1 FROM dependency WHERE dependency.seq = mutation.seq)
            """)
        return orphans
    }

    /// Counts what would only be in the way of somebody who looks.
    package func leftovers() throws(StoreError) -> StoreLeftovers {
        var leftovers = StoreLeftovers()
        for model in try models("SELECT DISTINCT model FROM cursor") where !isKnown(model) {
            if try !hasMutations(of: model) { leftovers.cursors += 1 }
        }
        for model in try models("SELECT DISTINCT model FROM seen") {
            if try cursor(model)?.isFull != true { leftovers.seen += try seenCount(model) }
        }
        for model in try models("SELECT model FROM quarantine") where !isKnown(model) {
            leftovers.quarantine += 1
        }
        leftovers.undo = try examined(
            """
            WITH known AS (SELECT "group" FROM change WHERE "group" IS NOT NULL)
            SELECT (SELECT count(*) FROM undo_entry WHERE "group" NOT IN known)
                + (SELECT count(*) FROM undo_group WHERE "group" NOT IN known)
            """)
        return leftovers
    }

    /// Lines of the feed that this satchel does not understand: `log` and `watch` stop at them.
    package func foreignChanges() throws(StoreError) -> Int {
        let statement = try connection.prepare(
            """
            SELECT count(*) FROM change
            WHERE kind NOT IN (\(Self.list(ChangeKind.allCases.map(\.rawValue))))
                OR origin NOT IN (\(Self.list(ChangeOrigin.allCases.map(\.rawValue))))
            """, isKept: false)
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// Records whose first live mutation changes what is there, but of which nobody knows any more
    /// what that was; the first few.
    package func recordsWithoutBase(limit: Int) throws(StoreError) -> [RecordKey] {
        try all(
            """
            SELECT model, id FROM mutation AS first
            WHERE kind IN ('update', 'delete') AND state <> 'rejected'
                AND NOT EXISTS (SELECT 1 FROM base
                    WHERE base.model = first.model AND base.id = first.id)
                AND NOT EXISTS (SELECT 1 FROM mutation AS earlier
                    WHERE earlier.model = first.model AND earlier.id = first.id
                        AND earlier.seq < first.seq AND earlier.state <> 'rejected')
            ORDER BY seq LIMIT ?
            """,
            { (row) throws(StoreError) in try row.bind(1, Int64(limit)) },
            { (row) throws(StoreError) in RecordKey(row.text(0), RecordID(row.text(1))) })
    }

    /// Parked mutations that do not say why.
    package func mutationsWithoutReason() throws(StoreError) -> Int {
        try examined(
            """
            SELECT count(*) FROM mutation
            WHERE state IN ('rejected', 'conflict') AND error IS NULL
            """)
    }

    /// Reads every record of every model, in constant memory.
    package func readRecords() throws(StoreError) -> RecordReading {
        var reading = RecordReading()
        for model in schema.models {
            try forEach(Query(model: model.name)) { (row) throws(StoreError) in
                reading.examined += 1
                do throws(StoreError) {
                    _ = try row.record()
                    _ = try row.version()
                } catch {
                    guard error.kind == .illegible else { throw error }
                    reading.noteUnreadable(RecordKey(model.name, row.id))
                }
                return true
            }
        }
        return reading
    }

    private func seenCount(_ model: String) throws(StoreError) -> Int {
        try first(
            "SELECT count(*) FROM seen WHERE model = ?",
            { (row) throws(StoreError) in try row.bind(1, model) },
            { (row) throws(StoreError) in Int(row.integer(0)) }) ?? 0
    }

    private static func list(_ words: [String]) -> String {
        words.map { "'\($0)'" }.joined(separator: ", ")
    }

    private func isKnown(_ model: String) -> Bool {
        schema.models.contains { $0.name.sameBytes(as: model) }
    }

    private func models(_ sql: StaticString) throws(StoreError) -> [String] {
        try all(sql, { (row) throws(StoreError) in row.text(0) })
    }

    private func examined(_ sql: StaticString) throws(StoreError) -> Int {
        try first(sql, { (row) throws(StoreError) in Int(row.integer(0)) }) ?? 0
    }
}
