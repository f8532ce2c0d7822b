import JSON
import Outbox
import Records
import Storage
import Testing

@Suite struct `Writing` {
    @Test func `shows a create at once and queues it`() throws {
        let desk = try Desk()
        #expect(try desk.create("Post", "p1", [("title", "a")]) == .written)
        #expect(try desk.shown("Post", "p1")?["title"] == "a")
        #expect(try desk.queue() == ["create p1"])
        #expect(try desk.create("Post", "p1") == .exists)
    }

    @Test func `queues only the changed fields, with what they were`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a"), ("body", "b")])
        #expect(try desk.update("Post", "p1", [("title", "c"), ("body", "b")]) == .written)
        let mutation = try #require(try desk.mutations().first)
        #expect(mutation.set == JSONObject([("title", "c")]))
        #expect(mutation.was == JSONObject([("title", "a")]))
        #expect(mutation.baseVersion == 1)
        #expect(try desk.update("Post", "p1", [("title", "c")]) == .unchanged)
        #expect(try desk.update("Post", "p9", [("title", "c")]) == .notFound)
    }

    @Test func `takes an edit back that was never sent`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a")])
        try desk.update("Post", "p1", [("title", "b")])
        try desk.update("Post", "p1", [("title", "a")])
        #expect(try desk.queue() == [])
        #expect(try desk.outbox.state(of: desk.model("Post"), RecordID("p1")).base.version == 1)
    }

    @Test func `sends nothing for what was made and deleted before`() throws {
        let desk = try Desk()
        try desk.create("Post", "p1")
        try desk.delete("Post", "p1")
        #expect(try desk.queue() == [])
        #expect(try desk.shown("Post", "p1") == nil)
    }

    @Test func `sends no reference to what was made and deleted before`() throws {
        let desk = try Desk()
        try desk.create("Post", "p1")
        try desk.create("Comment", "c1", [("postID", "p1")])
        try desk.create("Post", "p2")
        try desk.update("Comment", "c1", [("postID", "p2")])
        try desk.delete("Post", "p1")
        #expect(try desk.queue() == ["create c1", "create p2", "update c1 postID (waiting)"])
        let mutations = try desk.mutations()
        #expect(mutations[0].set["postID"] == .null)
        #expect(mutations[2].was["postID"] == .null)
        #expect(try desk.shown("Comment", "c1")?["postID"] == "p2")
    }

    @Test func `sends nothing where a later edit could not be part of the create`() throws {
        let desk = try Desk()
        try desk.create("Post", "p1")
        try desk.create("Comment", "c1", [("postID", "p1")])
        try desk.create("Comment", "c2", [("postID", "p1")])
        try desk.update("Comment", "c1", [("replyToID", "c2")])
        try desk.delete("Comment", "c1")
        #expect(try desk.queue() == ["create p1", "create c2 (waiting)"])
        #expect(try desk.store.dependents(on: 1) == [3])
        #expect(try desk.shown("Comment", "c1") == nil)
    }

    @Test func `sends a delete that waits for nothing that its edits waited for`() throws {
        let desk = try Desk()
        try desk.pulled("Comment", "c1", [("text", "a")])
        try desk.create("Comment", "c2")
        try desk.update("Comment", "c1", [("text", "b"), ("replyToID", "c2")])
        try desk.delete("Comment", "c1")
        #expect(try desk.queue() == ["create c2", "delete c1"])
        let delete = try #require(try desk.mutations().last)
        #expect(delete.was["text"] == "a")
        #expect(delete.was["id"] == "c1")
    }

    @Test func `sends one create for what was made and edited before`() throws {
        let desk = try Desk()
        try desk.create("Post", "p1", [("title", "a")])
        try desk.update("Post", "p1", [("title", "b")])
        try desk.update("Post", "p1", [("body", "x")])
        #expect(try desk.queue() == ["create p1"])
        #expect(try desk.mutations().first?.set["title"] == "b")
        #expect(try desk.mutations().first?.set["body"] == "x")
    }

    @Test func `never folds a delete and a create into nothing`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a"), ("body", "b")])
        try desk.delete("Post", "p1")
        try desk.create("Post", "p1", [("title", "c")])
        #expect(try desk.queue() == ["replace p1"])
        let mutation = try #require(try desk.mutations().first)
        #expect(mutation.set["body"] == .null)
        #expect(mutation.was["body"] == "b")
    }

    @Test(arguments: [Mutation.State.sending, .unknown])
    func `leaves alone what is on its way`(_ state: Mutation.State) throws {
        let desk = try Desk()
        try desk.create("Post", "p1", [("title", "a")])
        try desk.mark(1, state)
        try desk.update("Post", "p1", [("title", "b")])
        #expect(try desk.queue() == ["create p1 (\(state))", "update p1 title"])
        #expect(try desk.shown("Post", "p1")?["title"] == "b")
    }
}

