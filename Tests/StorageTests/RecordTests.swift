import JSON
import Records
import Storage
import Testing

@Suite struct `Records in their tables` {
    static let whole = JSONObject([
        ("id", "p1"), ("title", "a\u{0}b é e\u{301} \u{1F600}"), ("rating", .int(.min)),
        ("score", .double(-0.1)), ("done", false), ("tags", ["x", nil, "\u{0}"]),
        ("at", "2024-01-01T00:00:00.000+02:00"), ("meta", ["b": 1, "a": [1, .double(2)]]),
        ("raw", "{ \"kept\" : 1 }"), ("status", "UNHEARD_OF"), ("authorID", ""),
    ])

    static let values: [(String, JSONValue)] = [
        ("title", ""), ("title", 7), ("title", ["a"]), ("rating", .int(.max)),
        ("rating", .big("123456789012345678901234567890")), ("rating", "123"), ("rating", true),
        ("rating", .double(3)), ("score", 3), ("score", .double(1e300)), ("done", "yes"),
        ("done", 1), ("tags", "no list"), ("tags", []), ("meta", [1]), ("meta", [:]),
        ("status", 4), ("unknown", "kept"), ("unknown", nil), ("authorID", 12),
    ]

    @Test func `come back as they were put`() throws {
        let store = try Store(inMemory: .blog)
        try store.putRecord(.post, RecordID("p1"), Self.whole, version: ["v": .big("1.50")])
        let found = try store.record(.post, RecordID("p1"))
        #expect(found == StoredRecord(record: Self.whole, version: ["v": .big("1.50")]))
        #expect(found?.record.keys == Self.whole.keys)
    }

    @Test(arguments: values) func `keep a value whatever its field's type`(
        _ field: String, _ value: JSONValue
    ) throws {
        let store = try Store(inMemory: .blog)
        var record = Self.whole
        record[field] = value
        try store.putRecord(.post, RecordID("p1"), record, version: nil)
        #expect(try store.record(.post, RecordID("p1"))?.record == record)
        var line: [UInt8] = []
        try store.forEach(Query(model: "Post")) { (row) throws(StoreError) in
            try row.appendJSON(to: &line)
            return true
        }
        var expected: [UInt8] = []
        record.write(into: &expected)
        #expect(String(decoding: line, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
    }

    @Test func `have a null for each field they lack`() throws {
        let store = try Store(inMemory: .blog)
        try store.put(.author, "a1")
        let record = try store.record(.author, RecordID("a1"))?.record
        #expect(record?.keys == ["id", "name"])
        #expect(record?["name"] == .null)
    }

    @Test func `are replaced whole`() throws {
        let store = try Store(inMemory: .blog)
        try store.put(.post, "p1", ("title", "old"), ("unknown", 1))
        try store.put(.post, "p1", ("rating", 2))
        let record = try store.record(.post, RecordID("p1"))?.record
        #expect(record?["title"] == .null && record?["rating"] == 2)
        #expect(record?["unknown"] == nil)
    }

    @Test func `are there, then not`() throws {
        let store = try Store(inMemory: .blog)
        let id = RecordID("p1")
        #expect(try !store.recordExists(.post, id))
        try store.put(.post, "p1")
        let record = try #require(try store.record(.post, id)).record
        try store.putRecord(.post, id, record, version: "v2")
        #expect(try store.recordExists(.post, id))
        #expect(try store.record(.post, id)?.version == "v2")
        try store.removeRecord(.post, id)
        #expect(try store.record(.post, id) == nil)
    }

    @Test func `keep a key that is not the id's text`() throws {
        let store = try Store(inMemory: .blog)
        let record = JSONObject([("id", 42), ("name", "Ann")])
        try store.putRecord(.author, RecordID("42"), record, version: nil)
        #expect(try store.record(.author, RecordID("42"))?.record == record)
    }

    @Test func `lie apart where names differ by case alone or are ours`() throws {
        let models = ["Post", "post", "POST", "Mutation", "meta", "_meta", "sqlite_x", "Select"]
            .map { name in
                Model(
                    name: name,
                    fields: [
                        Field("id", .scalar(.id)), Field("ID", .scalar(.id)),
                        Field("name", .scalar(.string)), Field("Name", .scalar(.string)),
                        Field("_version", .scalar(.string)), Field("rowid", .scalar(.int)),
                        Field("order", .scalar(.int)),
                    ])
            }
        let store = try Store(inMemory: Schema(models: models))
        for model in models {
            let record = JSONObject([
                ("id", "1"), ("ID", "2"), ("name", .string(model.name)), ("Name", "b"),
                ("_version", "c"), ("rowid", 5), ("order", 6),
            ])
            try store.putRecord(model, RecordID("1"), record, version: 9)
        }
        for model in models {
            let stored = try store.record(model, RecordID("1"))
            #expect(stored?.record["name"] == .string(model.name))
            #expect(stored?.record["_version"] == "c" && stored?.version == 9)
            #expect(
                try store.ids(
                    Query(model: model.name, filter: .test(.init([], "Name"), .equal("b"))))
                    == [RecordID("1")])
        }
    }

    @Test func `are keyed by several fields, or by a number`() throws {
        let model = Model(
            name: "Order",
            fields: [Field("customer", .scalar(.id)), Field("number", .scalar(.int))],
            key: ["customer", "number"])
        let store = try Store(inMemory: Schema(models: [model]))
        let record = JSONObject([("customer", "c1"), ("number", 7)])
        let id = RecordID("[\"c1\",7]")
        try store.putRecord(model, id, record, version: nil)
        #expect(try store.record(model, id)?.record == record)
    }

    @Test func `are found by the beginning of their id`() throws {
        let store = try Store(inMemory: .blog)
        for id in ["ab", "abc", "abd", "b", "é", "éz"] { try store.put(.author, id) }
        #expect(
            try store.ids(.author, prefix: "ab", limit: 9).map(\.text) == ["ab", "abc", "abd"])
        #expect(try store.ids(.author, prefix: "ab", limit: 2).count == 2)
        #expect(try store.ids(.author, prefix: "é", limit: 9).count == 2)
        #expect(try store.ids(.author, prefix: "", limit: 9).count == 6)
        #expect(try store.ids(.author, prefix: "x", limit: 9).isEmpty)
    }
}
