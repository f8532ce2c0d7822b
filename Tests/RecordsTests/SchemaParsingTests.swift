import JSON
import Records
import Testing

@Suite struct `Reading a schema` {
    static let blog = """
        # A blog
        input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }

        "One article."
        type Post @model @auth(rules: [{ allow: owner, operations: [create, read] }]) {
          title: String!
          rating: Int @default(value: "3")
          status: Status @default(value: "DRAFT")
          tags: [String!]
          address: Address
          token: String @secret
          comments: [Comment] @hasMany
          topics: [Topic] @manyToMany(relationName: "PostTopics")
        }
        \"""
        What people say.
        \"""
        type Comment @model {
          id: ID!
          body: String
          post: Post @belongsTo
        }
        type Topic @model {
          code: String! @primaryKey
          posts: [Post] @manyToMany(relationName: "PostTopics")
        }
        enum Status { DRAFT PUBLISHED }
        type Address { street: String, city: String!, geo: Geo }
        type Geo { lat: Float! lon: Float! }
        type Query { echo(text: String): String @function(name: "echo") }
        """

    let schema: Schema

    init() throws { schema = try Schema.parse(Self.blog) }

    @Test func `keeps models, enums and nested types in order`() {
        #expect(schema.models.map(\.name) == ["Post", "Comment", "Topic", "PostTopics"])
        #expect(schema.enums == [EnumType(name: "Status", values: ["DRAFT", "PUBLISHED"])])
        #expect(schema.types.map(\.name) == ["Address", "Geo"])
    }

