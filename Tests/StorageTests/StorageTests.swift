import JSON
import Records
import Storage
import Testing

@Suite struct `A store in memory` {
    static let post = Model(
        name: "Post",
        fields: [
            Field("id", .scalar(.id)), Field("title", .scalar(.string)),
            Field("rating", .scalar(.int)), Field("score", .scalar(.float)),
            Field("done", .scalar(.boolean)), Field("tags", .scalar(.string), isList: true),
            Field("at", .scalar(.dateTime)),
        ])

    @Test func `gives back a record as it was put`() throws {
        let store = try Store(inMemory: Schema(models: [Self.post]))
        let record = JSONObject([
            ("id", "p1"), ("title", "a\u{0}b"), ("rating", 3), ("score", .double(1.5)),
            ("done", true), ("tags", ["x", "y"]), ("at", "2024-01-01T00:00:00Z"),
        ])
        try store.putRecord(Self.post, RecordID("p1"), record, version: 7)
        let found = try store.record(Self.post, RecordID("p1"))
        #expect(found == StoredRecord(record: record, version: 7))
    }
}
