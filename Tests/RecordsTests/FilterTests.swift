import JSON
import Records
import Testing

@Suite struct `A filter` {
    static func parse(_ text: String, _ model: String = "Post") throws(RecordsError) -> Filter {
        try Filter.parse(text, model: Sample.model(model), schema: Sample.schema)
    }

    private static func test(_ field: String, _ test: Filter.Test) -> Filter {
        .test(Filter.Path([], field), test)
    }

    static let good: [(String, Filter)] = [
        ("rating >= 3", test("rating", .greaterOrEqual(3))),
        ("rating>=3", test("rating", .greaterOrEqual(3))),
        ("rating ge 3", test("rating", .greaterOrEqual(3))),
        ("rating GT -3", test("rating", .greater(-3))),
        ("rating<3", test("rating", .less(3))),
        ("rating le 3", test("rating", .lessOrEqual(3))),
        ("title = \"a b\"", test("title", .equal("a b"))),
        ("title == 'it''s'", test("title", .equal("it's"))),
        ("title eq a,b(c)", test("title", .equal("a,b(c)"))),
        ("title <> \"\"", test("title", .notEqual(""))),
        ("title = \"\\u00e9\\n\\\"\\ud83d\\ude00\"", test("title", .equal("é\n\"😀"))),
        ("title = 42", test("title", .equal("42"))),
        ("title = null", test("title", .isNull)),
        ("title != NULL", test("title", .isNotNull)),
        ("title = \"null\"", test("title", .equal("null"))),
        ("title ~ Foo", test("title", .contains("Foo"))),
        ("title like Foo", test("title", .contains("Foo"))),
        ("title !~ Foo", test("title", .notContains("Foo"))),
        ("title not like Foo", .not(test("title", .contains("Foo")))),
        ("title startswith Fo", test("title", .startsWith("Fo"))),
        (
            "link = https://example.com/a?b=1&c=(2)",
            test("link", .equal("https://example.com/a?b=1&c=(2)"))
        ),
        ("status in (DRAFT, PUBLISHED)", test("status", .among(["DRAFT", "PUBLISHED"]))),
        ("rating in (1,2)", test("rating", .among([1, 2]))),
        ("rating not in (1)", .not(test("rating", .among([1])))),
        (
            "rating between 1 and 3 and done = true",
            .and([test("rating", .between(1, 3)), test("done", .equal(true))])
        ),
        ("done is true", test("done", .equal(true))),
        ("done is not false", test("done", .notEqual(false))),
        ("at > 2026-01-01T00:00:00Z", test("at", .greater("2026-01-01T00:00:00Z"))),
        ("at startswith 2026-11", test("at", .startsWith("2026-11"))),
        ("at is null", test("at", .isNull)),
        ("address is not null", test("address", .isNotNull)),
        ("tags has x", test("tags", .has("x"))),
        ("tags is null", test("tags", .isNull)),
        ("author = a1", test("authorID", .equal("a1"))),
        ("author is null", test("authorID", .isNull)),
        ("author.name = Ann", .test(Filter.Path(["author"], "name"), .equal("Ann"))),
        (
            "author.posts.title ~ x",
            .test(Filter.Path(["author", "posts"], "title"), .contains("x"))
        ),
        ("comments.count > 3", .test(Filter.Path(["comments"], "count"), .greater(3))),
        ("_state = pending", test("_state", .equal("pending"))),
        ("_version = 3", test("_version", .equal(3))),
        ("_version = \"3\"", test("_version", .equal("3"))),
        ("not rating = 3", .not(test("rating", .equal(3)))),
        (
            "NOT (rating = 3 OR done = true) AND title = a",
            .and([
                .not(.or([test("rating", .equal(3)), test("done", .equal(true))])),
                test("title", .equal("a")),
            ])
        ),
        (
            "rating = 1 or rating = 2 and done = true",
            .or([
                test("rating", .equal(1)),
                .and([test("rating", .equal(2)), test("done", .equal(true))]),
            ])
        ),
        ("  ( rating=1)  ", test("rating", .equal(1))),
    ]

