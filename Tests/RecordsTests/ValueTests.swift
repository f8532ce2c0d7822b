import JSON
import Records
import Testing

/// A schema with a field of every type.
enum Sample {
    static let schema: Schema = {
        let (schema, errors) = Schema.check(
            """
            type Post @model {
              title: String!
              rating: Int @default(value: "3")
              score: Float
              done: Boolean
              day: AWSDate
              clock: AWSTime
              at: AWSDateTime
              stamp: AWSTimestamp
              mail: AWSEmail
              meta: AWSJSON
              link: AWSURL
              phone: AWSPhone
              ip: AWSIPAddress
              status: Status
              tags: [String!]
              days: [AWSDate]
              address: Address
              places: [Address]
              created: AWSDateTime @readOnly
              author: Author @belongsTo(fields: ["authorID"])
              authorID: ID
              comments: [Comment] @hasMany
            }
            type Author @model { name: String! posts: [Post] @hasMany }
            type Comment @model { body: String rank: Int post: Post @belongsTo line: Line @belongsTo }
            type Line @model { order: ID! @primaryKey(sortKeyFields: ["number"]) number: Int! note: String }
            enum Status { DRAFT PUBLISHED ARCHIVED }
            type Address { street: String city: String! geo: Geo }
            type Geo { lat: Float! lon: Float! }
            """)
        precondition(errors.isEmpty, "\(errors)")
        return schema
    }()

    static func model(_ name: String) -> Model {
        schema.model(name) ?? Model(name: name, fields: [])
    }

    static var post: Model { model("Post") }

    static func field(_ name: String) -> Field { post.field(name) ?? Field(name, .scalar(.string)) }
}

@Suite struct `Values by their declared type` {
    static let good: [(String, String, JSONValue)] = [
        ("title", "", ""),
        ("title", "42", "42"),
        ("title", "null", "null"),
        ("id", "a b", "a b"),
        ("rating", "-7", -7),
        ("rating", "007", 7),
        ("rating", "9223372036854775807", .int(.max)),
        ("score", "3", 3),
        ("score", "-0.5", .double(-0.5)),
        ("score", "1.50", .double(1.5)),
        ("score", "1e3", 1000),
        ("score", "12345678901234567890123", .big("12345678901234567890123")),
        ("done", "true", true),
        ("day", "2024-02-29", "2024-02-29"),
        ("day", "2026-11-30+01:00", "2026-11-30+01:00"),
        ("clock", "02:04", "02:04"),
        ("clock", "02:04:13.123456789-03:00", "02:04:13.123456789-03:00"),
        ("at", "2026-11-30T02:04Z", "2026-11-30T02:04Z"),
        ("at", "2026-11-30T02:04:13.5+01:00:30", "2026-11-30T02:04:13.5+01:00:30"),
        ("stamp", "-1", -1),
        ("mail", "ann.lee+x@mail.example.com", "ann.lee+x@mail.example.com"),
        ("mail", "\"a b\"@example.com", "\"a b\"@example.com"),
        ("meta", " {\"a\": 1.0}", " {\"a\": 1.0}"),
        ("link", "https://example.com/a/b?c=//d#e", "https://example.com/a/b?c=//d#e"),
        ("link", "mailto:ann@example.com", "mailto:ann@example.com"),
        ("phone", "+49 30 123-4567", "+49 30 123-4567"),
        ("ip", "192.0.2.1/24", "192.0.2.1/24"),
        ("ip", "2001:db8::1/64", "2001:db8::1/64"),
        ("ip", "::", "::"),
        ("ip", "::ffff:192.0.2.1", "::ffff:192.0.2.1"),
        ("status", "DRAFT", "DRAFT"),
        ("tags", "[\"a\",\"b\"]", ["a", "b"]),
        (
            "address", "{\"city\":\"Bonn\",\"geo\":{\"lat\":1,\"lon\":2.5}}",
            ["city": "Bonn", "geo": ["lat": 1, "lon": .double(2.5)]]
        ),
    ]

    @Test(arguments: good) func `are read from typed text`(
        name: String, text: String, value: JSONValue
    ) throws {
        #expect(try Sample.field(name).coerce(text: text, in: Sample.schema) == value)
        #expect(Sample.field(name).accepts(remote: value, in: Sample.schema))
        #expect(try Sample.field(name).validate(value, in: Sample.schema) == value)
    }

