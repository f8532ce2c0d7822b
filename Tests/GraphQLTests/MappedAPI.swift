import JSON
import Platform
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

/// The backend with a mapping in this process, on a server of its own.
final class MappedAPI {
    let server: GenericServer
    let backend: EitherBackend
    let welcome: PluginWelcome
    let schema: Schema

    /// The mapping of the Strawberry API, as a person writes it.
    static func berries() throws -> JSONValue {
        let file = Path.join(AppSyncServer.root, "Tests/Servers/generic/mapping.json5")
        return try JSONValue.parseJSON5(try Files.read(file))
    }

    static let schemas = [
        "strawberry": """
        enum Status { DRAFT PUBLISHED }
        type Cover { colour: String! width: Int }
        type Post @model {
          id: ID!
          title: String!
          body: String
          rating: Int
          tags: [String!]
          status: Status
          cover: Cover
          updatedAt: AWSDateTime
          comments: [Comment] @hasMany(fields: ["id"])
        }
        type Comment @model {
          id: ID!
          content: String!
          postId: ID
          post: Post @belongsTo(fields: ["postId"])
        }
        """,
        "hasura": """
        type Post @model {
          id: ID!
          title: String!
          body: String
          rating: Int
          extra: AWSJSON
          updatedAt: AWSDateTime
        }
        type Comment @model { id: ID! content: String! postId: ID }
        """,
    ]

    static func schema(_ shape: String) throws -> Schema {
        let text = schemas[shape] ?? schemas["hasura"] ?? ""
        return try Schema.parse(bytes: Array(text.utf8), file: "schema.graphql")
    }

    static func mapping(_ shape: String) throws -> JSONValue {
        shape == "strawberry" ? try berries() : .string(shape == "classic" ? "postgraphile" : shape)
    }

    init(
        _ shape: String, _ config: JSONValue = [:], schema: Schema? = nil,
        secrets: JSONValue = [:], server: GenericServer? = nil,
        environment: [String: String] = [:],
        host: PluginHost = PluginHost(output: ByteOutput(2, name: "the log"))
    ) throws {
        self.server = try server ?? GenericServer(shape)
        var all = JSONObject([
            ("url", .string(self.server.url)), ("mapping", try Self.mapping(shape)),
            ("overlap_ms", 0),
        ])
        for (key, value) in config.members?.pairs ?? [] { all[key] = value }
        backend = EitherBackend(environment: Environment(variables: environment))
        let models = try schema ?? Self.schema(shape)
        self.schema = models
        welcome = try backend.initialize(
            PluginSetup(
                config: all, secrets: secrets.members ?? JSONObject(),
                description: models.protocolJSON.members ?? JSONObject()),
            host: host)
    }

    var call: PluginCall {
        PluginCall(id: 1, host: PluginHost(output: ByteOutput(2, name: "the log")))
    }

    /// Pulls page by page until there is no more.
    func pull(
        _ model: String = "Post", from cursor: JSONValue? = nil, limit: Int = 1000
    ) throws -> AppSync.Pulled {
        var pulled = AppSync.Pulled(cursor: cursor)
        while true {
            let page = PluginPage()
            let query = PluginQuery(model: model, cursor: pulled.cursor, limit: limit)
            let end = try backend.pull(query, onto: page, call)
            pulled.items += try Self.items(page)
            pulled.pages += 1
            pulled.isComplete = pulled.isComplete && end.isComplete
            pulled.cursor = end.cursor.isNull ? .none : end.cursor
            if !end.more { return pulled }
        }
    }

    func fetch(_ model: String = "Post", _ ids: String...) throws -> [JSONValue] {
        let page = PluginPage()
        try backend.fetch(model: model, ids: ids.map { RecordID($0) }, onto: page, call)
        return try Self.items(page)
    }

    private static func items(_ page: PluginPage) throws -> [JSONValue] {
        try JSONValue.parse("[" + String(decoding: page.bytes, as: UTF8.self) + "]").elements ?? []
    }

    @discardableResult
    func push(_ operations: PluginOperation...) throws -> [PluginVerdict?] {
        try backend.push(operations, call)
    }

    /// Makes a record; its version, and the id that the API gave it.
    @discardableResult
    func make(
        _ id: String, model: String = "Post", _ more: JSONValue = [:]
    ) throws -> (version: JSONValue, id: String) {
        let title = model == "Post" ? "one" : nil
        let verdict = try push(.create(id, model: model, title: title, more)).first ?? nil
        guard case .ok(let version?, _, let assigned)? = verdict else {
            Issue.record("\(id) was not made: \(String(describing: verdict))")
            return (.null, id)
        }
        return (version, assigned?.text ?? id)
    }
}