@Suite struct `What refers to what` {
    @Test func `sends a parent before its child, whichever was typed first`() throws {
        let desk = try Desk()
        try desk.create("Comment", "c1", [("postID", "p1")])
        #expect(try desk.queue() == ["create c1"])
        try desk.create("Post", "p1")
        #expect(try desk.queue() == ["create c1 (waiting)", "create p1"])
        #expect(try desk.store.dependencies(of: 1) == [2])
        try desk.create("Note", "n1", [("postID", "p1")])
        #expect(try desk.store.dependencies(of: 3) == [2])
    }

    @Test func `keeps a create from carrying a reference that needs it in turn`() throws {
        let desk = try Desk()
        try desk.create("Comment", "c1")
        try desk.create("Comment", "c2", [("replyToID", "c1")])
        try desk.update("Comment", "c1", [("replyToID", "c2")])
        #expect(
            try desk.queue() == [
                "create c1", "create c2 (waiting)", "update c1 replyToID (waiting)",
            ])
    }

    @Test func `makes no circle where the later record was typed first`() throws {
        let desk = try Desk()
        try desk.create("Comment", "c1", [("replyToID", "c2")])
        try desk.create("Comment", "c2")
        try desk.update("Comment", "c2", [("replyToID", "c1")])
        #expect(
            try desk.queue() == [
                "create c1 (waiting)", "create c2", "update c2 replyToID (waiting)",
            ])
        #expect(try desk.store.dependencies(of: 2) == [])
    }

    @Test func `sends what is made anew before what refers to it, in view or not`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1")
        try desk.pulled("Comment", "c1", [("text", "a")])
        try desk.create("Comment", "c2", [("replyToID", "c1")])
        try desk.create("Comment", "c3")
        try desk.update("Comment", "c2", [("replyToID", "c3")])
        try desk.update("Comment", "c1", [("text", "b")])
        // It is gone there, and to be kept.
        try desk.told("Comment", "c1", nil)
        let model = try desk.model("Comment")
        _ = try desk.store.write { () throws(StoreError) in
            try desk.outbox.resolve(
                model, RecordID("c1"), as: .local, policies: desk.manual, group: "r")
        }
        #expect(
            try desk.queue() == [
                "create c2 (waiting)", "create c3", "update c2 replyToID (waiting)", "create c1",
            ])
        #expect(try desk.store.dependencies(of: 1) == [4])
    }

    @Test func `hides what was pulled under the id of a record that is deleted here`() throws {
        let desk = try Desk()
        try desk.create("Comment", "mine", [("text", "a")])
        try desk.mark(1, .unknown)
        try desk.pulled("Comment", "theirs", [("text", "a")])
        try desk.delete("Comment", "mine")
        let model = try desk.model("Comment")
        try desk.store.write { () throws(StoreError) in
            try desk.outbox.reassign(model, RecordID("mine"), to: RecordID("theirs"))
        }
        #expect(try desk.queue() == ["create theirs (unknown)", "delete theirs"])
        #expect(try desk.shown("Comment", "theirs") == nil)
    }

    @Test func `deletes children before their parent`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1")
        try desk.pulled("Comment", "c1", [("postID", "p1")])
        try desk.create("Comment", "c2", [("postID", "p1")])
        try desk.pulled("Note", "n1", [("postID", "p1")])
        let plan = try desk.delete("Post", "p1")
        #expect(plan.entries.map(\.key.id.text) == ["c1", "c2", "n1", "p1"])
        #expect(plan.cascaded == 3)
        #expect(try desk.queue() == ["delete c1", "delete n1", "delete p1 (waiting)"])
        #expect(try desk.store.dependencies(of: 4) == [2, 3])
    }
}