    @Test(arguments: good) func `means what it says`(text: String, filter: Filter) throws {
        #expect(try Self.parse(text) == filter)
        #expect(try Self.parse(filter.text ?? "") == filter, "\(filter.text ?? "")")
    }

    @Test func `may ask for a relation with a composite key`() throws {
        func part(_ name: String, _ test: Filter.Test) -> Filter {
            Self.test("commentLine" + name, test)
        }
        #expect(
            try Self.parse("line = '[\"c\",7]'", "Comment")
                == .and([part("Order", .equal("c")), part("Number", .equal(7))]))
        #expect(
            try Self.parse("line is null", "Comment")
                == .or([part("Order", .isNull), part("Number", .isNull)]))
    }

    static let wrong: [(String, String, String?)] = [
        ("", "column 1: it is empty", nil),
        (
            "rating", "column 7: nothing is asked of rating",
            "did the shell take > ? Quote the filter: --where 'rating > ...'"
        ),
        (
            "rating 3", "column 8: expected an operator after rating, found \"3\"",
            "did the shell take > ? Quote the filter: --where 'rating > ...'"
        ),
        ("(rating) or done = true", "column 8: nothing is asked of rating", nil),
        ("rating and done = true", "column 8: nothing is asked of rating", nil),
        ("rating gte 3", "column 8: no operator \"gte\"", "did you mean ge?"),
        ("rating >", "column 9: a value is missing after \">\"", nil),
        ("rating > and done = true", "column 10: a value is missing after \">\"", nil),
        ("ratin > 3", "column 1: Post has no field \"ratin\"", "did you mean rating?"),
        (
            "done = true and ratin > 3", "column 17: Post has no field \"ratin\"",
            "did you mean rating?"
        ),
        ("title = é and ratin > 3", "column 15: Post has no field \"ratin\"", nil),
        ("rating > abc", "column 10: rating: \"abc\" is no Int", nil),
        ("status = DRFT", "column 10: status: \"DRFT\" is no Status", "did you mean DRAFT?"),
        ("status < DRAFT", "column 8: status is Status: its values have no order", nil),
        ("done > true", "column 6: done is Boolean: it is true or false", nil),
        ("rating ~ 3", "column 8: rating is Int: ~ is for texts", nil),
        (
            "tags = x", "column 6: tags is [String!]: it is asked with has or is null",
            "write tags has VALUE"
        ),
        ("title has x", "column 7: title is String: has is for lists", "write title = VALUE"),
        ("address = x", "column 9: address is Address: it is asked with is null only", nil),
        (
            "title = a b", "column 11: expected \"and\" or \"or\", found \"b\"",
            "a value with spaces needs quotes within the filter"
        ),
        ("(title = a b)", "column 12: expected \"and\", \"or\" or \")\", found \"b)\"", nil),
        ("(title = a", "column 1: \"(\" is never closed", "add \")\""),
        ("title = a)", "column 10: \")\" closes nothing", "remove it"),
        ("title = \"a", "column 9: a quoted text is never closed", nil),
        ("title = \"a\"b", "column 12: a quoted text ends before \"b\"", nil),
        ("title = \"\\x\"", "column 10: an unknown escape in a quoted text", nil),
        ("= 3", "column 1: expected a field, found \"=\"", nil),
        ("rating = 3 and", "column 15: a condition is missing at the end", nil),
        ("and rating = 3", "column 1: a condition is missing before \"and\"", nil),
        ("rating in 1", "column 11: \"in\" needs a list", "write in (A, B)"),
        ("rating in ()", "column 12: a value is missing in the list", nil),
        ("rating in (1 2)", "column 14: expected \",\" or \")\", found \"2)\"", nil),
        ("rating between 1", "column 17: \"between\" needs \"and\" and a second value", nil),
        ("rating is 3", "column 11: expected \"null\" or \"not null\" after \"is\"", nil),
        ("rating not = 3", "column 8: \"not\" has no place before \"=\"", nil),
        ("author.nam = x", "column 8: Author has no field \"nam\"", "did you mean name?"),
        ("title.x = 3", "column 1: title of Post is no relation, so nothing follows it", nil),
        ("autor.name = 3", "column 1: Post has no relation \"autor\"", "did you mean author?"),
        (
            "comments = 3", "column 1: comments is a relation: its records hold the key",
            "ask for comments.count, or for a field such as comments.id"
        ),
        ("_state = pendng", "column 10: \"pendng\" is no state", "did you mean pending?"),
        ("_state > pending", "column 8: _state is compared with = or in only", nil),
        ("_stat = pending", "column 1: Post has no field \"_stat\"", "did you mean _state?"),
    ]

    @Test(arguments: wrong) func `with a mistake says where and how to mend it`(
        text: String, message: String, hint: String?
    ) {
        let error = #expect(throws: RecordsError.self) { try Self.parse(text) }
        #expect(error?.message == "filter, " + message)
        if let hint { #expect(error?.hint == hint) }
    }

    @Test func `may not nest without end`() {
        for text in [String(repeating: "(", count: 5000), String(repeating: "not ", count: 5000)] {
            #expect(throws: RecordsError.self) { try Self.parse(text + "rating = 3") }
        }
    }

    static let record = JSONObject([
        ("id", "1"), ("title", "Ünder Way"), ("rating", 3), ("at", "2026-11-30T02:04:13Z"),
        ("tags", ["a", "b"]), ("status", "DRAFT"), ("day", "2026-11-30"),
        ("days", ["2026-01-01"]), ("done", true), ("score", nil),
    ])

    static let matches: [(String, Bool?)] = [
        ("rating = 3", true), ("rating != 3", false), ("rating > 2", true), ("rating > 3", false),
        ("rating >= 3", true), ("rating < 3", false), ("rating <= 3", true),
        ("rating between 3 and 4", true), ("rating in (1, 2)", false),
        ("score = 1", false), ("score != 1", true), ("not score = 1", true), ("score > 1", false),
        ("not score > 1", true), ("score <= 1", false), ("score is null", true),
        ("score in (1)", false), ("score not in (1)", true), ("score between 0 and 9", false),
        ("title ~ \"ünder\"", true), ("title ~ WAY", true), ("title !~ way", false),
        ("title startswith Ünd", true), ("title startswith ünd", false), ("title ~ \"\"", true),
        ("at = 2026-11-30T03:04:13+01:00", true), ("at != 2026-11-30T03:04:13+01:00", false),
        ("at < 2026-11-30T02:04:13.001Z", true), ("at in (2026-11-30T03:04:13+01:00)", true),
        ("day = 2026-11-30Z", true), ("tags has a", true), ("tags has c", false),
        ("days has 2026-01-01Z", true), ("tags is not null", true), ("places is null", true),
        ("done = true", true), ("done != true", false), ("status = DRAFT", true),
        ("rating = 3 and done = true", true), ("rating = 4 or done = true", true),
        ("author.name = x", nil), ("rating = 4 and author.name = x", false),
        ("rating = 3 or author.name = x", true), ("not author.name = x", nil),
        ("_state = synced", nil),
    ]

    @Test(arguments: matches) func `judges a record as the store would`(text: String, result: Bool?)
        throws
    {
        let filter = try Self.parse(text)
        #expect(filter.matches(Self.record, model: Sample.post, schema: Sample.schema) == result)
    }

    @Test func `travels as protocol 1 writes it`() throws {
        let filter = try Self.parse(
            "not (rating >= 3 or title ~ x) and tags has a and score is not null and rating in (1, 2) and rating between 1 and 2"
        )
        let json = try #require(filter.protocolJSON())
        #expect(
            json["and"]?.elements?.first == [
                "not": [
                    "or": [
                        ["field": "rating", "op": "ge", "value": 3],
                        ["field": "title", "op": "contains", "value": "x"],
                    ]
                ]
            ])
        let back = try Filter(protocolJSON: json, model: Sample.post)
        #expect(
            back.matches(Self.record, model: Sample.post, schema: Sample.schema)
                == filter.matches(Self.record, model: Sample.post, schema: Sample.schema))
        #expect(filter.protocolJSON(operators: ["ge", "has"]) == nil)
        #expect(try Self.parse("author.name = x").protocolJSON() == nil)
        #expect(try Self.parse("_state = synced").protocolJSON() == nil)
        for wrong: JSONValue in [
            1, [:], ["field": "x", "op": "eq"], ["field": "rating", "op": "x"], ["and": 1],
        ] {
            #expect(throws: RecordsError.self) {
                try Filter(protocolJSON: wrong, model: Sample.post)
            }
        }
    }

    @Test(arguments: 0..<400) func `comes back from its text`(seed: Int) throws {
        var random = SeededRandom(seed)
        let filter = random.filter(depth: 3)
        let text = try #require(filter.text)
        #expect(try Self.parse(text) == filter, "\(text)")
        let judged = filter.matches(Self.record, model: Sample.post, schema: Sample.schema)
        #expect(
            Filter.not(filter).matches(Self.record, model: Sample.post, schema: Sample.schema)
                == judged.map { !$0 })
        guard let json = filter.protocolJSON() else { return }
        let back = try Filter(protocolJSON: json, model: Sample.post)
        #expect(back.matches(Self.record, model: Sample.post, schema: Sample.schema) == judged)
    }
}

