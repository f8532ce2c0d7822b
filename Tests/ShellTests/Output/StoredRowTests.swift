import JSON
import Records
import Shell
import Storage
import Testing

@Suite struct `Rows of the store` {
    @Test func `are written like records in hand`() throws {
        let model = Model(
            name: "Post",
            fields: [
                Field("id", .scalar(.id), isRequired: true), Field("title", .scalar(.string)),
                Field("rating", .scalar(.int)), Field("tags", .scalar(.string), isList: true),
            ])
        let store = try Store(inMemory: Schema(models: [model]))
        let records = [
            JSONObject([("id", "a"), ("title", "x\u{1b}"), ("rating", 1), ("tags", ["p"])]),
            JSONObject([("id", "b"), ("title", nil), ("rating", nil), ("tags", nil), ("new", true)]
            ),
        ]
        try store.write { () throws(StoreError) in
            for record in records {
                try store.putRecord(
                    model, RecordID(record["id"]?.text ?? ""), record, version: "v1")
            }
        }
        for format in OutputFormat.allCases {
            for (fields, meta) in [(nil, false), ([0, 2], true)] as [([Int]?, Bool)] {
                let listing = Listing(format: format)
                let columns = listing.columns(of: model, fields: fields, meta: meta)
                let expected = MemoryOutput()
                var rows = listing.rows(to: expected)
                try rows.begin(columns)
                for record in records {
                    try rows.row(RecordRow(record, of: model, version: "v1", state: "synced"))
                }
                try rows.end()
                let written = MemoryOutput()
                rows = listing.rows(to: written)
                try rows.begin(columns)
                try store.forEachRow(Query(model: "Post")) { row throws(ShellError) in
                    try rows.row(row)
                    return true
                }
                try rows.end()
                #expect(written.text == expected.text)
            }
        }
    }
}
