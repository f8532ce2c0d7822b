import Glibc
import JSON
import Platform
import Testing

@Suite struct `A schema file that changes over unsent work` {
    let pair: SharedFolder
    let id: String

    init() throws {
        pair = try SharedFolder()
        id = try pair.output("a", "create Post title=one rating:=1 -o id")
        try pair.output("a", "sync")
        try pair.output("a", "update Post \(id) rating=4")
    }

    private func write(_ text: String) throws {
        try pair.home.write("a/schema.graphql", text)
    }

    private func reason() throws -> String {
        try pair.json("a", "queue list").elements?.first?["error"]?["message"]?.text ?? "none"
    }

    @Test func `parks what does not fit, says why, and delivers it once it does`() throws {
        let without = SharedFolder.schema.replacing("  rating: Int\n", with: "")
        try write(without)
        let foretold = try pair.run("a", "schema check schema.graphql")
        #expect(foretold.code == 0)
        #expect(
            foretold.output.contains("1 queued change would be kept and not sent"), "\(foretold)")
        #expect(foretold.output.contains("field rating of Post is no longer"), "\(foretold)")
        let told = try pair.run("a", "queue list -o json")
        #expect(told.errors.contains("1 queued change no longer fits the schema"), "\(told)")
        #expect(try reason().contains("queue retry 2"))
        #expect(try pair.json("a", "get Post \(id)")["rating"] == 1)
        #expect(try pair.run("a", "sync").code == 3)
        #expect(try pair.run("a", "queue retry 2").code != 0)
        try write(SharedFolder.schema)
        #expect(try reason().contains("fits the schema again"))
        try pair.output("a", "queue retry 2")
        #expect(try pair.json("a", "get Post \(id)")["rating"] == 4)
        try pair.output("a", "sync")
        try pair.output("b", "sync")
        #expect(try pair.json("b", "get Post \(id)")["rating"] == 4)
        #expect(try pair.json("a", "queue list") == [])
    }

    @Test func `offers what fits, whatever else does not`() throws {
        try pair.output("a", "create Post title=two")
        try write(SharedFolder.schema.replacing("  rating: Int\n", with: ""))
        let run = try pair.run("a", "queue retry all -o json")
        #expect(run.code == 3, "\(run)")
        #expect(try JSONValue.parse(run.output) == ["retried": 1])
        #expect(run.errors.contains("number 2: field rating of Post is no longer"), "\(run)")
    }

    @Test func `carries work along to a field that was renamed`() throws {
        try write(
            SharedFolder.schema.replacing(
                "rating: Int", with: "stars: Int @renamed(from: \"rating\")"))
        let checked = try pair.run("a", "schema check schema.graphql")
        #expect(checked.errors.contains("Post.rating to stars"), "\(checked)")
        #expect(checked.errors.contains("backend has to know"), "\(checked)")
        #expect(try pair.output("a", "list Post --where 'stars = 4' -o id") == id)
        try pair.output("a", "sync")
        #expect(try pair.json("a", "get Post \(id)")["stars"] == 4)
        #expect(try pair.output("a", "doctor").contains("WRONG") == false)
    }

    @Test func `takes in quarantined records that it describes`() throws {
        let typed = SharedFolder.schema.replacing("rating: Int", with: "rating: String")
        try pair.home.write("b/schema.graphql", typed)
        #expect(try pair.run("b", "sync").code == 3)
        #expect(try pair.json("b", "quarantine list").elements?.count == 1)
        try pair.home.write("b/schema.graphql", SharedFolder.schema)
        try pair.output("b", "sync")
        #expect(try pair.json("b", "quarantine list") == [])
        #expect(try pair.json("b", "get Post \(id)")["rating"] == 1)
    }

    @Test func `ends a watch that still has the old one`() throws {
        let watch = try pair.home.start(
            "/bin/bash", ["-c", "exec satchel watch Post -o ndjson --timeout 600"], in: "a")
        while try !watch.printed.contains("ready"), !watch.isOver {
            _ = Poll.wait(reading: [], milliseconds: 5)
        }
        try write(SharedFolder.schema.replacing("rating: Int", with: "rating: String"))
        try pair.output("a", "update Post \(id) title=two")
        let ended = try watch.wait()
        #expect(ended.code == 8, "\(ended)")
        #expect(ended.errors.contains("changed the schema"), "\(ended)")
    }
}