    @Test func `adds the implicit id first and foreign keys last`() {
        let post = schema.model("Post")
        #expect(
            post?.fields.map(\.name)
                == ["id", "title", "rating", "status", "tags", "address", "token"])
        #expect(post?.field("id") == Field("id", .scalar(.id), isRequired: true))
        #expect(post?.field("tags")?.isList == true)
        #expect(post?.field("tags")?.hasRequiredElements == true)
        #expect(post?.field("token")?.isSecret == true)
        #expect(schema.model("Comment")?.fields.map(\.name) == ["id", "body", "postCommentsId"])
    }

    @Test func `coerces defaults by the field's type`() {
        #expect(schema.model("Post")?.field("rating")?.defaultValue == 3)
        #expect(schema.model("Post")?.field("status")?.defaultValue == "DRAFT")
    }

    @Test func `shares the foreign key between both sides of a relation`() {
        #expect(
            schema.model("Post")?.relation("comments")
                == Relation(
                    name: "comments", kind: .hasMany, model: "Comment", fields: ["id"],
                    references: ["postCommentsId"]))
        #expect(
            schema.model("Comment")?.relation("post")
                == Relation(
                    name: "post", kind: .belongsTo, model: "Post", fields: ["postCommentsId"],
                    references: ["id"]))
    }

    @Test func `makes a join model for a many-to-many relation`() {
        let join = schema.model("PostTopics")
        #expect(join?.fields.map(\.name) == ["id", "postID", "topicCode"])
        #expect(join?.field("topicCode")?.type == .scalar(.string))
        #expect(join?.indexes.map(\.name) == ["byPost", "byTopic"])
        #expect(join?.relations.map(\.name) == ["post", "topic"])
        #expect(
            schema.model("Topic")?.relation("posts")
                == Relation(
                    name: "posts", kind: .manyToMany, model: "Post", fields: ["code"],
                    references: ["topicCode"], join: "PostTopics", joinFields: ["postID"]))
    }

    @Test func `notes what it accepts without effect`() {
        #expect(
            schema.notes == [
                "schema.graphql:2:1: input AMPLIFY has no effect here",
                "schema.graphql:5:18: @auth has no effect here: the backend decides who may do what",
                "schema.graphql:30:6: type Query has no effect here: only @model types are kept",
            ])
    }

    @Test func `takes composite keys, indexes and explicit foreign keys`() throws {
        let schema = try Schema.parse(
            """
            type Customer @model { id: ID! orders: [Order] @hasMany(indexName: "byCustomer", fields: ["id"]) }
            type Order @model {
              customer: ID! @primaryKey(sortKeyFields: ["number"]) @index(name: "byCustomer", sortKeyFields: ["placed"])
              number: Int!
              placed: AWSDateTime!
              lines: [Line] @hasMany
              buyer: Customer @belongsTo(fields: ["customer"])
              bill: Bill @hasOne
            }
            type Line @model { order: Order! @belongsTo }
            type Bill @model { sum: Float }
            extend type Query { x: Int }
            """)
        let order = try #require(schema.model("Order"))
        #expect(order.key == ["customer", "number"])
        #expect(order.hasCompositeKey && !order.makesIDs)
        #expect(order.indexes == [Index(name: "byCustomer", fields: ["customer", "placed"])])
        #expect(order.relation("lines")?.references == ["orderLinesCustomer", "orderLinesNumber"])
        #expect(order.relation("bill")?.fields == ["orderBillId"])
        #expect(order.relation("bill")?.holdsForeignKey == true)
        #expect(order.relation("buyer")?.fields == ["customer"])
        #expect(order.fields.last?.name == "orderBillId")
        let line = try #require(schema.model("Line"))
        #expect(
            line.fields == [
                Field("id", .scalar(.id), isRequired: true),
                Field("orderLinesCustomer", .scalar(.id), isRequired: true),
                Field("orderLinesNumber", .scalar(.int), isRequired: true),
            ])
        #expect(line.relation("order")?.references == ["customer", "number"])
        #expect(schema.model("Customer")?.relation("orders")?.references == ["customer"])
    }

    @Test func `lets both sides of a one-to-one relation hold a key, as Amplify does`() throws {
        let schema = try Schema.parse(
            """
            type Project @model { team: Team @hasOne }
            type Team @model { project: Project @belongsTo }
            """)
        #expect(schema.model("Project")?.relation("team")?.fields == ["projectTeamId"])
        #expect(schema.model("Team")?.relation("project")?.fields == ["teamProjectId"])
    }

    @Test func `relates a model to itself`() throws {
        let schema = try Schema.parse(
            "type Place @model { name: String parent: Place @belongsTo children: [Place] @hasMany }"
        )
        #expect(schema.model("Place")?.relation("parent")?.fields == ["placeChildrenId"])
        #expect(schema.model("Place")?.relation("children")?.references == ["placeChildrenId"])
    }

    @Test func `uses the foreign key that belongsTo names for the other side`() throws {
        let schema = try Schema.parse(
            """
            type Country @model { name: String parts: [Part] @hasMany }
            type Part @model { countryID: ID country: Country @belongsTo(fields: ["countryID"]) }
            """)
        #expect(schema.model("Country")?.relation("parts")?.references == ["countryID"])
        #expect(schema.model("Part")?.fields.map(\.name) == ["id", "countryID"])
    }

    @Test func `uses a join model that the schema writes out`() throws {
        let schema = try Schema.parse(
            """
            type A @model { bs: [B] @manyToMany(relationName: "ab") }
            type B @model { as: [A] @manyToMany(relationName: "ab") }
            type Ab @model { x: ID! y: ID! a: A! @belongsTo(fields: ["x"]) b: B! @belongsTo(fields: ["y"]) }
            """)
        #expect(schema.models.count == 3)
        #expect(schema.model("A")?.relation("bs")?.references == ["x"])
        #expect(schema.model("A")?.relation("bs")?.joinFields == ["y"])
    }

    @Test func `leaves out types that no model uses`() throws {
        let schema = try Schema.parse(
            "type Post @model { a: Int } type PostPage { items: [Post] next: String }")
        #expect(schema.types.isEmpty)
        #expect(schema.notes.count == 1)
        #expect(
            schema.notes.first?.hasPrefix("schema.graphql:1:34: type PostPage is left out") == true)
    }

    @Test func `reads an empty schema`() throws {
        #expect(try Schema.parse(" # nothing\n") == Schema())
        #expect(try Schema.parse(bytes: [0xEF, 0xBB, 0xBF]) == Schema())
    }
}

/// What is wrong with a schema, and where.
struct SchemaFault: CustomTestStringConvertible {
    var text: String
    var message: String
    var hint: String?

