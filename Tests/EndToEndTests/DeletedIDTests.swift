import JSON
import Platform
import ServerHarness
import Testing

@Suite(.serialized, .timeLimit(.minutes(15))) struct `An id whose record was deleted once` {
    @Test func `is given back by undo, by a new record, and by a conflict that is resolved so`()
        throws
    {
        let pair = try GraphQLPair("--conflict-detection", "on")
        for id in ["u1", "u2", "u3"] { try pair.output("a", "create Post id=\(id) title=one") }
        try pair.expectEqual()
        try pair.output("a", "delete Post u1 --yes")
        try pair.output("a", "sync")
        try pair.output("a", "undo")
        try pair.output("a", "sync")
        try pair.output("a", "delete Post u2 --yes")
        try pair.output("a", "create Post id=u2 title=again")
        try pair.expectEqual()
        #expect(try pair.json("b", "get Post u1")["title"] == "one")
        #expect(try pair.json("b", "get Post u2")["title"] == "again")
        try pair.output("b", "update Post u3 title=mine")
        try pair.output("a", "delete Post u3 --yes")
        try pair.output("a", "sync")
        let met = try pair.run("b", "sync")
        #expect(met.code == 5, "\(met)")
        try pair.output("b", "conflicts resolve Post u3 --local")
        try pair.expectEqual()
        #expect(try pair.json("a", "get Post u3")["title"] == "mine")
    }

    @Test func `is refused with what to do where the API keeps it`() throws {
        let pair = try GraphQLPair("--conflict-detection", "on")
        try pair.output("a", "create Post id=u1 title=one")
        try pair.output("a", "sync")
        try pair.output("a", "delete Post u1 --yes")
        try pair.output("a", "sync")
        try pair.server.fault("conflict", ["operation": "updatePost", "count": 5])
        try pair.output("a", "create Post id=u1 title=two")
        let run = try pair.run("a", "sync")
        #expect(run.code == 3, "\(run)")
        #expect(run.errors.contains("another id"), "\(run)")
    }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `A model whose query fails within the API` {
    @Test func `lets the others be pulled, and says why it is not`() throws {
        let pair = try GraphQLPair("--conflict-detection", "on")
        let id = try pair.output("a", "create Post title=one -o id")
        try pair.output("a", "create Comment content=hi post=\(id)")
        try pair.output("a", "sync")
        try pair.server.fault("internal", ["operation": "syncPosts", "count": 3])
        let run = try pair.run("b", "sync")
        #expect(run.code == 3, "\(run)")
        #expect(run.errors.contains("internal failure"), "\(run)")
        #expect(try pair.json("b", "count Comment")["count"] == 1)
        try pair.output("b", "sync")
        #expect(try pair.json("b", "get Post \(id)")["title"] == "one")
    }
}
