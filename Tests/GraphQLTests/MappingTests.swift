import JSON
import Platform
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite struct `A mapping` {
    static let steps: [(text: String, declared: [String], root: [String])] = [
        ("query { posts { id } }", [], ["posts"]),
        (
            "query P($id: ID!, $set: [A!]! = [{a: 1}]) { x: post(id: $id) { id } }", ["id", "set"],
            ["x"]
        ),
        ("mutation ($input: I) @live { make(a: {b: $input}) { id } }", ["input"], ["make"]),
        ("{ posts(where: {a: {b: 1}}) { id } }", [], ["posts"]),
        ("query ($id: ID!) { ${model}(id: $id) { id } }", ["id"], ["${model}"]),
    ]

    @Test(arguments: steps) func `knows what a document declares and what it asks for`(
        _ step: (text: String, declared: [String], root: [String])
    ) throws {
        let read = try MappingStep(.string(step.text), at: "list")
        #expect(read.declared == step.declared)
        #expect(read.result.parts == step.root)
    }

    @Test func `fills values in, and leaves out what is absent`() {
        let given: JSONValue = [
            "id": "p1", "key": ["id": "p1"], "set": ["title": .null], "limit": 5,
            "input": ["id": "p1", "title": .null],
        ]
        let values = MappingValues(given.members ?? JSONObject())
        let template: JSONValue = [
            "where": ["id": ["_eq": "$key.id"], "version": ["_eq": "$version"]], "set": "$set",
            "text": "$$set", "list": ["$id", "$after", 1],
        ]
        #expect(
            values.filling(template) == [
                "where": ["id": ["_eq": "p1"], "version": [:]], "set": ["title": .null],
                "text": "$set", "list": ["p1", 1],
            ])
        #expect(
            values.filling(["first", "after", "title", "id"])
                == JSONObject([("first", 5), ("title", .null), ("id", "p1")]))
    }

    static let faults: [(config: JSONValue, names: String)] = [
        (["mapping": "dgraph"], "mapping"), (["mapping": 4], "mapping"),
        (["mapping": ["live": "smoke"]], "mapping.live"),
        (["mapping": ["models": ["Post": ["list": 4]]]], "mapping.models.Post.list"),
        (["mapping": ["models": ["Post": ["list": ["query": "query { a }", "next": 4]]]]], "next"),
        (["mapping": ["models": ["Post": ["outcomes": ["A": "perhaps"]]]]], "outcomes.A"),
        (
            ["mapping": ["models": ["Post": ["subscribe": ["query": "{ a }", "tells": "x"]]]]],
            "tells"
        ),
        (["mapping": ["like": 5]], "mapping.like: it is a text"),
        (["mapping": ["live_url": 5]], "mapping.live_url: it is a text"),
        (["mapping": ["live_url": "here"]], "mapping.live_url"),
        (["mapping": ["version": 5]], "mapping.version: it is a text"),
        (["mapping": ["outcomes": "x"]], "mapping.outcomes"),
        (["mapping": ["models": ["*": ["since": 5]]]], "mapping.models.*.since: it is a text"),
        (["mapping": ["models": ["Other": ["list": 4]]]], "mapping.models.Other.list"),
        (
            ["mapping": ["models": ["Post": ["assigns_ids": "yes"]]]],
            "assigns_ids: it is true or false"
        ),
        (["mapping": ["models": ["Post": ["numbers": "x"]]]], "numbers: it is a list"),
        (["mapping": ["models": ["Post": ["missing": [5]]]]], "missing: it is a list"),
        (["mapping": ["models": ["Post": ["fields": []]]]], "fields: it has a text for each"),
        (["mapping": ["models": ["Post": ["fields": ["a": 5]]]]], "fields.a: it is a text"),
        (["mapping": ["models": ["Post": ["fields": ["a": "b { id } c"]]]]], "fields.a: "),
        (["mapping": ["models": ["Post": ["type": ""]]]], "type: "),
        (["mapping": ["models": ["Post": ["type": "Post {"]]]], "type: "),
        (["mapping": ["since": "a b"]], "mapping.since: "),
        (["mapping": ["models": ["Post": ["deleted": ["value": 5]]]]], "deleted: it is the name"),
        (
            ["mapping": ["models": ["Post": ["deleted": ["field": "a", "valu": 5]]]]],
            "deleted.valu"
        ),
        (
            ["mapping": ["models": ["Post": ["get": ["query": "{ a }", "variables": "$id"]]]]],
            "get.variables"
        ),
        (
            ["mapping": ["models": ["Post": ["subscribe": ["query": "{ a }", "window": "all"]]]]],
            "subscribe.window: it is a number, 1 at least"
        ),
        (
            ["mapping": ["models": ["Post": ["subscribe": ["query": "{ a }", "deleted": 1]]]]],
            "subscribe.deleted: it is true or false"
        ),
    ]

    @Test(arguments: faults) func `that is none says where`(
        _ fault: (config: JSONValue, names: String)
    ) throws {
        let model = Model(name: "Post", fields: [Field("id", .scalar(.id))])
        let error = failure {
            _ = try Mapping(fault.config.members ?? JSONObject())?.model(model, nil)
        }
        #expect(error?.message.contains(fault.names) == true, "\(String(describing: error))")
    }

    @Test func `in docs/graphql.md is one`() throws {
        let file = Path.join(AppSyncServer.root, "docs/graphql.md")
        let text = String(decoding: try Files.read(file), as: UTF8.self)
        let blocks = text.split(separator: "```").filter { $0.hasPrefix("json5\nmapping:") }
        let block = try #require(blocks.first)
        let config = try JSONValue.parseJSON5("{\(block.dropFirst(5))}")
        let model = Model(name: "Post", fields: [Field("id", .scalar(.id))])
        let mapping = try #require(try Mapping(config.members ?? JSONObject())?.model(model, nil))
        let plan = MappedPlan(model, in: Schema(models: [model]), mapping)
        #expect(plan.isConditional)
        #expect(mapping.create?.result.parts == ["createPost"])
        #expect(mapping.subscriptions.count == 1)
    }

    @Test func `reads events as they come, in any pieces`() {
        let text =
            ": hello\n\nevent: next\ndata: {\"a\":\ndata: 1}\n\nevent:complete\r\ndata\r\n\r\n"
        let wanted = [
            EventReader.Event(name: "next", data: Array("{\"a\":\n1}".utf8)),
            EventReader.Event(name: "complete", data: []),
        ]
        for size in [1, 3, 7, 1_000] {
            var reader = EventReader(limit: 1_000)
            var events: [EventReader.Event] = []
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                events += reader.take(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            #expect(events == wanted)
        }
        var small = EventReader(limit: 10)
        #expect(small.take(Array("data: 0123456789".utf8)).isEmpty)
        #expect(small.isTooLong)
    }
}
