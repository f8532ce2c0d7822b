import JSON
import Outbox
import Records
import Storage
import Sync
import Testing

@Suite struct `An id that the backend chooses` {
    @Test func `takes the place of ours in the record, its queue and what refers to it`() throws {
        let office = try Office()
        try office.create("Post", "mine", [("title", "a")])
        try office.create("Comment", "c1", [("postID", "mine")])
        office.shelf.verdict = { operation in
            guard operation.model == "Post", operation.kind == .create else { return nil }
            var record = operation.record
            record?["id"] = "theirs"
            office.shelf.write("Post", "theirs", [("title", "a")])
            return .ok(version: 1, record: record, assignedID: RecordID("theirs"))
        }
        office.sync { $0.pulls = false }
        #expect(try office.shown("Post", "mine") == nil)
        #expect(try office.shown("Post", "theirs")?["title"] == "a")
        #expect(try office.shown("Comment", "c1")?["postID"] == "theirs")
        #expect(office.shelf.applied.map { $0.set["postID"] } == ["theirs"])
        #expect(try office.store.mutations().isEmpty)
    }

    @Test func `moves records whose key holds the reference, and what refers to those`() throws {
        let office = try Office(
            sdl: """
                type Post @model { id: ID! title: String
                    tags: [Tag] @hasMany(references: ["postID"]) }
                type Tag @model { postID: ID! @primaryKey(sortKeyFields: ["name"]) name: String!
                    note: String post: Post @belongsTo(fields: ["postID"]) }
                """)
        try office.create("Post", "mine", [("title", "a")])
        let tag = JSONObject([("postID", "mine"), ("name", "one"), ("note", "n")])
        let model = try office.model("Tag")
        let id = try #require(model.id(of: tag))
        try office.store.write { () throws(StoreError) in
            _ = try office.outbox.create(model, id, tag, group: "g")
        }
        office.shelf.verdict = { operation in
            guard operation.model == "Post" else { return nil }
            var record = operation.record
            record?["id"] = "theirs"
            office.shelf.write("Post", "theirs", [("title", "a")])
            return .ok(version: 1, record: record, assignedID: RecordID("theirs"))
        }
        office.sync { $0.pulls = false }
        #expect(try office.store.mutations().isEmpty)
        let moved = try #require(
            model.id(of: JSONObject([("postID", "theirs"), ("name", "one")])))
        #expect(office.shelf.applied.map(\.id) == [moved])
        #expect(office.shelf.applied.first?.record?["postID"] == "theirs")
        #expect(try office.store.ids(Query(model: "Tag"), limit: .max) == [moved])
        #expect(try office.shown("Tag", moved.text)?["note"] == "n")
    }

    @Test func `keeps an edit that was made while the create was on its way`() throws {
        let office = try Office()
        try office.create("Post", "mine", [("title", "a")])
        office.shelf.verdict = { operation in
            guard operation.kind == .create else { return nil }
            do {
                try office.update("Post", "mine", [("title", "b")])
            } catch {
                Issue.record("\(error)")
            }
            var record = operation.record
            record?["id"] = "theirs"
            office.shelf.write("Post", "theirs", [("title", "a")])
            return .ok(version: 1, record: record, assignedID: RecordID("theirs"))
        }
        office.sync()
        #expect(office.shelf.record("Post", "theirs")?["title"] == "b")
        #expect(try office.shown("Post", "theirs")?["title"] == "b")
    }

    @Test func `does not bring back what the record was when the answer got lost`() throws {
        let office = try Office()
        try office.create("Post", "mine", [("title", "a")])
        let first = JSONObject([("id", "theirs"), ("title", "a")])
        var isLost = true
        office.shelf.verdict = { _ in
            .ok(version: 1, record: first, assignedID: RecordID("theirs"))
        }
        office.shelf.afterPush = { () throws(BackendError) in
            if isLost { throw BackendError(.retryable, "cut") }
        }
        _ = try office.push()
        isLost = false
        // Meanwhile others have changed it, and a pull has brought that.
        office.shelf.write("Post", "theirs", [("title", "a")])
        office.shelf.write("Post", "theirs", [("title", "newer")])
        office.sync { $0.pushes = false }
        office.clock.now += 400_000
        _ = try office.push()
        #expect(try office.store.mutations().isEmpty)
        #expect(try office.shown("Post", "theirs")?["title"] == "newer")
        #expect(try office.shown("Post", "mine") == nil)
    }

    /// Takes a create under another id, once for each of `ids`.
    private func assign(_ ids: [String: String], _ office: Office) {
        var ids = ids
        office.shelf.verdict = { operation in
            guard operation.kind == .create, let id = ids.removeValue(forKey: operation.id.text)
            else { return nil }
            var record = operation.record
            record?["id"] = .string(id)
            let pairs = (record?.pairs ?? []).map { ($0.key, $0.value) }
            office.shelf.write(operation.model, id, pairs)
            return .ok(version: 1, record: record, assignedID: RecordID(id))
        }
    }

    @Test func `is what a create refers to, also where a later edit refers to another`() throws {
        let office = try Office()
        try office.create("Post", "mine", [("title", "a")])
        try office.create("Comment", "c1", [("postID", "mine")])
        try office.create("Post", "other", [("title", "b")])
        try office.update("Comment", "c1", [("postID", "other")])
        assign(["mine": "theirs"], office)
        office.sync { $0.pulls = false }
        let references = office.shelf.applied.filter { $0.model == "Comment" }
            .map { $0.set["postID"] }
        #expect(references == ["theirs", "other"])
        #expect(try office.shown("Comment", "c1")?["postID"] == "other")
    }

    @Test func `is what undo knows the record by`() throws {
        let office = try Office()
        try office.create("Post", "mine", [("title", "a")])
        assign(["mine": "theirs"], office)
        office.sync { $0.pulls = false }
        #expect(try office.shown("Post", "theirs")?["title"] == "a")
        let report = try office.store.write { () throws(StoreError) in
            try office.outbox.undo("g", inverse: "h") { _ in MergePolicies() }
        }
        #expect(report.kept.isEmpty)
        #expect(report.undone.map(\.id.text) == ["theirs"])
        #expect(try office.shown("Post", "theirs") == nil)
        office.sync { $0.pulls = false }
        #expect(office.shelf.record("Post", "theirs") == nil)
    }

    @Test func `is what an undone edit refers to again`() throws {
        let office = try Office()
        try office.create("Post", "mine", [("title", "a")])
        try office.create("Post", "other", [("title", "b")])
        try office.create("Comment", "c1", [("postID", "mine")])
        _ = try office.store.write { () throws(StoreError) in
            let model = office.store.schema.model("Comment")
            guard let model else { throw StoreError(.misuse, "no model") }
            return try office.outbox.update(
                model, RecordID("c1"), set: JSONObject([("postID", "other")]), group: "edit")
        }
        assign(["mine": "theirs"], office)
        office.sync { $0.pulls = false }
        _ = try office.store.write { () throws(StoreError) in
            try office.outbox.undo("edit", inverse: "back") { _ in MergePolicies() }
        }
        #expect(try office.shown("Comment", "c1")?["postID"] == "theirs")
    }

    @Test func `is what a later write refers to that names the record by ours`() throws {
        let office = try Office()
        try office.create("Post", "mine", [("title", "a")])
        assign(["mine": "theirs"], office)
        office.sync { $0.pulls = false }
        try office.create("Comment", "c1", [("postID", "mine")])
        try office.create("Comment", "c2")
        try office.update("Comment", "c2", [("postID", "mine")])
        office.sync { $0.pulls = false }
        #expect(office.shelf.record("Comment", "c1")?["postID"] == "theirs")
        #expect(office.shelf.record("Comment", "c2")?["postID"] == "theirs")
        #expect(try office.shown("Comment", "c1")?["postID"] == "theirs")
    }

    @Test func `gives ours free for another record`() throws {
        let office = try Office()
        try office.create("Post", "mine", [("title", "a")])
        assign(["mine": "theirs"], office)
        office.sync { $0.pulls = false }
        try office.create("Post", "mine", [("title", "another")])
        try office.create("Comment", "c1", [("postID", "mine")])
        #expect(try office.shown("Comment", "c1")?["postID"] == "mine")
    }
}
