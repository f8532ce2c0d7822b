import JSON
import Records
import Testing

@Suite struct `A schema written as SDL` {
    static let texts = [
        `Reading a schema`.blog,
        """
        type Customer @model { id: ID! orders: [Order] @hasMany(indexName: "byCustomer", fields: ["id"]) }
        type Order @model {
          customer: ID! @primaryKey(sortKeyFields: ["number"]) @index(name: "byCustomer", sortKeyFields: ["placed"])
          number: Int!
          placed: AWSDateTime! @readOnly
          note: String @default(value: "a \\"b\\" \\\\ \\n é") @secret
          lines: [Line!]! @hasMany
          buyer: Customer! @belongsTo(fields: ["customer"])
          bill: Bill @hasOne
        }
        type Line @model { order: Order! @belongsTo sums: [Float!]! }
        type Bill @model { sum: Float @default(value: "1.5") }
        """,
        """
        type A @model { bs: [B] @manyToMany(relationName: "ab") }
        type B @model { code: String! @primaryKey as: [A] @manyToMany(relationName: "ab") }
        """,
        """
        type A @model { bs: [B] @manyToMany(relationName: "ab") }
        type B @model { as: [A] @manyToMany(relationName: "ab") }
        type Ab @model { x: ID! y: ID! a: A! @belongsTo(fields: ["x"]) b: B! @belongsTo(fields: ["y"]) }
        """,
        "type Place @model { name: String parent: Place @belongsTo children: [Place] @hasMany }",
        "type P @model { t: T @hasOne(references: [\"p\"]) } type T @model { p: ID! project: P @belongsTo(references: [\"p\"]) }",
        "",
    ]

    @Test(arguments: texts) func `reads back the same`(text: String) throws {
        var schema = try Schema.parse(text)
        schema.notes = []
        #expect(try Schema.parse(schema.sdl) == schema, "\(schema.sdl)")
    }

    @Test func `spells out what was implicit`() throws {
        let schema = try Schema.parse(
            """
            type Post @model { title: String! comments: [Comment] @hasMany }
            type Comment @model { post: Post @belongsTo kind: Kind }
            enum Kind { A B }
            """)
        #expect(
            schema.sdl == """
                type Post @model {
                  id: ID!
                  title: String!
                  comments: [Comment] @hasMany(references: ["postCommentsId"])
                }

                type Comment @model {
                  id: ID!
                  kind: Kind
                  postCommentsId: ID
                  post: Post @belongsTo(fields: ["postCommentsId"])
                }

                enum Kind {
                  A
                  B
                }

                """)
    }
}

@Suite struct `Amplify's model introspection` {
    private static let json = """
        {"version": 1, "models": {
          "Post": {"name": "Post", "pluralName": "Posts", "syncable": true,
            "fields": {
              "id": {"name": "id", "isArray": false, "type": "ID", "isRequired": true, "attributes": []},
              "title": {"name": "title", "isArray": false, "type": "String", "isRequired": true, "attributes": []},
              "tags": {"name": "tags", "isArray": true, "type": "String", "isRequired": true, "attributes": [], "isArrayNullable": true},
              "status": {"name": "status", "isArray": false, "type": {"enum": "Status"}, "isRequired": false, "attributes": []},
              "place": {"name": "place", "isArray": false, "type": {"nonModel": "Place"}, "isRequired": false, "attributes": []},
              "comments": {"name": "comments", "isArray": true, "type": {"model": "Comment"}, "isRequired": false, "attributes": [],
                "isArrayNullable": true, "association": {"connectionType": "HAS_MANY", "associatedWith": ["post"]}},
              "notes": {"name": "notes", "isArray": true, "type": {"model": "Note"}, "isRequired": false, "attributes": [],
                "isArrayNullable": true, "association": {"connectionType": "HAS_MANY", "associatedWith": ["postNotesId"]}},
              "createdAt": {"name": "createdAt", "isArray": false, "type": "AWSDateTime", "isRequired": false, "attributes": [], "isReadOnly": true}
            },
            "attributes": [{"type": "model", "properties": {}}, {"type": "key", "properties": {"name": "byTitle", "fields": ["title"]}},
              {"type": "auth", "properties": {"rules": []}}],
            "primaryKeyInfo": {"isCustomPrimaryKey": false, "primaryKeyFieldName": "id", "sortKeyFieldNames": []}},
          "Comment": {"name": "Comment",
            "fields": {
              "id": {"name": "id", "isArray": false, "type": "ID", "isRequired": true},
              "post": {"name": "post", "isArray": false, "type": {"model": "Post"}, "isRequired": false,
                "association": {"connectionType": "BELONGS_TO", "targetNames": ["postCommentsId"]}},
              "author": {"name": "author", "isArray": false, "type": {"model": "Note"}, "isRequired": false,
                "association": {"connectionType": "HAS_ONE", "associatedWith": ["id"], "targetNames": ["commentAuthorId"]}}
            },
            "primaryKeyInfo": {"isCustomPrimaryKey": false, "primaryKeyFieldName": "id", "sortKeyFieldNames": []}},
          "Note": {"name": "Note",
            "fields": {"id": {"name": "id", "isArray": false, "type": "ID", "isRequired": true}},
            "primaryKeyInfo": {"isCustomPrimaryKey": false, "primaryKeyFieldName": "id", "sortKeyFieldNames": []}}
          },
         "enums": {"Status": {"name": "Status", "values": ["A", "B"]}},
         "nonModels": {"Place": {"name": "Place", "fields": {"city": {"name": "city", "isArray": false, "type": "String", "isRequired": true}}}}}
        """

    @Test func `becomes a schema`() throws {
        let json = try JSONValue.parse(Self.json)
        let schema = try Schema(modelIntrospection: json)
        let post = try #require(schema.model("Post"))
        #expect(
            post.fields == [
                Field("id", .scalar(.id), isRequired: true),
                Field("title", .scalar(.string), isRequired: true),
                Field("tags", .scalar(.string), isList: true, hasRequiredElements: true),
                Field("status", .enumeration("Status")), Field("place", .nested("Place")),
                Field("createdAt", .scalar(.dateTime), isReadOnly: true),
            ])
        #expect(post.indexes == [Index(name: "byTitle", fields: ["title"])])
        #expect(post.relation("comments")?.references == ["postCommentsId"])
        #expect(post.relation("notes")?.references == ["postNotesId"])
        let comment = try #require(schema.model("Comment"))
        #expect(comment.fields.map(\.name) == ["id", "postCommentsId", "commentAuthorId"])
        #expect(comment.relation("author")?.holdsForeignKey == true)
        #expect(schema.model("Note")?.fields.map(\.name) == ["id", "postNotesId"])
        #expect(try Schema.parse(schema.sdl) == schema)
        #expect(try Schema(modelIntrospection: ["data": ["model_introspection": json]]) == schema)
    }

    @Test func `of another version or shape is refused`() {
        for (json, message): (JSONValue, String) in [
            (["version": 2, "models": [:]], "model_introspection has version 2, not 1"),
            (["version": 1], "model_introspection has no models"),
            (
                ["models": ["A": ["fields": ["x": ["name": "x", "type": "Foo"]]]]],
                "model_introspection.models.A.fields.x.type is a known scalar, not \"Foo\""
            ),
        ] {
            let error = #expect(throws: RecordsError.self) { try Schema(modelIntrospection: json) }
            #expect(error?.message == message)
        }
    }
}
