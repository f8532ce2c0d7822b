import JSON
import Outbox
import Records
import Storage
import Testing

@Suite struct `A record that both sides changed` {
    private func resolve(_ desk: Desk, _ name: String, _ id: String, _ resolution: Resolution)
        throws -> RepairOutcome
    {
        let model = try desk.model(name)
        return try desk.store.write { () throws(StoreError) in
            try desk.outbox.resolve(
                model, RecordID(id), as: resolution, policies: desk.manual, group: "r")
        }
    }

    private func disputed() throws -> Desk {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a"), ("body", "x")])
        try desk.update("Post", "p1", [("title", "mine"), ("body", "y")])
        try desk.told("Post", "p1", [("title", "theirs"), ("body", "x")])
        return desk
    }

    @Test func `waits for a person with base, local and remote side by side`() throws {
        let desk = try disputed()
        let conflicts = try desk.outbox.conflicts()
        let conflict = try #require(conflicts.first)
        #expect(conflicts.count == 1)
        #expect(conflict.kind == .field)
        #expect(
            conflict.fields == [
                FieldConflict(field: "title", base: "a", local: "mine", remote: "theirs")
            ])
        #expect(try desk.shown("Post", "p1")?["title"] == "mine")
    }

    @Test(arguments: [false, true])
    func `is disputed where a shorter record took the place of what others edited`(
        _ isDeleteRefused: Bool
    ) throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a"), ("body", "x")])
        try desk.delete("Post", "p1")
        if isDeleteRefused { try desk.mark(1, .unknown) }
        try desk.create("Post", "p1", [("title", "new")], isWhole: false)
        if isDeleteRefused { try desk.mark(1, .conflict, kind: "delete-edit") }
        try desk.told("Post", "p1", [("title", "a"), ("body", "theirs")])
        let conflict = try #require(try desk.outbox.conflicts().first)
        #expect(
            conflict.fields == [
                FieldConflict(field: "body", base: "x", local: nil, remote: "theirs")
            ])
        #expect(try desk.shown("Post", "p1")?["title"] == "new")
        #expect(try resolve(desk, "Post", "p1", .remote) == .done)
        #expect(try desk.shown("Post", "p1")?["body"] == "theirs")
    }

    @Test func `gives way to a shorter record where nobody else edited it`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a"), ("body", "x")])
        try desk.delete("Post", "p1")
        try desk.create("Post", "p1", [("title", "new")], isWhole: false)
        try desk.told("Post", "p1", [("title", "a"), ("body", "x")])
        #expect(try desk.outbox.conflicts().isEmpty)
        #expect(try desk.mutations().first?.set["body"] == JSONValue.null)
        #expect(try desk.shown("Post", "p1")?["body"] == JSONValue.null)
    }

    @Test func `takes either side, or values`() throws {
        for (resolution, title, body, queue) in [
            (Resolution.local, "mine", "y", ["update p1 body title"]),
            (.remote, "theirs", "y", ["update p1 body"]),
            (.values(JSONObject([("title", "both")])), "both", "y", ["update p1 body title"]),
        ] {
            let desk = try disputed()
            #expect(try resolve(desk, "Post", "p1", resolution) == .done)
            #expect(try desk.shown("Post", "p1")?["title"] == .string(title))
            #expect(try desk.shown("Post", "p1")?["body"] == .string(body))
            #expect(try desk.queue() == queue)
            #expect(try desk.mutations().first?.baseVersion == 2)
            #expect(try desk.outbox.conflicts().isEmpty)
        }
    }

    @Test func `make a record anew with the present ids of what it refers to`() throws {
        let desk = try Desk()
        try desk.create("Post", "mine", [("title", "a")])
        try desk.pulled("Comment", "c1", [("text", "t"), ("postID", "mine")])
        try desk.update("Comment", "c1", [("text", "mine")])
        try desk.told("Comment", "c1", nil)
        let model = try desk.model("Post")
        try desk.store.write { () throws(StoreError) in
            try desk.outbox.reassign(model, RecordID("mine"), to: RecordID("theirs"))
        }
        #expect(try resolve(desk, "Comment", "c1", .local) == .done)
        let create = try #require(try desk.mutations().first { $0.model == "Comment" })
        #expect(create.kind == .create && create.set["postID"] == "theirs")
        #expect(try desk.shown("Comment", "c1")?["postID"] == "theirs")
    }

    @Test func `stays in view as it was left when the other side deleted it`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a"), ("body", "x")])
        try desk.update("Post", "p1", [("title", "mine")])
        try desk.told("Post", "p1", nil)
        #expect(try desk.outbox.conflicts().first?.kind == .editDelete)
        #expect(try desk.shown("Post", "p1")?["title"] == "mine")

        #expect(try resolve(desk, "Post", "p1", .local) == .done)
        #expect(try desk.queue() == ["create p1"])
        // The record is made anew, whole.
        #expect(try desk.mutations().first?.set["body"] == "x")
    }

    @Test func `lets later edits go with a record that is let go`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a")])
        try desk.update("Post", "p1", [("title", "mine")])
        try desk.told("Post", "p1", nil)
        try desk.update("Post", "p1", [("body", "more")])
        #expect(try resolve(desk, "Post", "p1", .remote) == .done)
        #expect(try desk.queue() == [])
        #expect(try desk.shown("Post", "p1") == nil)
    }

    @Test func `comes back in view when it was deleted here and edited there`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a")])
        try desk.delete("Post", "p1")
        try desk.told("Post", "p1", [("title", "theirs")])
        #expect(try desk.outbox.conflicts().first?.kind == .deleteEdit)
        #expect(try desk.shown("Post", "p1")?["title"] == "theirs")
        guard case .refused = try resolve(desk, "Post", "p1", .values(JSONObject())) else {
            Issue.record("values were taken for a deleted record")
            return
        }
        #expect(try resolve(desk, "Post", "p1", .local) == .done)
        #expect(try desk.shown("Post", "p1") == nil)
        #expect(try desk.queue() == ["delete p1"])
    }

    @Test func `is whole when it was replaced here too, whichever sides are taken`() throws {
        for later in [Resolution.remote, .local] {
            let desk = try Desk()
            try desk.pulled("Post", "p1", [("title", "a"), ("body", "x")])
            try desk.update("Post", "p1", [("title", "mine")])
            try desk.told("Post", "p1", [("title", "theirs"), ("body", "x")])
            try desk.update("Post", "p1", [("rating", 1)])
            try desk.delete("Post", "p1")
            try desk.create("Post", "p1", [("title", "new"), ("body", "x"), ("rating", 1)])
            try desk.told("Post", "p1", nil)
            #expect(try resolve(desk, "Post", "p1", .local) == .done)
            while let conflict = try desk.outbox.conflicts().first {
                // It stands on what is to be made there first, not on nothing.
                #expect(!conflict.fields.isEmpty)
                #expect(!conflict.fields.map(\.field).contains("id"))
                #expect(try resolve(desk, "Post", "p1", later) == .done)
            }
            #expect(try desk.shown("Post", "p1")?["id"] == "p1")
            #expect(try desk.shown("Post", "p1")?["body"] == "x")
            for mutation in try desk.mutations() where mutation.kind != .update {
                #expect(mutation.set["id"] == "p1")
            }
        }
    }

    @Test func `goes before its children when it is made anew`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a")])
        try desk.update("Post", "p1", [("title", "mine")])
        try desk.told("Post", "p1", nil)
        try desk.create("Comment", "c1", [("postID", "p1")])
        #expect(try resolve(desk, "Post", "p1", .local) == .done)
        #expect(try desk.queue() == ["create p1", "create c1 (waiting)"])
    }

    @Test func `needs nobody where the other side did the same`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a")])
        try desk.update("Post", "p1", [("title", "b")])
        try desk.told("Post", "p1", [("title", "b")])
        #expect(try desk.queue() == [])
    }

    @Test func `is replaced whole, or not at all`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a"), ("body", "x"), ("rating", 1)])
        try desk.delete("Post", "p1")
        try desk.create("Post", "p1", [("title", "new"), ("body", "x"), ("rating", 1)])
        try desk.told("Post", "p1", [("title", "a"), ("body", "x"), ("rating", 2)])
        let mutation = try #require(try desk.mutations().first)
        #expect(mutation.kind == .replace)
        #expect(
            try mutation.set
                == desk.record(
                    "Post", [("id", "p1"), ("title", "new"), ("body", "x"), ("rating", 2)]))
    }

    @Test func `is replaced where its refused delete is followed by a create`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a")])
        try desk.delete("Post", "p1")
        try desk.mark(1, .sending)
        try desk.create("Post", "p1", [("title", "new")])
        #expect(try desk.queue() == ["delete p1 (sending)", "create p1"])
        try desk.mark(1, .queued)
        try desk.told("Post", "p1", [("title", "a"), ("rating", 5)])
        #expect(try desk.queue() == ["replace p1"])
        #expect(try desk.mutations().first?.set["rating"] == 5)
    }
}