    @Test func `are no IDs past 4096 bytes, which no backend's page may hold either`() throws {
        let id = Sample.field("id")
        let longest = String(repeating: "i", count: 4_096)
        #expect(try id.coerce(text: longest, in: Sample.schema) == .string(longest))
        #expect(throws: RecordsError.self) { try id.coerce(text: longest + "i", in: Sample.schema) }
        #expect(throws: RecordsError.self) {
            try id.validate(.string(longest + "i"), in: Sample.schema)
        }
    }

    static let bad: [(String, String, String, String?)] = [
        ("id", "", "id: the empty string is no ID", nil),
        ("rating", "", "rating: the empty string is no Int", nil),
        ("rating", "abc", "rating: \"abc\" is no Int", "write a whole number, as in 42"),
        ("rating", "3.5", "rating: \"3.5\" is no Int", nil),
        ("rating", " 3", "rating: \" 3\" is no Int", nil),
        ("rating", "9223372036854775808", "rating: 9223372036854775808 does not fit 64 bits", nil),
        ("score", "nan", "score: \"nan\" is no Float", nil),
        ("score", "0x10", "score: \"0x10\" is no Float", nil),
        ("score", "1e999", "score: 1e999 is beyond every Float", nil),
        ("done", "yes", "done: \"yes\" is no Boolean", "write true or false"),
        ("day", "2026-02-29", "day: \"2026-02-29\" is no AWSDate", nil),
        ("clock", "24:00", "clock: \"24:00\" is no AWSTime", nil),
        (
            "at", "2026-11-30T02:04:13", "at: \"2026-11-30T02:04:13\" is no AWSDateTime",
            "it needs an offset: write 2026-11-30T02:04:13Z, or +hh:mm for another zone"
        ),
        (
            "at", "2026-11-30", "at: \"2026-11-30\" is no AWSDateTime",
            "it needs a time: write 2026-11-30T00:00:00Z"
        ),
        ("at", "2026-11-30T02:04:60Z", "at: \"2026-11-30T02:04:60Z\" is no AWSDateTime", nil),
        ("mail", "ann", "mail: \"ann\" is no AWSEmail", nil),
        ("mail", "a b@example.com", "mail: \"a b@example.com\" is no AWSEmail", nil),
        ("mail", "a@-x.com", "mail: \"a@-x.com\" is no AWSEmail", nil),
        ("meta", "{", "meta: \"{\" is no AWSJSON", nil),
        (
            "link", "example.com", "link: \"example.com\" is no AWSURL",
            "it needs a scheme, as in https://example.com/page"
        ),
        ("link", "https://example.com//a", "link: \"https://example.com//a\" is no AWSURL", nil),
        ("phone", "call me", "phone: \"call me\" is no AWSPhone", nil),
        ("ip", "256.1.1.1", "ip: \"256.1.1.1\" is no AWSIPAddress", nil),
        ("ip", "1:2:3", "ip: \"1:2:3\" is no AWSIPAddress", nil),
        ("ip", "1::2::3", "ip: \"1::2::3\" is no AWSIPAddress", nil),
        ("ip", "1.2.3.4/33", "ip: \"1.2.3.4/33\" is no AWSIPAddress", nil),
        ("status", "DRFAT", "status: \"DRFAT\" is no Status", "did you mean DRAFT?"),
        ("status", "x", "status: \"x\" is no Status", "its values are DRAFT, PUBLISHED, ARCHIVED"),
        (
            "tags", "a", "tags: \"a\" is no [String!]",
            "write it as JSON, tags:='[...]', or add an element with tags+=VALUE"
        ),
        ("address", "{\"cty\":1}", "address: Address has no \"cty\"", "did you mean city?"),
        ("address", "{}", "address: city of Address is required", nil),
        (
            "address", "{\"city\":\"B\",\"geo\":{\"lat\":1,\"lon\":true}}",
            "address.geo.lon: true is no Float", nil
        ),
    ]

    @Test(arguments: bad) func `are refused with the field's name`(
        name: String, text: String, message: String, hint: String?
    ) {
        let error = #expect(throws: RecordsError.self) {
            try Sample.field(name).coerce(text: text, in: Sample.schema)
        }
        #expect(error?.message == message)
        if let hint { #expect(error?.hint == hint) }
    }

    static let normal: [(String, JSONValue, JSONValue)] = [
        ("rating", .big("3.0"), 3),
        ("rating", .double(3), 3),
        ("score", .big("1.50"), .double(1.5)),
        ("id", 7, "7"),
        ("meta", ["a": [1, nil]], "{\"a\":[1,null]}"),
        ("meta", 5, "5"),
        ("title", "x", "x"),
        ("done", nil, nil),
        ("days", ["2026-01-01", nil], ["2026-01-01", nil]),
    ]

    @Test(arguments: normal) func `are brought into stored form without loss`(
        name: String, json: JSONValue, value: JSONValue
    ) throws {
        #expect(try Sample.field(name).validate(json, in: Sample.schema) == value)
    }

    static let wrong: [(String, JSONValue, String)] = [
        ("title", nil, "title is required: it cannot be null"),
        ("title", 5, "title: 5 is no String"),
        ("rating", "3", "rating: \"3\" is no Int"),
        ("rating", .double(3.5), "rating: 3.5 is no Int"),
        ("done", 1, "done: 1 is no Boolean"),
        ("day", 5, "day: 5 is no AWSDate"),
        ("meta", "no json", "meta: \"no json\" is no AWSJSON"),
        ("status", 1, "status: 1 is no Status"),
        ("tags", "a", "tags: \"a\" is no [String!]"),
        ("tags", ["a", nil], "tags[1] cannot be null"),
        ("tags", ["a", 1], "tags[1]: 1 is no String"),
        ("days", ["2026-01-01", "x"], "days[1]: \"x\" is no AWSDate"),
        ("places", [["city": "B"], ["city": 1]], "places.city: 1 is no String"),
        ("address", "x", "address: \"x\" is no Address"),
    ]

    @Test(arguments: wrong) func `are refused as JSON of another kind`(
        name: String, json: JSONValue, message: String
    ) {
        let error = #expect(throws: RecordsError.self) {
            try Sample.field(name).validate(json, in: Sample.schema)
        }
        #expect(error?.message == message)
    }

    @Test func `from a backend are kept as long as they can be stored`() {
        let record = JSONObject([
            ("id", "1"), ("status", "NEW_VALUE"), ("at", "whenever"), ("title", nil),
            ("unknown", [1]), ("address", ["more": 1]),
        ])
        #expect(Sample.post.fault(remote: record, in: Sample.schema) == nil)
        func fault(_ name: String, _ value: JSONValue) -> String? {
            Sample.post.fault(
                remote: JSONObject([("id", "1"), (name, value)]), in: Sample.schema)
        }
        #expect(fault("rating", "3") == "rating: \"3\" is no Int")
        #expect(fault("rating", .big("3.0")) == nil)
        #expect(fault("rating", .double(3.5)) == "rating: 3.5 is no Int")
        #expect(fault("tags", "x") == "tags: \"x\" is no [String!]")
        #expect(fault("title", 1) == "title: 1 is no String")
        #expect(fault("address", ["city": 1]) == "address: an object is no Address")
        #expect(
            Sample.post.fault(remote: JSONObject([("title", "x")]), in: Sample.schema)
                == "the key field id is missing")
        #expect(
            Sample.post.fault(remote: JSONObject([("id", true)]), in: Sample.schema)
                == "id: true is no ID")
    }
}

