import JSON
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
}
