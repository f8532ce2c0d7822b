package import Records

extension Store {
    /// `synced`, `pending`, `conflict` or `rejected`: what a person has to look at comes before
    /// what goes on by itself.
    package func state(of key: RecordKey) throws(StoreError) -> String {
        try key.id.text.utf8Span.span.withUnsafeBytes { (id) throws(StoreError) in
            try state(of: key.model, id: id)
        }
    }

    func state(of model: String, id: UnsafeRawBufferPointer) throws(StoreError) -> String {
        try first(
            """
            SELECT CASE min(CASE state WHEN 'conflict' THEN 1 WHEN 'rejected' THEN 2 ELSE 3 END)
                WHEN 1 THEN 'conflict' WHEN 2 THEN 'rejected' WHEN 3 THEN 'pending'
                ELSE 'synced' END
            FROM mutation WHERE model = ? AND id = ?
            """,
            { (row) throws(StoreError) in
                try row.bind(1, model)
                try row.bind(2, text: id)
            }, { (row) throws(StoreError) in row.text(0) }) ?? "synced"
    }

    func hasMutations(of model: String) throws(StoreError) -> Bool {
        try first(
            "SELECT 1 FROM mutation WHERE model = ? LIMIT 1",
            { (row) throws(StoreError) in try row.bind(1, model) }, { _ in true }) ?? false
    }
}
