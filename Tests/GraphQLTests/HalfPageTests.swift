import JSON
import Platform
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

/// What of a page came beside an error, and whether it is taken.
struct HalfPage: CustomTestStringConvertible {
    var path: [JSONValue]
    var type = ""
    var items: JSONValue = [["id": "a", "title": "x"], ["id": "b", "title": "y"]]
    /// Nil where the page is refused.
    var isTaken: Bool

    var testDescription: String {
        "\(type) at \(JSONValue.array(path).serialized()), \(items.serialized())"
    }
}

@Suite struct `A page with an error` {
    static let table = [
        HalfPage(path: [], isTaken: false),
        HalfPage(path: ["syncPosts"], isTaken: false),
        HalfPage(path: ["syncPosts", "items"], isTaken: false),
        HalfPage(path: ["syncPosts", "items"], type: "Unauthorized", items: [], isTaken: false),
        HalfPage(path: ["syncPosts", "nextToken"], isTaken: false),
        HalfPage(path: ["other", "items", 0], isTaken: false),
        HalfPage(path: ["syncPosts", "items", 9], isTaken: false),
        HalfPage(path: ["syncPosts", "items", -1], isTaken: false),
        HalfPage(path: ["syncPosts", "items", "0"], isTaken: false),
        HalfPage(path: ["syncPosts", "items", 1], type: "ThrottlingException", isTaken: false),
        HalfPage(path: ["syncPosts", "items", 1], isTaken: true),
        HalfPage(path: ["syncPosts", "items", 1, "title"], type: "Unauthorized", isTaken: true),
    ]

    static let schema = "type Post @model { id: ID! title: String }"

    static func plan() throws -> ModelPlan {
        let schema = try Schema.parse(schema)
        let surface = Surface(guessing: schema, isVersioned: true)
        return ModelPlan(schema.models[0], in: schema, try #require(surface.models["Post"]))
    }

    @Test(arguments: table) func `is taken only where it is about one item of it`(
        _ row: HalfPage
    ) throws {
        let page: JSONValue = ["items": row.items, "nextToken": nil, "startedAt": 1]
        let answer = GraphQLAnswer(
            data: JSONObject([("syncPosts", page)]),
            errors: [GraphQLFault("no", type: row.type, path: row.path)])
        let reader = PageReader(try Self.plan(), host: "example.com")
        let error = failure { _ = try reader.end(of: answer, root: "syncPosts") }
        #expect((error == nil) == row.isTaken, "\(String(describing: error))")
        if let error { #expect(error.message.contains("no"), "\(error)") }
    }

    @Test(arguments: [["items": [], "nextToken": ""], ["items": []]] as [JSONValue])
    func `is refused that does not tell what follows`(_ page: JSONValue) throws {
        let answer = GraphQLAnswer(data: JSONObject([("syncPosts", page)]))
        let reader = PageReader(try Self.plan(), host: "example.com")
        let error = failure { _ = try reader.end(of: answer, root: "syncPosts") }
        #expect(error?.kind == .permanent)
        #expect(error?.message.contains("what follows") == true)
    }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `Single records beside an error` {
    static let errors: [(path: JSONValue, type: String, isTaken: Bool)] = [
        ([], "", false), (["getPost"], "", false), (["r7"], "", false), (["r0"], "", false),
        (["r0"], "Unauthorized", false), (["r0", "title"], "Unauthorized", true),
        (["r0", "title"], "", false),
    ]

    @Test(arguments: errors) func `are told as gone, or as they are, only where that is sure`(
        _ row: (path: JSONValue, type: String, isTaken: Bool)
    ) throws {
        let server = try LyingServer()
        let backend = GraphQLBackend(environment: Environment(variables: [:]))
        let host = PluginHost(output: ByteOutput(2, name: "the log"))
        let schema = try Schema.parse(`A page with an error`.schema)
        _ = try backend.initialize(
            PluginSetup(
                config: JSONObject([
                    ("url", .string(server.url)), ("conflict_detection", "on"),
                ]), secrets: JSONObject([("api_key", "da2-x")]),
                description: schema.protocolJSON.members ?? JSONObject()),
            host: host)
        for record: JSONValue in [nil, ["id": "a", "title": "x", "_version": 1]] {
            let fault: JSONValue = [
                "path": row.path, "errorType": .string(row.type), "message": "no",
            ]
            let body: JSONValue = ["data": ["r0": record], "errors": [fault]]
            try server.tell(["body": .string(body.serialized())])
            let page = PluginPage()
            let error = failure {
                try backend.fetch(
                    model: "Post", ids: [RecordID("a")], onto: page, PluginCall(id: 1, host: host))
            }
            #expect((error == nil) == (row.isTaken && !record.isNull), "\(row) \(record)")
        }
    }
}
