package import Records

// Which queued changes end a reference: what they let go of is deleted after them.
//
// A row only says where to look: a mutation may have been changed since.
extension Store {
    /// Notes that the mutation `seq` ends a reference to `record`.
    package func noteDetachment(seq: Int64, from record: RecordKey) throws(StoreError) {
        try run("INSERT OR IGNORE INTO _detachment (seq, model, id) VALUES (?, ?, ?)") { (row) in
            row.bind(1, seq)
            row.bind(2, record.model)
            row.bind(3, record.id.text)
        }
    }

    /// The mutations of which one was noted to end a reference to `record`, in the queue's order.
    package func detachments(from record: RecordKey) throws(StoreError) -> [Int64] {
        try all(
            "SELECT seq FROM _detachment WHERE model = ? AND id = ? ORDER BY seq",
            { (row) throws(StoreError) in
                try row.bind(1, record.model)
                try row.bind(2, record.id.text)
            }, { (row) throws(StoreError) in row.integer(0) })
    }

    /// The record goes by another id now.
    package func moveDetachments(from record: RecordKey, to id: RecordID) throws(StoreError) {
        try run("UPDATE OR REPLACE _detachment SET id = ?3 WHERE model = ?1 AND id = ?2") { (row) in
            row.bind(1, record.model)
            row.bind(2, record.id.text)
            row.bind(3, id.text)
        }
    }
}
