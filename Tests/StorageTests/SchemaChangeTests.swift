import JSON
import Records
import Storage
import Testing

@Suite struct `A schema change` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ models: Model..., hash: String) throws -> Store {
        try Store(path: folder.store, schema: Schema(models: models), schemaHash: hash)
    }

    private func model(
        _ name: String = "Post", _ fields: (String, FieldType)..., key: String = "id"
    )
        -> Model
    {
        Model(
            name: name,
            fields: [Field("id", .scalar(.id))] + fields.map { Field($0.0, $0.1) }, key: [key])
    }

    static let record = JSONObject([
        ("id", "p1"), ("title", "a"), ("views", 3), ("tags", ["x"]), ("later", ["deep": true]),
    ])

    /// Field lists that follow one another: whatever the columns, the record stays.
    static let histories: [[[(String, FieldType)]]] = [
        [
            [], [("title", .scalar(.string))],
            [("title", .scalar(.string)), ("views", .scalar(.int))],
        ],
        [[("title", .scalar(.string)), ("views", .scalar(.int))], [("views", .scalar(.int))], []],
        [[("title", .scalar(.string))], [("title", .scalar(.int))], [("title", .scalar(.date))]],
        [
            [("title", .scalar(.string)), ("Title", .scalar(.string))],
            [("Title", .scalar(.string))],
        ],
        [[("Title", .scalar(.string))], [("title", .scalar(.string)), ("Title", .scalar(.int))]],
        [[("later", .nested("A"))], [("later", .scalar(.string))], [("later", .nested("B"))]],
        [[("views", .scalar(.boolean))], [("views", .scalar(.float))], [("a", .scalar(.int))]],
    ]

    @Test(arguments: 0..<histories.count) func `keeps every value`(_ number: Int) throws {
        for (step, fields) in Self.histories[number].enumerated() {
            let model = Model(
                name: "Post",
                fields: [Field("id", .scalar(.id))] + fields.map { Field($0.0, $0.1) })
            let store = try open(model, hash: "\(step)")
            if step == 0 {
                try store.putRecord(model, RecordID("p1"), Self.record, version: "v")
                try store.queue("p1")
            }
            let found = try store.record(model, RecordID("p1"))
            for (key, value) in Self.record.pairs { #expect(found?.record[key] == value) }
            #expect(found?.version == "v")
            for field in fields where Self.record[field.0] == nil {
                #expect(found?.record[field.0] == .null)
            }
            #expect(try store.mutations().count == 1)
        }
    }

    @Test func `fills a new column so that filters find it`() throws {
        let old = model()
        let store = try open(old, hash: "1")
        for number in 0..<600 {
            try store.putRecord(
                old, RecordID("p\(number)"),
                JSONObject([("id", .string("p\(number)")), ("views", .int(Int64(number)))]),
                version: nil)
        }
        let new = model("Post", ("views", .scalar(.int)))
        let later = try open(new, hash: "2")
        #expect(
            try later.count(
                Query(model: "Post", filter: .test(.init([], "views"), .less(100)))) == 100)
        #expect(try later.count(Query(model: "Post")) == 600)
    }

    @Test func `makes and drops indexes`() throws {
        var indexed = model("Post", ("views", .scalar(.int)), ("title", .scalar(.string)))
        indexed.indexes = [Index(name: "byViews", fields: ["views", "title"])]
        let store = try open(indexed, hash: "1")
        try store.putRecord(indexed, RecordID("p1"), Self.record, version: nil)
        indexed.indexes = [Index(name: "byTitle", fields: ["title"])]
        let later = try open(indexed, hash: "2")
        #expect(try later.record(indexed, RecordID("p1"))?.record == Self.record)
    }

    @Test func `keeps a removed model while work on it is unsent`() throws {
        let post = model("Post", ("title", .scalar(.string)))
        let author = model("Author")
        do {
            let store = try open(post, author, hash: "1")
            try store.putRecord(post, RecordID("p1"), Self.record, version: 1)
            try store.queue("p1")
            try store.putRecord(author, RecordID("a1"), JSONObject([("id", "a1")]), version: 1)
            _ = try store.saveCursor(Cursor(model: "Author", token: 1), replacing: nil)
        }
        do {
            let store = try open(model("post"), hash: "2")
            #expect(try store.mutations().map(\.id) == [RecordID("p1")])
        }
        do {
            let store = try open(post, author, hash: "3")
            #expect(try store.record(post, RecordID("p1"))?.record == Self.record)
            #expect(try store.record(author, RecordID("a1")) == nil)
            #expect(try store.cursor("Author") == nil)
            try store.removeMutation(1)
        }
        _ = try open(author, hash: "4")
        let store = try open(post, author, hash: "5")
        #expect(try store.record(post, RecordID("p1")) == nil)
    }

    @Test func `lets names that differ by case change places`() throws {
        let lower = model("post", ("a", .scalar(.string)))
        let upper = model("Post", ("b", .scalar(.string)))
        do {
            let store = try open(lower, upper, hash: "1")
            try store.putRecord(lower, RecordID("1"), JSONObject([("a", "low")]), version: nil)
            try store.putRecord(upper, RecordID("1"), JSONObject([("b", "up")]), version: nil)
        }
        let store = try open(upper, lower, hash: "2")
        #expect(try store.record(lower, RecordID("1"))?.record["a"] == "low")
        #expect(try store.record(upper, RecordID("1"))?.record["b"] == "up")
    }

    @Test func `of the key leaves records under the id they have`() throws {
        let store = try open(model("Post", ("title", .scalar(.string))), hash: "1")
        try store.putRecord(
            model("Post", ("title", .scalar(.string))), RecordID("p1"), Self.record, version: nil)
        let changed = model("Post", ("title", .scalar(.string)), key: "title")
        let later = try open(changed, hash: "2")
        let found = try later.record(changed, RecordID("p1"))?.record
        for (key, value) in Self.record.pairs { #expect(found?[key] == value) }
    }

    @Test func `lets nobody read or write with the layout of before`() throws {
        let text = model("Post", ("title", .scalar(.string)))
        let old = try open(text, hash: "1")
        try old.putRecord(text, RecordID("p1"), Self.record, version: nil)
        // The same columns, which hold values in another way.
        let number = model("Post", ("title", .scalar(.int)))
        let new = try open(number, hash: "2")
        let writing = failure { () throws(StoreError) in
            try old.write { () throws(StoreError) in
                try old.putRecord(text, RecordID("p2"), Self.record, version: nil)
            }
        }
        #expect(writing?.kind == .newer)
        #expect(writing?.hint != nil)
        let reading = failure { () throws(StoreError) in
            try old.read { () throws(StoreError) in
                _ = try old.record(text, RecordID("p1"))
            }
        }
        #expect(reading?.kind == .newer)
        #expect(failure { () throws(StoreError) in try old.beginBatch() }?.kind == .newer)
        #expect(try new.recordExists(number, RecordID("p2")) == false)
        try new.write { () throws(StoreError) in
            try new.putRecord(number, RecordID("p2"), JSONObject(), version: nil)
        }
    }

    @Test func `joins what was kept of a model with the one that it has become`() throws {
        let post = model("Post", ("title", .scalar(.string)))
        var article = model("Article", ("title", .scalar(.string)))
        do {
            let store = try open(post, hash: "1")
            try store.putRecord(post, RecordID("p1"), Self.record, version: 1)
            try store.putRecord(post, RecordID("p2"), Self.record, version: 1)
            try store.queue("p1")
        }
        do {
            let store = try open(article, hash: "2")
            try store.putRecord(
                article, RecordID("p2"), JSONObject([("id", "p2"), ("title", "new")]), version: 2)
            _ = try store.saveCursor(Cursor(model: "Article", token: 1), replacing: nil)
        }
        article.renamedFrom = "Post"
        for hash in ["3", "4"] {
            let store = try open(article, hash: hash)
            #expect(try store.record(article, RecordID("p1"))?.record["title"] == "a")
            #expect(try store.record(article, RecordID("p2"))?.record["title"] == "new")
            #expect(try store.mutations().map(\.model) == ["Article"])
            #expect(try store.cursor("Article")?.token == nil)
            #expect(try store.cursor("Article")?.isReset == true)
        }
    }

    @Test func `of a store written before schemas were remembered goes by its columns`() throws {
        let old = model("Post", ("title", .scalar(.string)), ("views", .scalar(.int)))
        do {
            let store = try open(old, hash: "1")
            try store.putRecord(old, RecordID("p1"), Self.record, version: nil)
            try store.setMeta(.schema, nil)
        }
        var new = model("Post", ("views", .scalar(.string)), ("name", .scalar(.string)))
        new.fields[2].renamedFrom = "title"
        let store = try open(new, hash: "2")
        let record = try store.record(new, RecordID("p1"))?.record
        #expect(record?["name"] == "a")
        #expect(record?["views"] == "3")
        #expect(record?["title"] == nil)
    }

    @Test func `lets bytes that are kept go by a field's present name`() throws {
        let old = model("Post", ("title", .scalar(.string)))
        let items = [
            (#"{"id":"p1","title":7}"#, #"{"id":"p1","heading":7}"#),
            (#"{"id":"p2","title":7,"heading":"a"}"#, #"{"id":"p2","title":7,"heading":"a"}"#),
            ("no JSON: title", "no JSON: title"), ("[\"title\"]", "[\"title\"]"),
        ]
        do {
            let store = try open(old, hash: "1")
            for (raw, _) in items {
                try store.addQuarantine(
                    model: "Post", id: nil, raw: raw, reason: "title", receivedAt: 1)
            }
        }
        var new = model("Post", ("heading", .scalar(.string)))
        new.fields[1].renamedFrom = "title"
        for hash in ["2", "3"] {
            #expect(try open(new, hash: hash).quarantine().map(\.raw) == items.map(\.1))
        }
        // By which they are found when they come again.
        let store = try open(new, hash: "3")
        for (_, raw) in items {
            try store.addQuarantine(
                model: "Post", id: nil, raw: raw, reason: "heading", receivedAt: 2)
        }
        #expect(try store.quarantine().map(\.raw) == items.map(\.1))
    }
}
