import JSON
import Records
import Testing

@Suite struct `A schema as protocol 1 writes it` {
    @Test func `comes back the same`() throws {
        var schema = try Schema.parse(`Reading a schema`.blog)
        schema.notes = []
        #expect(try Schema(protocolJSON: schema.protocolJSON) == schema)
        let text = schema.protocolJSON.serialized()
        #expect(try Schema(protocolJSON: JSONValue.parse(text)) == schema)
    }

    @Test func `has the members that plugins rely on`() throws {
        let schema = try Schema.parse(
            "type A @model { n: [Int!] e: E @default(value: \"X\") } enum E { X }")
        #expect(
            schema.protocolJSON == [
                "models": [
                    [
                        "name": "A", "key": ["id"],
                        "fields": [
                            [
                                "name": "id", "type": "ID", "list": false, "required": true,
                                "read_only": false, "secret": false, "default": nil,
                            ],
                            [
                                "name": "n", "type": "Int", "list": true, "required": false,
                                "read_only": false, "secret": false, "default": nil,
                                "required_elements": true,
                            ],
                            [
                                "name": "e", "type": "E", "list": false, "required": false,
                                "read_only": false, "secret": false, "default": "X",
                            ],
                        ],
                        "relations": [],
                    ]
                ], "enums": ["E": ["X"]], "types": [:],
            ])
    }

    @Test func `may leave out what is usual`() throws {
        let schema = try Schema(protocolJSON: [
            "models": [["name": "A", "fields": [["name": "id", "type": "ID"]], "more": 1]]
        ])
        #expect(schema.models == [Model(name: "A", fields: [Field("id", .scalar(.id))])])
    }

    static let wrong: [(JSONValue, String)] = [
        (1, "schema is an object, not 1"),
        ([:], "schema has no models"),
        (["models": [1]], "schema.models[0] is an object, not 1"),
        (["models": [["name": "A"]]], "schema.models[0] has no fields"),
        (
            ["models": [["name": "A", "fields": [["name": "id"]]]]],
            "schema.models[0].fields[0] has no type"
        ),
        (
            ["models": [["name": "A", "fields": [["name": "a", "type": "Int"]]]]],
            "the key id of model A is no field of it"
        ),
        (
            ["models": [["name": "A", "fields": [["name": "id", "type": "Foo"]]]]],
            "A.id: unknown type Foo"
        ),
        (
            ["models": [["name": "A b", "fields": []]]], "the schema: \"A b\" is no name"
        ),
        (
            [
                "models": [
                    [
                        "name": "A", "fields": [["name": "id", "type": "ID"]],
                        "relations": [
                            [
                                "name": "b", "kind": "belongsTo", "model": "B", "fields": ["x"],
                                "references": ["id"],
                            ]
                        ],
                    ]
                ]
            ], "A.b: unknown model B"
        ),
    ]

    @Test(arguments: wrong) func `is refused with the place of a fault`(
        _ json: JSONValue, message: String
    ) {
        let error = #expect(throws: RecordsError.self) { try Schema(protocolJSON: json) }
        #expect(error?.message == message)
    }
}