@Suite struct `Instants` {
    @Test func `compare whatever their offset and precision`() {
        func instant(_ text: String) -> Instant? { Instant.parse(text, as: .dateTime) }
        #expect(instant("1970-01-01T00:00Z") == Instant(seconds: 0))
        #expect(instant("2026-11-30T03:04:13+01:00") == instant("2026-11-30T02:04:13.000Z"))
        #expect(instant("1969-12-31T23:59:59.5Z") == Instant(seconds: -1, nanoseconds: 500_000_000))
        #expect(instant("2000-02-29T00:00:00-00:00:01") == instant("2000-02-29T00:00:01Z"))
        #expect(Instant.parse("2026-11-30+01:00", as: .date) == Instant(seconds: 1_795_993_200))
        #expect(Instant.parse("00:30+01:00", as: .time) == Instant(seconds: -1800))
        #expect(Instant.parse("x", as: .string) == nil)
    }

    @Test func `are written in UTC to the millisecond`() {
        #expect(Instant.format(milliseconds: 0) == "1970-01-01T00:00:00.000Z")
        #expect(Instant.format(milliseconds: -1) == "1969-12-31T23:59:59.999Z")
        #expect(Instant.format(milliseconds: 253_402_300_799_999) == "9999-12-31T23:59:59.999Z")
    }

    @Test(arguments: 0..<200) func `come back from their text`(seed: Int) {
        var random = SeededRandom(seed)
        let milliseconds = Int64(random.below(250_000_000_000_000)) - 60_000_000_000_000
        let text = Instant.format(milliseconds: milliseconds)
        #expect(Instant.parse(text, as: .dateTime)?.milliseconds == milliseconds, "\(text)")
    }
}

