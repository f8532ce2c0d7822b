import JSON
import Outbox
import Records
import Storage
import Testing

@Suite struct `Undo` {
    private func undo(_ desk: Desk, _ group: String) throws -> UndoReport {
        try desk.store.write { () throws(StoreError) in
            try desk.outbox.undo(
                group, inverse: "inverse of \(group)", policies: { _ in desk.manual })
        }
    }

    /// The backend takes everything as it is.
    private func deliver(_ desk: Desk) throws {
        for mutation in try desk.mutations() {
            let model = try desk.model(mutation.model)
            let state = try desk.outbox.state(of: model, mutation.id)
            let record = mutation.applied(to: state.base.record)
            try desk.store.write { () throws(StoreError) in
                try desk.store.removeMutation(mutation.seq)
                try desk.outbox.rebase(
                    model, mutation.id, onto: Base(version: 7, record: record),
                    policies: desk.manual, cause: .ownWrite)
            }
        }
    }

    @Test func `takes a group back that was not sent`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a")])
        try desk.update("Post", "p1", [("title", "b")], group: "one")
        try desk.create("Post", "p2", group: "one")
        let report = try undo(desk, "one")
        #expect(Set(report.undone.map(\.id.text)) == ["p1", "p2"])
        #expect(try desk.queue() == [])
        #expect(try desk.shown("Post", "p1")?["title"] == "a")
    }

    @Test func `queues the inverse of what was sent`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a")])
        try desk.update("Post", "p1", [("title", "b")], group: "one")
        try deliver(desk)
        #expect(try undo(desk, "one").undone.count == 1)
        #expect(try desk.queue() == ["update p1 title"])
        #expect(try desk.shown("Post", "p1")?["title"] == "a")
    }

    @Test func `makes records again that refer to each other, in an order that suits both`() throws
    {
        let desk = try Desk()
        try desk.pulled("Post", "p1")
        try desk.pulled("Comment", "c1", [("postID", "p1"), ("replyToID", "c2")])
        try desk.pulled("Comment", "c2", [("postID", "p1"), ("replyToID", "c1")])
        try desk.delete("Post", "p1", group: "one")
        try deliver(desk)
        #expect(try undo(desk, "one").undone.count == 3)
        #expect(
            try desk.queue() == [
                "create p1", "create c2 (waiting)", "create c1 (waiting)",
                "update c1 replyToID (waiting)",
            ])
        let seqs = try desk.mutations().map(\.seq)
        #expect(try desk.store.dependencies(of: seqs[1]) == [seqs[0], seqs[2]])
        #expect(try desk.store.dependencies(of: seqs[2]) == [seqs[0]])
        #expect(try desk.store.dependencies(of: seqs[3]) == [seqs[1]])
        #expect(try desk.shown("Comment", "c1")?["replyToID"] == "c2")
        #expect(try desk.shown("Comment", "c2")?["replyToID"] == "c1")
    }

    @Test func `leaves a field that somebody changed since, and says so`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a")])
        try desk.update("Post", "p1", [("title", "b")], group: "one")
        try deliver(desk)
        try desk.told("Post", "p1", [("title", "theirs")])
        let report = try undo(desk, "one")
        #expect(report.undone.isEmpty)
        #expect(report.kept.first?.reason == "title changed since")
    }

    @Test func `brings a deleted record back with its children`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a")])
        try desk.pulled("Comment", "c1", [("text", "t"), ("postID", "p1")])
        try desk.delete("Post", "p1", group: "one")
        try deliver(desk)
        #expect(try undo(desk, "one").undone.count == 2)
        #expect(try desk.queue() == ["create p1", "create c1 (waiting)"])
        #expect(try desk.shown("Comment", "c1")?["text"] == "t")
    }

    @Test func `takes a replacement back as one`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a"), ("body", "x")])
        try desk.update("Post", "p1", [("title", "b")], group: "one")
        try desk.delete("Post", "p1", group: "one")
        try desk.create("Post", "p1", [("title", "c")], group: "one")
        #expect(try undo(desk, "one").kept.isEmpty)
        #expect(try desk.shown("Post", "p1")?["title"] == "a")
        #expect(try desk.shown("Post", "p1")?["body"] == "x")
    }

    @Test func `leaves a record that was deleted and made again, once somebody changed it`() throws
    {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a"), ("body", "x")])
        try desk.delete("Post", "p1", group: "one")
        try desk.create("Post", "p1", [("title", "c")], group: "two")
        try deliver(desk)
        try desk.told("Post", "p1", [("title", "theirs"), ("body", "theirs")])
        let report = try undo(desk, "two")
        #expect(report.kept.first?.reason.contains("title changed since") == true)
        #expect(try desk.shown("Post", "p1")?["title"] == "theirs")
    }

    @Test(arguments: [true, false])
    func `takes back an edit, then the create that it went with`(_ isSent: Bool) throws {
        let desk = try Desk()
        try desk.create("Post", "p1", [("title", "a")], group: "one")
        try desk.update("Post", "p1", [("title", "b")], group: "two")
        if isSent { try deliver(desk) }
        #expect(try undo(desk, "two").kept.isEmpty)
        #expect(try desk.shown("Post", "p1")?["title"] == "a")
        #expect(try undo(desk, "one").kept.isEmpty)
        #expect(try desk.shown("Post", "p1") == nil)
    }

    @Test func `takes back create, edit and deletion of what was never sent, one by one`() throws {
        let desk = try Desk()
        try desk.create("Post", "p1", [("title", "a")], group: "one")
        try desk.update("Post", "p1", [("title", "b")], group: "two")
        try desk.delete("Post", "p1", group: "three")
        for (group, title) in [("three", "b"), ("two", "a")] {
            #expect(try undo(desk, group).kept.isEmpty)
            #expect(try desk.shown("Post", "p1")?["title"] == .string(title))
        }
        #expect(try undo(desk, "one").kept.isEmpty)
        #expect(try desk.shown("Post", "p1") == nil)
        #expect(try desk.queue() == [])
    }

    @Test func `takes back what made a deleted record again, and then its deletion`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a"), ("body", "x")])
        try desk.delete("Post", "p1", group: "one")
        try desk.create("Post", "p1", [("title", "c")], group: "two")
        #expect(try undo(desk, "two").kept.isEmpty)
        #expect(try desk.shown("Post", "p1") == nil)
        #expect(try undo(desk, "one").kept.isEmpty)
        #expect(try desk.shown("Post", "p1")?["body"] == "x")
    }

    @Test func `drops what was refused, with a note`() throws {
        let desk = try Desk()
        try desk.create("Post", "p1", group: "one")
        try desk.mark(1, .rejected, kind: "rule")
        #expect(try undo(desk, "one").dropped.map(\.seq) == [1])
        #expect(try desk.queue() == [])
    }
}
