import JSON
import Testing

@Suite struct `A refused change` {
    @Test func `is offered again by an edit that delivers, also with the values it has`() throws {
        let pair = try SharedFolder()
        try pair.output("a", "sync")
        try pair.home.write("remote/rules.json", #"{"Post":{"title":{"max_length":5}}}"#)
        try pair.output("a", "create Post title=toolong")
        #expect(try pair.run("a", "sync").code == 3)
        let seq = try #require(try pair.json("a", "queue").elements?.first?["seq"]?.integer)
        let still = try pair.run("a", "queue edit \(seq) title=stilltoolong --deliver")
        #expect(still.code == 3, "\(still)")
        let queue = try pair.json("a", "queue").elements
        let next = try #require(queue?.first?["seq"]?.integer)
        #expect(queue?.first?["state"] == "rejected")
        try pair.home.write("remote/rules.json", #"{"Post":{"title":{"max_length":12}}}"#)
        let same = try pair.run("a", "queue edit \(next) title=stilltoolong --deliver")
        #expect(same.code == 0, "\(same)")
        #expect(try pair.json("a", "queue") == [])
    }

    @Test func `is repaired and delivered where the backend takes it`() throws {
        let pair = try SharedFolder()
        try pair.output("a", "sync")
        try pair.home.write("remote/rules.json", #"{"Post":{"title":{"max_length":5}}}"#)
        let id = try pair.output("a", "create Post title=toolong")
        #expect(try pair.run("a", "sync").code == 3)
        let next = try #require(try pair.json("a", "queue").elements?.first?["seq"]?.integer)
        let done = try pair.run("a", "queue edit \(next) title=short --deliver")
        #expect(done.code == 0, "\(done)")
        #expect(try pair.json("a", "queue") == [])
        try pair.output("b", "sync")
        #expect(try pair.json("b", "get Post \(id)")["title"] == "short")
    }

    @Test func `is passed over by undo, which says what it takes back`() throws {
        let pair = try SharedFolder()
        let id = try pair.output("a", "create Post title=one")
        let seq = try #require(try pair.json("a", "queue").elements?.first?["seq"]?.integer)
        try pair.output("a", "queue edit \(seq) title=two")
        let undone = try pair.run("a", "undo")
        #expect(undone.code == 0, "\(undone)")
        #expect(undone.errors.contains("took back what was done"), "\(undone)")
        #expect(undone.errors.contains("to Post \(id)"), "\(undone)")
        #expect(try pair.json("a", "count Post")["count"] == 0)
    }
}