@Suite struct `The identity of a record` {
    @Test func `is its key's text, or the array of a composite key`() {
        let line = Sample.model("Line")
        #expect(Sample.post.id(of: JSONObject([("id", "a")])) == RecordID("a"))
        #expect(Sample.post.id(of: JSONObject([("id", nil)])) == nil)
        #expect(Sample.post.id(of: JSONObject([("id", "")])) == nil)
        let key = JSONObject([("order", "c,\"1"), ("number", 7)])
        let id = RecordID("[\"c,\\\"1\",7]")
        #expect(line.id(of: key) == id)
        #expect(line.keyValues(of: id) == key)
        #expect(line.keyValues(of: RecordID("[\"c\"]")) == nil)
        #expect(line.keyValues(of: RecordID("[\"c\",\"7\"]")) == nil)
        #expect(line.keyValues(of: RecordID("c")) == nil)
        #expect(Sample.post.keyValues(of: RecordID("x")) == JSONObject([("id", "x")]))
    }

    @Test func `is read from what a person types`() throws {
        let line = Sample.model("Line")
        #expect(
            try line.recordID(typed: "[ \"c1\", 7.0 ]", in: Sample.schema) == RecordID("[\"c1\",7]")
        )
        #expect(try Sample.post.recordID(typed: "a", in: Sample.schema) == RecordID("a"))
        let error = #expect(throws: RecordsError.self) {
            try line.recordID(typed: "c1", in: Sample.schema)
        }
        #expect(error?.hint == "write order=VALUE number=VALUE, or a JSON array of the values")
    }
}

@Suite struct `A new record` {
    @Test func `gets an id and defaults, in schema order`() throws {
        let record = try Sample.post.complete(
            create: JSONObject([("done", true), ("title", "x")]), newID: { "new" })
        #expect(record.keys == ["id", "title", "rating", "done"])
        #expect(
            record == JSONObject([("id", "new"), ("title", "x"), ("rating", 3), ("done", true)]))
    }

    @Test func `keeps an id and a null that were given`() throws {
        let record = try Sample.post.complete(
            create: JSONObject([("id", "mine"), ("title", "x"), ("rating", nil), ("extra", 1)]),
            newID: { "new" })
        #expect(record.keys == ["id", "title", "rating", "extra"])
        #expect(record["id"] == "mine" && record["rating"] == .null)
    }

    @Test func `names a required field that is missing`() {
        let error = #expect(throws: RecordsError.self) {
            try Sample.post.complete(create: JSONObject(), newID: { "new" })
        }
        #expect(error?.message == "Post needs title (String!)")
        #expect(error?.hint == "add title=VALUE")
        let other = #expect(throws: RecordsError.self) {
            try Sample.model("Line").complete(
                create: JSONObject([("order", "c")]), newID: { "new" })
        }
        #expect(other?.message == "Line needs number (Int!)")
    }

    @Test func `from JSON is checked field by field`() throws {
        let record = try Sample.post.validate(
            data: JSONObject([("title", "x"), ("author", "a1")]), in: Sample.schema)
        #expect(record == JSONObject([("title", "x"), ("authorID", "a1")]))
        func message(_ data: JSONObject) -> String? {
            do throws(RecordsError) {
                _ = try Sample.post.validate(data: data, in: Sample.schema)
                return nil
            } catch {
                return error.message + " - " + (error.hint ?? "")
            }
        }
        #expect(
            message(JSONObject([("titel", "x")]))
                == "Post has no field \"titel\" - did you mean title?")
        #expect(
            message(JSONObject([("created", "x")]))
                == "created of Post is read-only: the backend sets it - leave it out")
        #expect(
            message(JSONObject([("author", "a"), ("authorID", "b")]))?.hasPrefix(
                "authorID is given twice") == true)
        #expect(
            message(JSONObject([("comments", "c")]))?.hasPrefix(
                "comments of Post is kept in Comment") == true)
        #expect(
            try Sample.post.validate(
                data: JSONObject([("x", 1), ("created", nil)]), in: Sample.schema,
                keepsUnknown: true, allowsReadOnly: true)
                == JSONObject([("x", 1), ("created", nil)]))
    }

    @Test func `has one normal form`() {
        let normal = Sample.model("Author").normalized(JSONObject([("z", 1), ("name", "n")]))
        #expect(normal.keys == ["id", "name", "z"])
        #expect(normal["id"] == .null)
    }
}

@Suite struct `Did you mean` {
    @Test func `finds near words only`() {
        #expect(didYouMean("titel", among: ["rating", "title"]) == "title")
        #expect(didYouMean("TITLE", among: ["rating", "title"]) == "title")
        #expect(didYouMean("pub", among: ["DRAFT", "PUBLISHED"]) == "PUBLISHED")
        #expect(didYouMean("x", among: ["y", "title"]) == nil)
        #expect(didYouMean("", among: ["a"]) == nil)
    }
}
