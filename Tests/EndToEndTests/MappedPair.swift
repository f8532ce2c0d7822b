import Glibc
import JSON
import Platform
import ServerHarness
import Testing

/// Two workspaces, `a` and `b`, on one API that a mapping tells of.
struct MappedPair: WorkspacePair {
    let home: SatchelHome
    let server: GenericServer

    private static let schema = """
        type Post @model {
          id: ID!
          title: String!
          body: String
          rating: Int
        }
        type Comment @model {
          id: ID!
          content: String!
          postId: ID
          post: Post @belongsTo(fields: ["postId"])
        }
        """

    /// The mapping is the one of the shape, changed by `changes`.
    init(_ shape: String, _ changes: JSONValue = [:]) throws {
        home = try SatchelHome()
        server = try GenericServer(shape)
        try home.write("schema.graphql", Self.schema)
        var mapping = JSONObject([("like", .string(shape))])
        if shape == "strawberry" {
            let file = Path.join(AppSyncServer.root, "Tests/Servers/generic/mapping.json5")
            mapping = try JSONValue.parseJSON5(try Files.read(file)).members ?? JSONObject()
        }
        for (key, value) in changes.members?.pairs ?? [] { mapping[key] = value }
        for name in ["a", "b"] {
            let made = try home.satchel(
                "init", name, "--schema", "schema.graphql", "--backend", "graphql", "--set",
                "url=\(server.url)", "--set", "mapping=hasura", "--set", "overlap_ms=0")
            try #require(made.code == 0, "\(made)")
            let set = try home.satchel(
                "config", "set", "contexts.default.config.mapping",
                JSONValue.object(mapping).serialized(), in: name)
            try #require(set.code == 0, "\(set)")
        }
    }
}