extension SeededRandom {
    /// A filter of posts such as the parser gives back.
    mutating func filter(depth: Int) -> Filter {
        switch below(depth > 0 ? 6 : 3) {
        case 3: .not(filter(depth: depth - 1))
        case 4: .and((0...below(2) + 1).map { _ in filter(depth: depth - 1) })
        case 5: .or((0...below(2) + 1).map { _ in filter(depth: depth - 1) })
        default: clause()
        }
    }

    private mutating func clause() -> Filter {
        let number = JSONValue.int(Int64(below(7)) - 2)
        let text = pick(["", "a b", "null", "it's", "\"q\\", "é\n\u{301}", "and", "(x)", "Way"])
        let path = Filter.Path([], pick(["title", "link"]))
        return switch below(10) {
        case 0: .test(path, .contains(text))
        case 1: .test(Filter.Path([], "title"), .equal(.string(text)))
        case 2: .test(Filter.Path([], "title"), .notEqual(.string(text)))
        case 3: .test(path, .startsWith(text))
        case 4: .test(Filter.Path([], "tags"), .has(.string(text)))
        case 5: .test(Filter.Path([], "rating"), pick([.less(number), .greater(number), .isNull]))
        case 6: .test(Filter.Path([], "score"), .among([number, .double(0.5), .double(1e300)]))
        case 7: .test(Filter.Path(["comments"], "count"), .greaterOrEqual(number))
        case 8: .test(Filter.Path(["author"], "name"), .notContains(text))
        default: .test(Filter.Path([], "rating"), .between(number, 3))
        }
    }
}

