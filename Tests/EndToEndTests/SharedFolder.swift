import JSON
import Testing

/// Two workspaces, `a` and `b`, that sync with one folder, `remote`.
struct SharedFolder {
    static let schema = """
        enum Status { DRAFT LIVE }
        type Post @model {
          title: String!
          rating: Int
          status: Status
          tags: [String]
          comments: [Comment] @hasMany
        }
        type Comment @model {
          text: String!
          post: Post @belongsTo
        }

        """

    let home: SatchelHome

    init() throws {
        home = try SatchelHome()
        try home.write("schema.graphql", Self.schema)
        for name in ["a", "b"] {
            let made = try home.satchel(
                "init", name, "--schema", "schema.graphql", "--backend", "folder", "--set",
                "path=../remote")
            try #require(made.code == 0, "\(made)")
        }
    }

    /// Runs a command line in a workspace; words are split by the system's shell.
    func run(_ workspace: String, _ line: String) throws -> Ended {
        try home.shell("satchel \(line)", in: workspace)
    }

    /// Runs a command that has to succeed, and gives its output without the last line's end.
    @discardableResult
    func output(_ workspace: String, _ line: String) throws -> String {
        let ended = try run(workspace, line)
        try #require(ended.code == 0, "satchel \(line) in \(workspace): \(ended)")
        return ended.output.hasSuffix("\n") ? String(ended.output.dropLast()) : ended.output
    }

    func json(_ workspace: String, _ line: String) throws -> JSONValue {
        try JSONValue.parse(try output(workspace, "\(line) -o json"))
    }

    /// Lines of the folder's log that applied a mutation.
    func log() throws -> [JSONValue] {
        try home.read("remote/log.ndjson").split(separator: "\n").map {
            try JSONValue.parse(String($0))
        }
    }
}
