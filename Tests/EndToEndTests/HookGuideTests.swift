import JSON
import Platform
import Testing

@Suite struct `The examples of docs/hooks.md` {
    /// The first block of a language in a document.
    private func block(_ language: String, of document: String) throws -> String {
        let root = Path.parent(Path.parent(Path.parent(#filePath)))
        let text = String(
            decoding: try Files.read(Path.join(root, "docs/\(document)")), as: UTF8.self)
        let start = try #require(text.firstRange(of: "```\(language)\n")).upperBound
        let end = try #require(text[start...].firstRange(of: "```")).lowerBound
        return String(text[start..<end])
    }

    @Test func `do what they say`() throws {
        let space = try HookedWorkspace()
        try space.hook("before_create", try block("sh", of: "hooks.md"))
        let refused = try space.run("create Post title=TODO")
        #expect(refused.code == 1 && refused.errors.contains("say what it is about"), "\(refused)")
        try space.output("create Post title=fine id=p1")
        try space.hook("before_update", try block("python", of: "hooks.md"))
        try space.output("update Post p1 title='  so it is '")
        #expect(try space.pair.json("a", "get Post p1")["title"] == "So it is")
    }

    @Test func `merge as docs/sync.md says`() throws {
        let space = try HookedWorkspace()
        try space.output("create Post id=p1 title=one")
        for workspace in ["a", "b"] { try space.pair.output(workspace, "sync") }
        try space.pair.home.write("a/merge", try block("python", of: "sync.md"), mode: 0o755)
        let set = try space.pair.home.satchel(
            "config", "set", "models.Post.fields.title.conflict", "{\"command\":\"./merge\"}",
            in: "a")
        try #require(set.code == 0, "\(set)")
        try space.pair.output("b", "update Post p1 title=longer")
        try space.pair.output("b", "sync")
        try space.output("update Post p1 title=short")
        #expect(try space.run("sync").code == 0)
        #expect(try space.pair.json("a", "get Post p1")["title"] == "longer")
    }
}
