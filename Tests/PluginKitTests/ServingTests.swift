import Glibc
import JSON
import Platform
import PluginKit
import Records
import Testing

@Suite(.timeLimit(.minutes(15))) struct `Serving a host` {
    private func begin() throws -> Conversation {
        let conversation = try Conversation { ShelfHandler() }
        let welcome = try conversation.ask(
            1, "initialize",
            ["protocols": [1], "client": "test", "context": "home", "config": [:], "future": 1])
        #expect(welcome?["id"] == 1)
        #expect(welcome?["result"]?["protocol"] == 1)
        #expect(welcome?["result"]?["identity"] == "shelf-home")
        #expect(welcome?["result"]?["capabilities"]?["push"]?["batch"] == 10)
        #expect(welcome?["result"]?["capabilities"]?["pull"]?["snapshot"] == true)
        return conversation
    }

    @Test func `answers with verdicts, records, tombstones and what cannot be read`() throws {
        let conversation = try begin()
        let pushed = try conversation.ask(
            2, "push",
            [
                "ops": [
                    [
                        "key": "k1", "model": "Post", "id": "a", "kind": "create",
                        "base_version": nil, "set": ["title": "é"], "record": ["title": "é"],
                    ],
                    ["key": "k2", "model": "Post", "id": "b", "kind": "delete"],
                ]
            ])
        #expect(
            pushed?["result"] == [
                "results": [
                    ["key": "k1", "outcome": "ok", "version": 1, "record": ["title": "é"]]
                ]
            ])
        let pulled = try conversation.ask(
            3, "pull", ["model": "Post", "cursor": nil, "limit": 10])
        #expect(
            pulled?["result"] == [
                "records": [
                    ["id": "a", "version": 1, "record": ["title": "é"]],
                    ["id": "gone", "version": 9, "deleted": true],
                    ["id": "odd", "version": nil, "record": "\"\u{FFFD}"],
                ],
                "cursor": ["after": "z"], "more": false, "epoch": "e", "complete": true,
            ])
    }

    @Test func `names the kind of every error`() throws {
        let conversation = try Conversation { ShelfHandler() }
        let early = try conversation.ask(1, "ping")
        #expect(early?["error"]?["message"] == "ping came before initialize")
        let refused = try conversation.ask(2, "initialize", ["config": ["color": "red"]])
        #expect(
            refused?["error"] == [
                "code": -32000, "message": "the config has no color",
                "data": ["kind": "permanent", "hint": "remove it"],
            ])
        let other = try conversation.ask(3, "initialize", ["protocols": [2, 3]])
        #expect(other?["error"]?["data"]?["kind"] == "unsupported")
        _ = try conversation.ask(4, "initialize")
        let unknown = try conversation.ask(5, "dance")
        #expect(unknown?["error"]?["code"] == -32601)
        #expect(unknown?["error"]?["message"] == "shelf knows no method dance")
        let half = try conversation.ask(6, "push", ["ops": [["key": "k"]]])
        #expect(half?["error"]?["data"]?["kind"] == "permanent")
        try conversation.send("no JSON at all")
        #expect(try conversation.line()?["id"] == .null)
        #expect(try conversation.ask(7, "shutdown")?["result"] == [:])
        #expect(try conversation.line() == nil)
    }

    @Test func `sends notifications before the reply`() throws {
        let conversation = try begin()
        try conversation.request(2, "ping")
        let log = try conversation.line()
        #expect(log?["method"] == "log")
        #expect(log?["params"] == ["level": "info", "message": "ping came"])
        #expect(try conversation.line()?["result"] == [:])
    }

    @Test func `answers a cancelled request and goes on with the next`() throws {
        let conversation = try begin()
        try conversation.request(2, "pull", ["model": "Endless"])
        try conversation.request(3, "pull", ["model": "Endless"])
        try conversation.send(#"{"jsonrpc":"2.0","method":"cancel","params":{"id":3}}"#)
        try conversation.send(#"{"jsonrpc":"2.0","method":"cancel","params":{"id":2}}"#)
        for id in [2, 3] as [JSONValue] {
            let reply = try conversation.line()
            #expect(reply?["id"] == id)
            #expect(reply?["error"]?["data"]?["kind"] == "cancelled")
        }
        #expect(try conversation.ask(4, "pull", ["model": "Post"])?["id"] == 4)
    }

    @Test func `ends with the input, also in the middle of a request`() throws {
        let conversation = try begin()
        conversation.hangUp()
        #expect(try conversation.line() == nil)
        let busy = try begin()
        try busy.request(2, "pull", ["model": "Endless"])
        busy.hangUp()
        while try busy.line() != nil {}
    }
}

@Suite struct `Reading the host's schema` {
    @Test func `tells scalars, enums and nested types apart`() throws {
        let setup = PluginSetup(
            description: JSONObject([
                (
                    "models",
                    [
                        [
                            "name": "Post", "key": ["id"],
                            "fields": [
                                ["name": "id", "type": "ID", "required": true],
                                ["name": "tags", "type": "String", "list": true],
                                ["name": "state", "type": "State", "default": "DRAFT"],
                                ["name": "place", "type": "Place"],
                            ],
                        ]
                    ]
                ),
                ("enums", ["State": ["DRAFT", "DONE"]]),
                ("types", ["Place": [["name": "town", "type": "String"]]]),
            ]))
        let schema = try setup.schema()
        #expect(
            schema.models == [
                Model(
                    name: "Post",
                    fields: [
                        Field("id", .scalar(.id), isRequired: true),
                        Field("tags", .scalar(.string), isList: true),
                        Field("state", .enumeration("State"), defaultValue: "DRAFT"),
                        Field("place", .nested("Place")),
                    ])
            ])
        #expect(schema.enums == [EnumType(name: "State", values: ["DRAFT", "DONE"])])
        #expect(
            schema.types == [
                NestedType(name: "Place", fields: [Field("town", .scalar(.string))])
            ])
    }
}
