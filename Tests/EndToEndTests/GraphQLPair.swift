import JSON
import Platform
import ServerHarness
import Testing

/// Two workspaces, `a` and `b`, on one AppSync-shaped API.
struct GraphQLPair: WorkspacePair {
    let home: SatchelHome
    let server: AppSyncServer

    /// A file with that schema.
    static let schemaFile = Path.join(Path.parent(#filePath), "graphql-pair.graphql")

    init(_ options: String...) throws {
        try self.init(options: options, schema: Self.schemaFile)
    }

    init(options: [String] = [], schema: String) throws {
        home = try SatchelHome()
        // A path that is the same for all, so that they share a server.
        server = try AppSyncServer(options: options, schema: schema)
        let outputs = try server.control(["command": "outputs", "url": .string(server.url)])
        try home.write("project/amplify_outputs.json", outputs.serialized())
        if schema != Self.schemaFile {
            // As in a project: the file says more of relations than the outputs do.
            let text = String(decoding: try Files.read(schema), as: UTF8.self)
            try home.write("project/schema.graphql", text)
        }
        for name in ["a", "b"] {
            let run = try home.satchel("init", name, "--amplify", "project")
            try #require(run.code == 0, "\(run)")
        }
    }
}
