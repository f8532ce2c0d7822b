internal import JSON

extension Store {
    /// Brings the file to this Satchel's tables, then the model tables to the schema.
    func migrate() throws(StoreError) {
        let found = try storedVersion()
        if found.version == Migration.all.count, found.schemaHash == schemaHash { return }
        try requireKnown(found.version)
        for number in found.version..<Migration.all.count {
            try write { () throws(StoreError) in
                // Another process may have been here first.
                if try storedVersion().version != number { return }
                try connection.execute(Migration.all[number].sql)
                try setMeta(.storeVersion, String(number + 1))
            }
        }
        try write { () throws(StoreError) in
            let present = try storedVersion()
            try requireKnown(present.version)
            if present.schemaHash != schemaHash { try alterTables() }
        }
    }

    private func requireKnown(_ version: Int) throws(StoreError) {
        guard version > Migration.all.count else { return }
        throw StoreError(
            .newer,
            "the store \(path) is of version \(version), this satchel knows up to "
                + "\(Migration.all.count)",
            hint: "use the newer satchel that wrote it")
    }

    /// What the file says of itself: version 0 when nothing is in it.
    private func storedVersion(
        isSecondLook: Bool = false
    ) throws(StoreError) -> (version: Int, schemaHash: String?) {
        do throws(StoreError) {
            let statement = try connection.prepare(
                """
                SELECT (SELECT value FROM meta WHERE key = 'store_version'),
                    (SELECT value FROM meta WHERE key = 'schema_hash')
                """, isKept: false)
            guard try statement.step(), let version = Int(statement.text(0)) else {
                throw StoreError(.damaged, "the store \(path) does not say its version")
            }
            return (version, statement.optionalText(1))
        } catch {
            // Without a table `meta` the statement does not compile.
            guard error.kind == .misuse else { throw error }
            let statement = try connection.prepare(
                "SELECT count(*), count(*) FILTER (WHERE name = 'meta') FROM sqlite_master",
                isKept: false)
            if try statement.step() {
                if statement.integer(0) == 0 { return (0, nil) }
                // Another process made the tables between the two looks.
                if statement.integer(1) > 0, !isSecondLook {
                    return try storedVersion(isSecondLook: true)
                }
            }
            throw StoreError(.damaged, "\(path) is a database, but no Satchel store")
        }
    }

    /// True when the tables no longer are those of this store's schema.
    var isSchemaForeign: Bool {
        do throws(StoreError) {
            return try storedVersion().schemaHash != schemaHash
        } catch {
            return false
        }
    }

    /// Within a transaction: whoever holds another layout than the file's must not touch it.
    func requireOwnSchema() throws(StoreError) {
        guard isAdopted else { return }
        let cached = try prepared("SELECT value FROM meta WHERE key = 'schema_hash'")
        cached.isBusy = true
        defer {
            cached.statement.reset()
            cached.isBusy = false
        }
        guard try cached.statement.step(), cached.statement.text(0).sameBytes(as: schemaHash)
        else { throw schemaChanged }
    }

    var schemaChanged: StoreError {
        StoreError(
            .newer, "another satchel changed the schema of \(path) meanwhile",
            hint: "start again")
    }
}
