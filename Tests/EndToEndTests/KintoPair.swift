import JSON
import Testing

/// Two workspaces, `a` and `b`, that sync with one bucket of a Kinto server.
struct KintoPair {
    let server: KintoServer
    var home: SatchelHome { server.home }

    init() throws {
        let home = try SatchelHome()
        server = try KintoServer(home)
        try home.write("schema.graphql", SharedFolder.schema)
        for name in ["a", "b"] {
            let made = try home.satchel(
                "init", name, "--schema", "schema.graphql", "--backend", "kinto", "--set",
                "url=\(server.url)", "--set", "bucket=app", "--set", "user=ann",
                with: Self.variables)
            try #require(made.code == 0, "\(made)")
            try login(name)
        }
    }

    static let variables: [String: String?] = ["SATCHEL_PLUGIN_PATH": KintoServer.plugins]

    func login(_ workspace: String, _ password: String = KintoServer.password) throws {
        let login = try home.satchel(
            "auth", "login", in: workspace, input: password + "\n", with: Self.variables)
        try #require(login.code == 0, "\(login)")
    }

    /// Runs a command line in a workspace; words are split by the system's shell.
    func run(_ workspace: String, _ line: String) throws -> Ended {
        try home.shell("satchel \(line)", in: workspace, with: Self.variables)
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

    /// Starts `satchel sync` and leaves it running.
    func startSync(_ workspace: String) throws -> RunningProgram {
        try home.start(
            "/bin/bash", ["-c", "exec satchel sync"], in: workspace, with: Self.variables)
    }

    func titles(_ workspace: String) throws -> [String] {
        let posts = try json(workspace, "list Post limit 1000").elements ?? []
        return posts.compactMap { $0["title"]?.text }.sorted()
    }

    /// The titles of the server's records.
    func remoteTitles() throws -> [String] {
        let answer = try server.ask("GET", "/buckets/app/collections/Post/records")
        let records = answer["body"]?["data"]?.elements ?? []
        return records.compactMap { $0["title"]?.text }.sorted()
    }

    /// Both sync until nothing more comes, and hold the same.
    func expectEqual() throws {
        for workspace in ["a", "b", "a", "b"] { try output(workspace, "sync") }
        #expect(try output("a", "export") == (try output("b", "export")))
        for workspace in ["a", "b"] { #expect(try json(workspace, "status")["queued"] == 0) }
    }
}
