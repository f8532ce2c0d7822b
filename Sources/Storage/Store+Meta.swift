internal import CSQLite

extension Store {
    /// What is kept under the key; nil for nothing.
    package func meta(_ key: MetaKey) throws(StoreError) -> String? {
        try first(
            "SELECT value FROM meta WHERE key = ?",
            { (row) throws(StoreError) in try row.bind(1, key.rawValue) },
            { (row) throws(StoreError) in row.text(0) })
    }

    /// Nil removes the entry.
    package func setMeta(_ key: MetaKey, _ value: String?) throws(StoreError) {
        guard let value else {
            return try run("DELETE FROM meta WHERE key = ?") { (row) in
                row.bind(1, key.rawValue)
            }
        }
        try run(
            """
            INSERT INTO meta (key, value) VALUES (?, ?)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """
        ) { (row) in
            row.bind(1, key.rawValue)
            row.bind(2, value)
        }
    }

    /// A number that differs after any other connection's commit; equal ones mean nothing new.
    ///
    /// - Throws: Kind `.damaged` once the file is another's: nothing new would ever be seen of it.
    package func dataVersion() throws(StoreError) -> Int64 {
        try requireOwnFile()
        return try othersCommits()
    }

    /// As `dataVersion`, also of a file that is gone.
    func othersCommits() throws(StoreError) -> Int64 {
        try first("PRAGMA data_version", { (row) throws(StoreError) in row.integer(0) }) ?? 0
    }
}