@Suite struct `Clauses of a listing` {
    @Test func `sort by fields, across single relations and by counts`() throws {
        #expect(
            try SortKey.parse(
                "-rating, title,author.name,-comments.count", model: Sample.post,
                schema: Sample.schema)
                == [
                    SortKey(Filter.Path([], "rating"), descending: true),
                    SortKey(Filter.Path([], "title")),
                    SortKey(Filter.Path(["author"], "name")),
                    SortKey(Filter.Path(["comments"], "count"), descending: true),
                ])
        for (text, message) in [
            ("ratin", "Post has no field \"ratin\""), ("", "Post has no field \"\""),
            ("tags", "tags is [String!]: it has no order"),
            ("comments.body", "comments of Post has several records: none to sort by"),
            ("author", "author of Post is a relation: it has no order"),
            ("autor.name", "Post has no relation \"autor\""),
        ] {
            let error = #expect(throws: RecordsError.self) {
                try SortKey.parse(text, model: Sample.post, schema: Sample.schema)
            }
            #expect(error?.message == message)
        }
    }

    @Test func `select fields and include relations`() throws {
        #expect(try Sample.post.selection("title, id").map(\.name) == ["title", "id"])
        #expect(throws: RecordsError.self) { try Sample.post.selection("title,title") }
        #expect(throws: RecordsError.self) { try Sample.post.selection("author") }
        #expect(
            try Sample.post.inclusion("author,comments.line", in: Sample.schema)
                == [["author"], ["comments", "line"]])
        #expect(throws: RecordsError.self) {
            try Sample.post.inclusion("comments.x", in: Sample.schema)
        }
    }
}
