import JSON
import Outbox
import Records
import Storage
import Testing

/// What refers to a record goes before its delete, by however many commands they were typed.
@Suite struct `The order of deletes` {
    private func desk() throws -> Desk {
        let desk = try Desk()
        try desk.pulled("Post", "p1")
        try desk.pulled("Post", "p2")
        try desk.pulled("Comment", "c1", [("postID", "p1")])
        return desk
    }

    private func deliver(_ seq: Int64, _ desk: Desk) throws {
        try desk.store.write { () throws(StoreError) in
            try desk.store.releaseDependents(of: seq)
            try desk.store.removeMutation(seq)
        }
    }

    @Test func `a parent's delete waits for the child's, typed before or after it`() throws {
        let (first, second) = (try desk(), try desk())
        try first.delete("Comment", "c1")
        try first.delete("Post", "p1")
        #expect(try first.queue() == ["delete c1", "delete p1 (waiting)"])
        try second.deleteAlone("Post", "p1")
        try second.delete("Comment", "c1")
        #expect(try second.queue() == ["delete p1 (waiting)", "delete c1"])
        try deliver(2, second)
        #expect(try second.queue() == ["delete p1"])
    }

    @Test(arguments: [JSONValue.null, "p2"])
    func `a delete waits for the edit that ends a reference`(_ other: JSONValue) throws {
        let desk = try desk()
        try desk.update("Comment", "c1", [("postID", other), ("text", "kept")])
        try desk.delete("Post", "p1")
        #expect(try desk.queue() == ["update c1 postID text", "delete p1 (waiting)"])
        try deliver(1, desk)
        #expect(try desk.queue() == ["delete p1"])
    }

    @Test func `a delete waits for nothing that leaves no reference behind`() throws {
        let desk = try desk()
        try desk.update("Comment", "c1", [("postID", "p2")])
        try deliver(1, desk)
        try desk.update("Comment", "c1", [("text", "edited")])
        try desk.create("Comment", "c2", [("postID", "p1")])
        try desk.delete("Comment", "c2")
        try desk.delete("Post", "p1")
        #expect(try desk.queue() == ["update c1 text", "delete p1"])
    }

    @Test func `a delete waits for no edit that was refused, though that is edited`() throws {
        let desk = try desk()
        try desk.update("Comment", "c1", [("postID", "p2")])
        try desk.mark(1, .rejected)
        try desk.deleteAlone("Post", "p1")
        #expect(try desk.queue() == ["update c1 postID (rejected)", "delete p1"])
        _ = try desk.store.write { () throws(StoreError) in
            try desk.outbox.edit(1, set: JSONObject([("text", "x")]), group: "g")
        }
        #expect(try desk.queue() == ["update c1 postID text (rejected)", "delete p1"])
        _ = try desk.store.write { () throws(StoreError) in
            try desk.outbox.retry(1, policies: MergePolicies(), group: "g")
        }
        #expect(try desk.queue() == ["update c1 postID text", "delete p1 (waiting)"])
    }

    @Test(arguments: [nil, [("postID", JSONValue.string("p2"))], [("postID", .null)]])
    func `a delete goes once the backend's record refers to another one anyway`(
        _ there: [(String, JSONValue)]?
    ) throws {
        let desk = try desk()
        try desk.update("Comment", "c1", [("postID", .null)])
        try desk.delete("Post", "p1")
        #expect(try desk.queue().last == "delete p1 (waiting)")
        try desk.told("Comment", "c1", there)
        #expect(try desk.queue().last == "delete p1")
    }

    @Test func `an edit and the delete that it became end the first reference`() throws {
        let desk = try desk()
        try desk.update("Comment", "c1", [("postID", "p2")])
        try desk.delete("Comment", "c1")
        try desk.delete("Post", "p2")
        try desk.delete("Post", "p1")
        #expect(try desk.queue() == ["delete c1", "delete p2", "delete p1 (waiting)"])
    }

    @Test func `a delete that comes back to the queue waits for what was typed meanwhile`() throws {
        let desk = try desk()
        let model = try desk.model("Post")
        try desk.deleteAlone("Post", "p1")
        try desk.mark(1, .sending)
        try desk.delete("Comment", "c1")
        #expect(try desk.queue() == ["delete p1 (sending)", "delete c1"])
        var back = try #require(try desk.store.mutation(1))
        back.state = .queued
        _ = try desk.store.write { () throws(StoreError) in try desk.outbox.place(back, model) }
        #expect(try desk.queue() == ["delete p1 (waiting)", "delete c1"])
    }

    @Test func `undone creates go children first`() throws {
        let desk = try Desk()
        try desk.create("Post", "p1", group: "one")
        try desk.create("Comment", "c1", [("postID", "p1")], group: "one")
        for seq in [1, 2] as [Int64] { try deliver(seq, desk) }
        _ = try desk.store.write { () throws(StoreError) in
            try desk.outbox.undo("one", inverse: "back", policies: { _ in desk.manual })
        }
        #expect(try desk.queue() == ["delete c1", "delete p1 (waiting)"])
    }

    @Test func `a relation that only the parent declares orders creates and deletes alike`() throws
    {
        let sided = try SchemaDesk(
            """
            type Post @model { id: ID! comments: [Comment] @hasMany(references: ["postID"]) }
            type Comment @model { id: ID! postID: ID }
            """)
        try sided.create("Comment", "c1", [("postID", "p1")])
        try sided.create("Post", "p1", [])
        #expect(try sided.queue() == ["1 create c1 waiting", "2 create p1 queued"])
        try sided.pulled("Post", "p2", [])
        try sided.pulled("Comment", "c2", [("postID", "p2")])
        try sided.delete("Post", "p2")
        try sided.delete("Comment", "c2")
        #expect(
            try sided.queue().suffix(2) == ["3 delete p2 waiting", "4 delete c2 queued"])
    }

    @Test func `models that were renamed meanwhile keep the order`() throws {
        let desk = try SchemaDesk()
        try desk.pulled("Post", "p1", [])
        try desk.pulled("Comment", "c1", [("postID", "p1")])
        try desk.delete("Comment", "c1")
        try desk.adopt(
            """
            type Article @model @renamed(from: "Post") { id: ID! title: String stars: String
                comments: [Remark] @hasMany(references: ["postID"]) }
            type Remark @model @renamed(from: "Comment") { id: ID! text: String postID: ID
                post: Article @belongsTo(fields: ["postID"]) }
            """)
        try desk.delete("Article", "p1")
        #expect(try desk.queue() == ["1 delete c1 queued", "2 delete p1 waiting"])
        try desk.requireSound()
    }
}
