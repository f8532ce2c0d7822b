import JSON
import Records
import Storage
import Testing

@Suite struct `Filters in SQL` {
    let store: Store

    init() throws {
        store = try Store(inMemory: .blog)
        try store.put(.author, "a1", ("name", "Ann"))
        try store.put(.author, "a2", ("name", "Bob"))
        try store.put(
            .post, "p1", ("title", "Straße É"), ("rating", 1), ("score", .big("1.50")),
            ("done", true), ("tags", ["x", "y"]), ("at", "2024-01-01T01:00:00+01:00"),
            ("authorID", "a1"))
        try store.put(
            .post, "p2", ("title", "straw"), ("rating", 2), ("score", 2), ("done", false),
            ("tags", []), ("at", "2024-01-01T00:00:00.000Z"), ("authorID", "a2"))
        try store.put(
            .post, "p3", ("rating", 3), ("at", "2023-12-31T23:59:59.999999999Z"),
            ("authorID", "gone"))
        try store.put(.post, "p4", ("title", "e\u{301}t"), ("at", "not a date"))
        for (id, post) in [("c1", "p1"), ("c2", "p1"), ("c3", "p2")] {
            try store.put(
                .comment, id, ("postID", .string(post)), ("body", .string("body \(id)")))
        }
        try store.put(.label, "l1", ("name", "red"))
        try store.put(.label, "l2", ("name", "blue"))
        for (id, post, label) in [("1", "p1", "l1"), ("2", "p1", "l2"), ("3", "p3", "l2")] {
            try store.put(
                .postLabel, id, ("postID", .string(post)), ("labelID", .string(label)))
        }
        try store.queue("p2")
        try store.queue("p3", state: .conflict)
    }

    typealias Row = (filter: Filter, ids: String)

    static func test(_ path: String, _ test: Filter.Test) -> Filter {
        var steps = path.split(separator: ".").map(String.init)
        let field = steps.removeLast()
        return .test(.init(steps, field), test)
    }

    static let table: [Row] = [
        (test("title", .equal("straw")), "p2"),
        (test("title", .notEqual("straw")), "p1 p3 p4"),
        (test("title", .equal(nil)), "p3"),
        (test("title", .notEqual(nil)), "p1 p2 p4"),
        (test("title", .isNull), "p3"),
        (test("title", .isNotNull), "p1 p2 p4"),
        (test("title", .contains("STRASSE")), ""),
        (test("title", .contains("STRAß")), "p1"),
        (test("title", .contains("RA")), "p1 p2"),
        (test("title", .contains("é")), "p1"),
        (test("title", .contains("")), "p1 p2 p4"),
        (test("title", .notContains("stra")), "p3 p4"),
        (test("title", .startsWith("str")), "p2"),
        (test("title", .startsWith("Straß")), "p1"),
        (test("title", .startsWith("")), "p1 p2 p4"),
        (test("title", .among(["straw", nil])), "p2 p3"),
        (test("title", .among([])), ""),
        (test("title", .less("s")), "p1 p4"),
        (test("rating", .greater(1)), "p2 p3"),
        (test("rating", .greater(.double(1.5))), "p2 p3"),
        (test("rating", .between(1, 2)), "p1 p2"),
        (test("rating", .among([1, 3])), "p1 p3"),
        (test("score", .equal(.double(1.5))), "p1"),
        (test("score", .equal(.big("1.500"))), "p1"),
        (test("score", .less(2)), "p1"),
        (test("done", .equal(true)), "p1"),
        (test("done", .notEqual(true)), "p2 p3 p4"),
        (test("tags", .has("y")), "p1"),
        (test("tags", .has("z")), ""),
        (test("tags", .equal(["x", "y"])), "p1"),
        (.not(test("tags", .has("y"))), "p2 p3 p4"),
        (test("at", .equal("2024-01-01T00:00:00Z")), "p1 p2"),
        (test("at", .less("2024-01-01T00:00:00Z")), "p3"),
        (test("at", .greaterOrEqual("2024-01-01T00:00:00Z")), "p1 p2 p4"),
        (test("at", .startsWith("2024")), "p1 p2"),
        (.not(test("rating", .less(2))), "p2 p3 p4"),
        (.not(.not(test("rating", .less(2)))), "p1"),
        (.and([test("rating", .greater(1)), test("title", .isNotNull)]), "p2"),
        (.or([test("rating", .equal(1)), test("title", .isNull)]), "p1 p3"),
        (.and([]), "p1 p2 p3 p4"),
        (.or([]), ""),
        (.or((0..<2_000).map { test("rating", .equal(.int($0))) }), "p1 p2 p3"),
        (test("author.name", .equal("Ann")), "p1"),
        (test("author.name", .notEqual("Ann")), "p2 p3 p4"),
        (test("author.name", .isNull), "p3 p4"),
        (test("author.posts.count", .equal(1)), "p1 p2"),
        (test("comments.count", .greater(1)), "p1"),
        (test("comments.count", .equal(0)), "p3 p4"),
        (test("comments.body", .contains("C3")), "p2"),
        (test("comments.body", .notEqual("body c3")), "p1 p3 p4"),
        (test("comments.post.title", .equal("straw")), "p2"),
        (test("labels.name", .equal("blue")), "p1 p3"),
        (test("labels.count", .equal(2)), "p1"),
        (test("_state", .equal("pending")), "p2"),
        (test("_state", .among(["conflict", "pending"])), "p2 p3"),
        (test("_state", .notEqual("synced")), "p2 p3"),
        (test("_version", .isNull), "p1 p2 p3 p4"),
    ]