    init(_ text: String, _ message: String, _ hint: String? = nil) {
        self.text = text
        self.message = message
        self.hint = hint
    }

    var testDescription: String { message }
}

@Suite struct `A mistake in a schema` {
    static let faults = [
        SchemaFault(
            "type Post @model {\n  title: Sting\n}", "2:10: unknown type Sting",
            "did you mean String?"),
        SchemaFault(
            "type Post @model { at: DateTime }", "1:24: unknown type DateTime",
            "did you mean AWSDateTime?"),
        SchemaFault(
            "type Post @model { a: Int\n  a: Int }", "2:3: Post.a is declared twice",
            "remove or rename one"),
        SchemaFault(
            "type Post @model { ab: Int aB: Int }",
            "1:28: Post.aB differs from ab only by letter case"),
        SchemaFault(
            "type Post @model { a: Int } type post @model { a: Int }",
            "1:34: post differs from Post only by letter case", "rename one"),
        SchemaFault(
            "type Post @model { a: Int } enum Post { A }", "1:6: Post is defined twice"),
        SchemaFault(
            "type Post @model { _a: Int }",
            "1:20: Post._a: names that begin with \"_\" are reserved"),
        SchemaFault("type Post @model {\n}", "1:6: model Post has no fields"),
        SchemaFault("type Post @model", "1:6: model Post has no fields"),
        SchemaFault("enum E { A B A }", "1:14: enum E has A twice", "remove one"),
        SchemaFault("enum E { }", "1:6: enum E has no values"),
        SchemaFault(
            "type Post @model {\n  a: Int\n\ntype B @model { a: Int }",
            "1:18: the \"{\" of type Post is not closed before line 4",
            "add \"}\" after its last field"),
        SchemaFault(
            "type Post @model {\n  a: Int\n", "1:18: the \"{\" of type Post is never closed",
            "add \"}\""),
        SchemaFault(
            "type Post @model { é: Int }", "1:20: unexpected \"é\"",
            "names are letters a-z A-Z, digits and _"),
        SchemaFault("# é\ntype Post @model { b: Int 'x' }", "2:27: texts stand in double quotes"),
        SchemaFault(
            "type Post @model { a Int }", "1:22: expected \":\" after the field a, found \"Int\""),
        SchemaFault(
            "typ Post @model { a: Int }", "1:1: \"typ\" begins no definition", "did you mean type?"),
        SchemaFault(
            "type Post @model { a: [[Int]] }", "1:24: a list of lists has no place in a record"),
        SchemaFault(
            "type Post @model { c: [Comment] } type Comment @model { a: Int }",
            "1:24: Post.c: Comment is a model, so the field needs a relation", "add @hasMany"),
        SchemaFault(
            "type Post @model { c: [Coment] @hasMany } type Comment @model { a: Int }",
            "1:32: Post.c: @hasMany needs a model, but Coment is unknown", "did you mean Comment?"),
        SchemaFault(
            "type Post @model { a: String @belongsTo }",
            "1:30: Post.a: @belongsTo needs a model, but String is a scalar"),
        SchemaFault(
            "type Post @model { c: Comment @hasMany } type Comment @model { a: Int }",
            "1:31: Post.c: @hasMany needs a list", "write [Comment]"),
        SchemaFault(
            "type Post @model { c: [Comment] @hasMany(index: \"x\") } type Comment @model { a: Int }",
            "1:42: @hasMany has no argument index", "did you mean indexName?"),
        SchemaFault(
            "type Post @model { c: [Comment] @hasMany(indexName: \"x\") } type Comment @model { a: Int }",
            "1:53: Comment has no index x", "put @index(name: \"x\") on its foreign key"),
        SchemaFault(
            "type Post @model { u: User @belongsTo(fields: [\"userID\"]) } type User @model { a: Int }",
            "1:47: Post has no field userID to hold a key", "declare it: userID: ID"),
        SchemaFault(
            "type Post @model { n: Int u: User @belongsTo(fields: [\"n\"]) } type User @model { a: Int }",
            "1:35: Post.u: Post.n is Int but User.id is ID", "give both the same type"),
        SchemaFault(
            """
            type User @model { a: [Post] @hasMany b: [Post] @hasMany }
            type Post @model { u: User @belongsTo }
            """, "2:28: Post.u: it is not clear which of a and b of User is its other side"),
        SchemaFault(
            "type A @model { bs: [B] @manyToMany(relationName: \"x\") } type B @model { a: Int }",
            "1:25: the relation x needs two sides, one on each of its models"),
        SchemaFault(
            "type A @model { k: Int @primaryKey }", "1:17: A.k is a key, so it is required",
            "write k: Int!"),
        SchemaFault(
            "type A @model { k: Float! @primaryKey }", "1:17: A.k cannot be a key: it is Float"),
        SchemaFault(
            "type A @model { k: ID! @primaryKey(sortKeyFields: [\"n\"]) no: Int! }",
            "1:51: A has no field n to store", "did you mean no?"),
        SchemaFault(
            "type A @model { n: Int @default(value: \"x\") }",
            "1:40: @default of n: \"x\" is no Int", "write a whole number, as in 42"),
        SchemaFault(
            "type A @model { n: E @default(value: \"RD\") } enum E { RED BLUE }",
            "1:38: @default of n: \"RD\" is no E", "did you mean RED?"),
        SchemaFault(
            "type A @model { a: B } type B { a: C! } type C { b: B! }",
            "1:29: type B requires itself, so no value is finite"),
        SchemaFault(
            "type A @model { a: B } type B { a: A }",
            "1:36: type B is no model, so it cannot hold A"),
        SchemaFault("extend type A { a: Int }", "1:1: \"extend\" is not read"),
        SchemaFault("type A @model { a: String @key }", "1:27: @key is of an older Amplify"),
        SchemaFault("type Int { a: String }", "1:6: Int is the name of a scalar"),
        SchemaFault(
            "type A @model { d: Date } scalar Date", "1:20: A.d: scalar Date has no values here"),
        SchemaFault(
            "type A @model { a: Int @secret(x: 1) }", "1:32: @secret has no argument x",
            "it takes none"),
        SchemaFault(
            "type A @model { a: Int @default(value: \"\\q\") }", "1:41: an unknown escape \"\\q\""),
        SchemaFault(
            "type A @model { a: Int @default(value: \"x }", "1:40: a text is not closed on its line"
        ),
        SchemaFault("\"\"\" open", "1:1: a text in \"\"\" is never closed"),
        SchemaFault("type A @model { a: Int @x(y: $v) }", "1:30: a schema has no variables"),
        SchemaFault("{", "1:1: expected a definition, found \"{\""),
        SchemaFault("type", "1:5: expected the name of the type, found the end of the file"),
    ]

