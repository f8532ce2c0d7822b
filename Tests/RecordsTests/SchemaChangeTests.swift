import JSON
import Records
import Testing

@Suite struct `A value of another type` {
    struct Case: CustomStringConvertible {
        var value: JSONValue
        var field: Field
        var result: JSONValue?

        init(_ value: JSONValue, _ type: FieldType, isList: Bool = false, _ result: JSONValue?) {
            self.value = value
            field = Field("f", type, isList: isList)
            self.result = result
        }

        var description: String {
            "\(value.serialized()) as \(field.type) is \(result?.serialized() ?? "nothing")"
        }
    }

    static let table = [
        Case("42", .scalar(.int), 42), Case("042", .scalar(.int), nil),
        Case("-7", .scalar(.int), -7), Case("four", .scalar(.int), nil),
        Case("", .scalar(.int), nil), Case("2.5", .scalar(.float), .double(2.5)),
        Case("2.50", .scalar(.float), nil), Case("true", .scalar(.boolean), true),
        Case("TRUE", .scalar(.boolean), nil), Case(42, .scalar(.string), "42"),
        Case(.double(2.5), .scalar(.string), "2.5"), Case(true, .scalar(.string), "true"),
        Case(.double(3), .scalar(.int), 3), Case(.double(3.5), .scalar(.int), nil),
        Case(7, .scalar(.id), "7"),
        Case("7", .scalar(.id), "7"), Case(1, .scalar(.boolean), nil),
        Case("x", .scalar(.string), isList: true, ["x"]),
        Case("4", .scalar(.int), isList: true, [4]),
        Case(["x"], .scalar(.string), "x"), Case(["x", "y"], .scalar(.string), nil),
        Case([], .scalar(.string), nil), Case("A", .enumeration("E"), "A"),
        Case("C", .enumeration("E"), nil), Case(["a": 1], .scalar(.string), nil),
        Case("2024-02-30", .scalar(.date), nil), Case("2024-02-29", .scalar(.date), "2024-02-29"),
    ]

    @Test(arguments: table) func `is converted where that is exact, and only there`(_ row: Case) {
        let schema = Schema(enums: [EnumType(name: "E", values: ["A", "B"])])
        #expect(row.field.converted(row.value, in: schema) == row.result)
        #expect(row.field.converted(.null, in: schema) == .null)
    }
}

@Suite struct `A queued change under another schema` {
    struct Case: CustomStringConvertible {
        var name: String
        var old: String
        var new: String
        var kind = Mutation.Kind.update
        var set: [(String, JSONValue)] = [("title", "t"), ("stars", "4")]
        /// What it sets now; nil for what it set before.
        var result: [(String, JSONValue)]?
        /// Part of why it does not fit; nil when it does.
        var misfit: String?

        var description: String { name }
    }

    static let base = "type Post @model { id: ID! title: String stars: String }"

    static let table = [
        Case(
            name: "a field more", old: base,
            new: "type Post @model { id: ID! title: String stars: String more: Int }"),
        Case(
            name: "a field less", old: base, new: "type Post @model { id: ID! title: String }",
            misfit: "field stars of Post is no longer in the schema"),
        Case(
            name: "a field less that it does not set", old: base,
            new: "type Post @model { id: ID! title: String }", set: [("title", "t")]),
        Case(
            name: "another name", old: base,
            new: "type Post @model { id: ID! title: String rating: String }",
            misfit: "write: rating: String @renamed(from: \"stars\")"),
        Case(
            name: "another name that the schema tells", old: base,
            new:
                "type Post @model { id: ID! title: String rating: String @renamed(from: \"stars\") }",
            result: [("title", "t"), ("rating", "4")]),
        Case(
            name: "another name and type", old: base,
            new: "type Post @model { id: ID! title: String rating: Int @renamed(from: \"stars\") }",
            result: [("title", "t"), ("rating", 4)]),
        Case(
            name: "another type", old: base,
            new: "type Post @model { id: ID! title: String stars: Int }",
            result: [("title", "t"), ("stars", 4)]),
        Case(
            name: "another type that has no such value", old: base,
            new: "type Post @model { id: ID! title: Int stars: Int }",
            misfit: "field title of Post changed: title: \"t\" is no Int"),
        Case(
            name: "a list", old: base,
            new: "type Post @model { id: ID! title: String stars: [String] }",
            result: [("title", "t"), ("stars", ["4"])]),
        Case(
            name: "another enum", old: "type Post @model { id: ID! stars: E } enum E { A B }",
            new: "type Post @model { id: ID! stars: E } enum E { A C }", set: [("stars", "B")],
            misfit: "\"B\" is no E"),
        Case(
            name: "an enum that keeps the value",
            old: "type Post @model { id: ID! stars: E } enum E { A B }",
            new: "type Post @model { id: ID! stars: E } enum E { A C }", set: [("stars", "A")]),
        Case(
            name: "a value that was odd already",
            old: "type Post @model { id: ID! stars: E } enum E { A B }",
            new: "type Post @model { id: ID! stars: E more: Int } enum E { A B }",
            set: [("stars", "odd")]),
        Case(
            name: "a null that is required now", old: base,
            new: "type Post @model { id: ID! title: String stars: String! }",
            set: [("stars", .null)], misfit: "stars is required"),
        Case(
            name: "an edit beside a field that is required now", old: base,
            new: "type Post @model { id: ID! title: String stars: String more: Int! }"),
        Case(
            name: "a create without what is required now", old: base,
            new: "type Post @model { id: ID! title: String stars: String more: Int! }",
            kind: .create, set: [("id", "p1"), ("title", "t")],
            misfit: "field more of Post is required now: queue edit 3 more=VALUE"),
        Case(
            name: "a create without what has a default", old: base,
            new:
                "type Post @model { id: ID! title: String stars: String more: Int! @default(value: \"5\") }",
            kind: .create, set: [("id", "p1"), ("title", "t")],
            result: [("id", "p1"), ("title", "t"), ("more", 5)]),
        Case(
            name: "no model", old: base, new: "type Other @model { id: ID! }",
            misfit: "model Post is no longer in the schema: restore the model"),
        Case(
            name: "a delete without a model", old: base, new: "type Other @model { id: ID! }",
            kind: .delete, set: [], misfit: "queue drop 3"),
        Case(
            name: "a model that may have another name", old: base,
            new: "type Article @model { id: ID! title: String stars: String }",
            misfit: "write: type Article @model @renamed(from: \"Post\")"),
        Case(
            name: "a delete where fields left", old: base, new: "type Post @model { id: ID! }",
            kind: .delete, set: []),
        Case(
            name: "another key", old: base,
            new: "type Post @model { id: ID! title: String! @primaryKey stars: String }",
            misfit: "the key of Post was id and is title now"),
        Case(
            name: "a create under another key that gives the same id", old: base,
            new: "type Post @model { id: ID title: String! @primaryKey stars: String }",
            kind: .create, set: [("id", "p1"), ("title", "p1")]),
        Case(
            name: "a key of another name", old: base,
            new:
                "type Post @model { key: ID! @primaryKey @renamed(from: \"id\") title: String stars: String }"
        ),
    ]