    @Test func `select the records they should`() throws {
        for (filter, ids) in Self.table {
            let query = Query(model: "Post", filter: filter)
            let found = try store.ids(query).map(\.text).joined(separator: " ")
            #expect(found == ids, "\(filter)")
            #expect(try store.count(query) == ids.split(separator: " ").count)
            for id in ["p1", "p2", "p3", "p4"] {
                #expect(
                    try store.matches(RecordKey("Post", RecordID(id)), filter: filter)
                        == ids.contains(id), "\(filter) on \(id)")
            }
        }
    }

    @Test func `compare versions as they are written`() throws {
        let versions: [(String, JSONValue)] = [("p1", 12), ("p2", "12"), ("p3", ["n": 1])]
        for (id, version) in versions {
            let record = try #require(try store.record(.post, RecordID(id))).record
            try store.putRecord(.post, RecordID(id), record, version: version)
        }
        func ids(_ test: Filter.Test) throws -> [String] {
            try store.ids(Query(model: "Post", filter: Self.test("_version", test))).map(\.text)
        }
        #expect(try ids(.equal("12")) == ["p1", "p2"])
        #expect(try ids(.equal(12)) == ["p1"])
        #expect(try ids(.greater(3)).contains("p1"))
        #expect(try ids(.startsWith("1")) == ["p1", "p2"])
    }

    @Test func `sort with nulls last and ties by id`() throws {
        func ids(_ keys: SortKey..., limit: Int? = nil, offset: Int = 0) throws -> String {
            try store.ids(Query(model: "Post", sort: keys, limit: limit, offset: offset))
                .map(\.text).joined(separator: " ")
        }
        func key(_ path: String, _ descending: Bool = false) -> SortKey {
            var steps = path.split(separator: ".").map(String.init)
            let field = steps.removeLast()
            return SortKey(.init(steps, field), descending: descending)
        }
        #expect(try ids(key("rating", true)) == "p3 p2 p1 p4")
        #expect(try ids(key("rating")) == "p1 p2 p3 p4")
        #expect(try ids(key("at")) == "p3 p1 p2 p4")
        #expect(try ids(key("title")) == "p1 p4 p2 p3")
        #expect(try ids(key("comments.count", true), key("rating", true)) == "p1 p2 p3 p4")
        #expect(try ids(key("author.name", true)) == "p2 p1 p3 p4")
        #expect(try ids(limit: 2, offset: 1) == "p2 p3")
        #expect(try ids(offset: 3) == "p4")
        #expect(try store.count(Query(model: "Post", limit: 3, offset: 2)) == 2)
        #expect(
            failure { () throws(StoreError) in
                _ = try store.ids(Query(model: "Post", sort: [key("comments.body")]))
            }?.kind == .misuse)
    }

    @Test func `follow relations either way`() throws {
        let post = try #require(try store.record(.post, RecordID("p1"))).record
        func ids(_ name: String, limit: Int = .max) throws -> [String] {
            let relation = try #require(Model.post.relation(name))
            let found = try store.related(relation, of: post, in: .post, limit: limit)
            return found.map(\.id.text)
        }
        #expect(try ids("author") == ["a1"])
        #expect(try ids("comments") == ["c1", "c2"])
        #expect(try ids("comments", limit: 1) == ["c1"])
        #expect(try ids("labels") == ["l1", "l2"])
    }
}