    @Test(arguments: faults) func `is told with its place and its mending`(_ fault: SchemaFault)
        throws
    {
        let errors = Schema.check(fault.text).errors
        let error = try #require(errors.first)
        #expect(error.kind == .schema)
        #expect(error.message.hasPrefix("schema.graphql:" + fault.message), "\(error.message)")
        if let hint = fault.hint { #expect(error.hint == hint) }
        #expect(error.hint != nil)
        #expect(throws: error) { try Schema.parse(fault.text) }
    }

    @Test func `does not hide the next one`() {
        let errors = Schema.check("type A @model { a: Foo\n b: Bar }\nenum E { A A }").errors
        #expect(errors.map(\.message.count).count == 3)
    }

    @Test func `may be a byte that is no UTF-8`() {
        let bytes = Array("# ok é\ntype A".utf8) + [0xFF]
        #expect(
            Schema.check(bytes: bytes, file: "x").errors.map(\.message)
                == ["x:2:7: byte 0xff is no UTF-8"])
    }

    @Test func `never stops the reader, wherever the text is cut`() {
        let bytes = Array(`Reading a schema`.blog.utf8)
        for end in bytes.indices {
            _ = Schema.check(bytes: Array(bytes[..<end]))
            var changed = bytes
            changed[end] = UInt8(truncatingIfNeeded: end &* 31)
            _ = Schema.check(bytes: changed)
        }
    }
}