    @Test(arguments: table) func `goes on where it fits, and says why where it does not`(
        _ row: Case
    ) throws {
        let change = SchemaChange(
            from: try Schema.parse(row.old), to: try Schema.parse(row.new))
        let mutation = Mutation(
            seq: 3, key: "k", group: "g", model: "Post", id: RecordID("p1"), kind: row.kind,
            set: JSONObject(row.set), was: JSONObject(row.kind == .delete ? [("id", "p1")] : []))
        let carried = change.carried(mutation)
        if let misfit = row.misfit {
            #expect(carried.misfit?.kind == "schema")
            let message = carried.misfit?.message ?? "it fits"
            #expect(message.contains(misfit), "\(message)")
        } else {
            #expect(carried.misfit == nil)
            #expect(carried.mutation.set == JSONObject(row.result ?? row.set))
            #expect(carried.isRewritten == (row.result != nil))
        }
        for state in [Mutation.State.sending, .unknown] where change.model("Post")?.new != nil {
            var sent = mutation
            sent.state = state
            sent.isFrozen = true
            let kept = change.carried(sent)
            #expect(kept.mutation.key == sent.key)
            #expect(!kept.isRewritten)
            #expect(kept.misfit == nil)
        }
    }

    @Test func `keeps what a directive did, however often the schema changes again`() throws {
        let renamed = "type Post @model { id: ID! rating: Int @renamed(from: \"stars\") }"
        let first = SchemaChange(
            from: try Schema.parse("type Post @model { id: ID! stars: Int }"),
            to: try Schema.parse(renamed))
        #expect(first.models[0].renames.count == 1)
        let again = SchemaChange(
            from: try Schema.parse(renamed),
            to: try Schema.parse(renamed.replacing("}", with: "more: Int }")))
        #expect(again.models[0].renames.isEmpty)
        #expect(!again.models[0].altersRecords)
    }

    @Test func `shows no secret value in its reason`() throws {
        let change = SchemaChange(
            from: try Schema.parse("type Post @model { id: ID! pin: String @secret }"),
            to: try Schema.parse("type Post @model { id: ID! pin: Int }"))
        let mutation = Mutation(
            seq: 3, key: "k", group: "g", model: "Post", id: RecordID("p1"), kind: .update,
            set: JSONObject([("pin", "hush")]))
        let message = change.carried(mutation).misfit?.message ?? ""
        #expect(message.contains("pin"))
        #expect(!message.contains("hush"))
    }
}

@Suite struct `The directive @renamed` {
    static let mistakes = [
        ("type A @model { id: ID! b: Int @renamed }", "does not say what the name was"),
        ("type A @model { id: ID! b: Int @renamed(from: 3) }", "from is a text"),
        (
            "type A @model { id: ID! b: Int @renamed(from: \"c\") c: Int }",
            "c is still there, so it cannot have become this"
        ),
        (
            "type A @model { id: ID! b: Int @renamed(from: \"x\") c: Int @renamed(from: \"x\") }",
            "A.c: x is still there"
        ),
        (
            "type A @model @renamed(from: \"B\") { id: ID! } type B @model { id: ID! }",
            "B is still there"
        ),
        (
            "type A @model { id: ID! b: B } type B { c: Int @renamed(from: \"d\") }",
            "only on a field of a model"
        ),
    ]

    @Test(arguments: mistakes) func `is refused where it makes no sense`(
        _ sdl: String, _ reason: String
    ) {
        let errors = Schema.check(sdl).errors
        #expect(errors.contains { $0.message.contains(reason) }, "\(errors)")
    }

    @Test func `is kept when the schema is printed and when it is written as JSON`() throws {
        let schema = try Schema.parse(
            "type A @model @renamed(from: \"B\") { id: ID! b: Int @renamed(from: \"c\") }")
        #expect(schema.model("A")?.renamedFrom == "B")
        #expect(schema.model("A")?.field("b")?.renamedFrom == "c")
        #expect(try Schema.parse(schema.sdl) == schema)
        #expect(try Schema(protocolJSON: schema.protocolJSON) == schema)
    }
}
