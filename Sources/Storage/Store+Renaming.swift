package import Records

// The ids that records had before the backend chose theirs: undo knows them by those.
extension Store {
    package func noteRenaming(of key: RecordKey, to id: RecordID) throws(StoreError) {
        try run("INSERT OR REPLACE INTO _renamed (model, id, present) VALUES (?, ?, ?)") { (row) in
            row.bind(1, key.model)
            row.bind(2, key.id.text)
            row.bind(3, id.text)
        }
    }

    /// Another record is called so from now on.
    package func forgetRenaming(of key: RecordKey) throws(StoreError) {
        try run("DELETE FROM _renamed WHERE model = ? AND id = ?") { (row) in
            row.bind(1, key.model)
            row.bind(2, key.id.text)
        }
    }

    /// The id by which the record that was called so goes now.
    package func presentID(of key: RecordKey) throws(StoreError) -> RecordID {
        var id = key.id
        var met: Set<RecordID> = []
        while met.insert(id).inserted {
            let next = try first(
                "SELECT present FROM _renamed WHERE model = ? AND id = ?",
                { (row) throws(StoreError) in
                    try row.bind(1, key.model)
                    try row.bind(2, id.text)
                }, { (row) throws(StoreError) in RecordID(row.text(0)) })
            guard let next else { return id }
            id = next
        }
        return id
    }
}
