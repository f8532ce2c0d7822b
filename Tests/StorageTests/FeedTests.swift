import JSON
import Records
import Storage
import Testing

@Suite struct `The change feed` {
    let store: Store

    init() throws { store = try Store(inMemory: .blog) }

    @discardableResult
    func note(
        _ id: String, _ kind: ChangeKind, _ origin: ChangeOrigin = .local, group: String? = nil,
        at: Int64 = 1, fields: [String] = []
    ) throws -> Int64 {
        try store.appendChange(
            Change(
                model: "Post", id: RecordID(id), kind: kind, origin: origin, group: group, at: at,
                fields: fields, version: "v"))
    }

    @Test func `gives lines back in order, or from its end`() throws {
        let first = try note("p1", .insert, group: "g")
        let second = try note("p2", .update, .remote, fields: ["title", "odd, \"name\""])
        let third = try note("p1", .synced, .push)
        #expect(try store.changes(after: 0).map(\.seq) == [first, second, third])
        #expect(try store.changes(after: first, limit: 1).map(\.seq) == [second])
        #expect(try store.changes(after: 0, id: RecordID("p1")).map(\.seq) == [first, third])
        #expect(try store.changes(after: 0, model: "Author").isEmpty)
        #expect(try store.recentChanges(limit: 2).map(\.seq) == [third, second])
        #expect(try store.changes(after: first)[0].fields == ["title", "odd, \"name\""])
        #expect(try store.changes(after: 0)[0].fields == Model.post.fields.map(\.name))
        #expect(try store.lastChangeSeq() == third && store.firstChangeSeq() == first)
        #expect(try store.recordsPushed(since: 0, model: "Post") == [RecordID("p1")])
        #expect(try store.recordsPushed(since: third, model: "Post").isEmpty)
    }

    @Test func `is pruned by age and by size, never to nothing`() throws {
        for index in 1...10 { try note("p\(index)", .update, at: Int64(index)) }
        #expect(try store.pruneChanges(FeedBounds(oldest: 3, count: 100)) == 2)
        #expect(try store.pruneChanges(FeedBounds(oldest: 0, count: 2, young: 5)) == 2)
        #expect(try store.pruneChanges(FeedBounds(oldest: 100, count: 0, sparing: 5)) == 1)
        #expect(try store.pruneChanges(FeedBounds(oldest: 0, count: 1), limit: 2) == 2)
        #expect(try store.pruneChanges(FeedBounds(oldest: 100, count: 0)) == 2)
        #expect(try store.changes(after: 0).map(\.seq) == [10])
        #expect(try note("p", .update) == 11)
    }

    @Test func `knows what groups did, and what is undone`() throws {
        let key = RecordKey("Post", RecordID("p1"))
        let set = JSONObject([("title", "a")])
        let create = Mutation(
            key: "k", group: "g1", model: "Post", id: key.id, kind: .create, set: set)
        let seq = try store.appendMutation(create)
        try note("p1", .insert, group: "g1", at: 10)
        #expect(
            try store.journal(of: "g1") == [JournalEntry(key: key, before: nil, after: set)])
        try store.removeMutation(seq)
        #expect(
            try store.journal(of: "g1") == [JournalEntry(key: key, before: nil, after: set)])

        let after = JSONObject([("title", "b")])
        try store.journal(group: "g2", key: key, before: set, after: after)
        try note("p1", .update, group: "g2", at: 20, fields: ["title"])
        try note("p2", .insert, group: "g2", at: 20)
        try store.journal(group: "g2", key: key, before: after, after: nil)
        try note("p1", .delete, group: "g2", at: 20)
        try note("p1", .insert, .remote, group: "not ours")
        #expect(try store.journal(of: "g2").map(\.before) == [set, nil, after])
        #expect(try store.journal(of: "g2").map(\.key.id.text) == ["p1", "p2", "p1"])

        let groups = [
            UndoGroup(group: "g2", at: 20), UndoGroup(group: "g1", at: 10),
        ]
        #expect(try store.undoableGroups(limit: 9) == groups)
        #expect(try store.undoableGroups(limit: 1) == [groups[0]])
        try store.markUndone("g2")
        try store.markUndone("g2")
        #expect(try store.undoableGroups(limit: 9) == [groups[1]])
    }

    @Test func `forgets a group whole when its lines go`() throws {
        let key = RecordKey("Post", RecordID("p1"))
        for group in ["g1", "g2"] {
            for _ in 1...2 {
                try store.journal(group: group, key: key, before: JSONObject(), after: nil)
                try note("p1", .delete, group: group)
            }
        }
        try store.pruneChanges(FeedBounds(oldest: 0, count: 1))
        #expect(try store.journal(of: "g1").isEmpty)
        #expect(try store.undoableGroups(limit: 9).isEmpty)
    }
}
