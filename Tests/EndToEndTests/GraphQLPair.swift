import JSON
import Platform
import ServerHarness
import Testing

/// Two workspaces, `a` and `b`, on one AppSync-shaped API.
struct GraphQLPair {
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

    func run(_ name: String, _ line: String) throws -> Ended {
        try home.shell("satchel \(line)", in: name)
    }

    @discardableResult
    func output(_ name: String, _ line: String) throws -> String {
        let run = try run(name, line)
        try #require(run.code == 0, "\(line): \(run)")
        return run.lines.first ?? ""
    }

    func json(_ name: String, _ line: String) throws -> JSONValue {
        try run(name, "\(line) -o json").json()
    }

    /// Syncs until both have what the other has, and both are equal.
    func expectEqual() throws {
        for name in ["a", "b", "a", "b"] { try output(name, "sync") }
        for model in ["Post", "Comment"] {
            #expect(try json("a", "list \(model)") == json("b", "list \(model)"))
        }
    }
}
