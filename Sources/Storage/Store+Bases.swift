package import Records

// What the backend last said of the records that have live mutations.
extension Store {
    package func base(_ key: RecordKey) throws(StoreError) -> Base? {
        try first(
            "SELECT version, record, deleted_record FROM base WHERE model = ? AND id = ?",
            { (row) throws(StoreError) in
                try row.bind(1, key.model)
                try row.bind(2, key.id.text)
            },
            { (row) throws(StoreError) in
                Base(
                    version: try row.json(0), record: try row.object(1),
                    deletedRecord: try row.object(2))
            })
    }

    package func setBase(_ key: RecordKey, _ base: Base) throws(StoreError) {
        try run(
            """
            INSERT INTO base (model, id, version, record, deleted_record) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (model, id) DO UPDATE SET version = excluded.version,
                record = excluded.record, deleted_record = excluded.deleted_record
            """
        ) { (row) in
            row.bind(1, key.model)
            row.bind(2, key.id.text)
            row.bind(3, json: base.version)
            row.bind(4, json: base.record)
            row.bind(5, json: base.deletedRecord)
        }
    }

    package func removeBase(_ key: RecordKey) throws(StoreError) {
        try run("DELETE FROM base WHERE model = ? AND id = ?") { (row) in
            row.bind(1, key.model)
            row.bind(2, key.id.text)
        }
    }
}
