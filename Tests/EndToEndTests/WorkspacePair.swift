import JSON
import Testing

/// Two workspaces, `a` and `b`, on one API with the models Post and Comment.
protocol WorkspacePair {
    var home: SatchelHome { get }
}

extension WorkspacePair {
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
