import JSON
import Outbox
import Records
import Storage
import Testing

@Suite struct `Repairing the queue` {
    private func retry(_ desk: Desk, _ seq: Int64) throws -> RepairOutcome {
        try desk.store.write { () throws(StoreError) in
            try desk.outbox.retry(seq, policies: desk.manual, group: "r")
        }
    }

    private func drop(_ desk: Desk, _ seq: Int64) throws -> RepairOutcome {
        try desk.store.write { () throws(StoreError) in
            try desk.outbox.drop(seq, policies: { _ in desk.manual }, group: "r")
        }
    }

    private func edit(_ desk: Desk, _ seq: Int64, _ pairs: [(String, JSONValue)]) throws
        -> RepairOutcome
    {
        try desk.store.write { () throws(StoreError) in
            try desk.outbox.edit(seq, set: JSONObject(pairs), group: "r")
        }
    }

    @Test func `brings a refused create back in view, under a new key`() throws {
        let desk = try Desk()
        try desk.create("Post", "p1", [("title", "bad")])
        try desk.mark(1, .rejected, kind: "rule")
        #expect(try desk.shown("Post", "p1") == nil)
        #expect(try edit(desk, 1, [("title", "good")]) == .done)
        #expect(try desk.shown("Post", "p1") == nil)
        let key = try desk.mutations()[0].key
        #expect(try retry(desk, 1) == .done)
        #expect(try desk.shown("Post", "p1")?["title"] == "good")
        #expect(try desk.mutations()[0].key != key)
        #expect(try desk.queue() == ["create p1"])
    }

    @Test func `holds what refers to a refused create until that is tried again`() throws {
        let desk = try Desk()
        try desk.create("Post", "p1")
        try desk.mark(1, .rejected, kind: "rule")
        try desk.create("Comment", "c1", [("postID", "p1")])
        #expect(try desk.queue() == ["create p1 (rejected)", "create c1 (waiting)"])
        #expect(try retry(desk, 1) == .done)
        #expect(try desk.queue() == ["create p1", "create c1 (waiting)"])
    }

    @Test func `keeps, rejected, what depends on a dropped create`() throws {
        let desk = try Desk()
        try desk.create("Post", "p1")
        try desk.create("Comment", "c1", [("postID", "p1")])
        #expect(try drop(desk, 1) == .done)
        #expect(try desk.queue() == ["create c1 (rejected)"])
        let failure = try #require(try desk.mutations().first?.failure)
        #expect(failure.kind == "dependency")
        #expect(failure.message.contains("queue number 1"))
        // What it waited for is gone: it need not wait for it when it is tried again.
        #expect(try retry(desk, 2) == .done)
        #expect(try desk.queue() == ["create c1"])
    }

    @Test func `rolls back a dropped edit, and what stood on it stands on what was before`() throws
    {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a"), ("body", "x")])
        try desk.update("Post", "p1", [("title", "b")])
        try desk.mark(1, .conflict, kind: "field")
        try desk.update("Post", "p1", [("title", "c")])
        #expect(try desk.mutations()[1].was["title"] == "b")
        #expect(try drop(desk, 1) == .done)
        #expect(try desk.mutations()[0].was["title"] == "a")
        #expect(try desk.shown("Post", "p1")?["title"] == "c")
    }

    @Test func `finds the dispute again where an edit stands on a dropped one in conflict`() throws
    {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a")])
        try desk.update("Post", "p1", [("title", "b")])
        try desk.told("Post", "p1", [("title", "theirs")])
        #expect(try desk.queue() == ["update p1 title (conflict)"])
        try desk.update("Post", "p1", [("title", "c")])
        #expect(try drop(desk, 1) == .done)
        #expect(try desk.queue() == ["update p1 title (conflict)"])
        #expect(try desk.outbox.conflicts().first?.fields.first?.remote == "theirs")
        #expect(try desk.shown("Post", "p1")?["title"] == "c")
    }

    @Test func `leaves alone what is on its way`() throws {
        let desk = try Desk()
        try desk.create("Post", "p1")
        try desk.mark(1, .sending)
        #expect(try retry(desk, 1) == .inFlight)
        #expect(try drop(desk, 1) == .inFlight)
        #expect(try edit(desk, 1, [("title", "b")]) == .inFlight)
        #expect(try drop(desk, 9) == .notFound)
    }

    @Test func `puts nothing before a later change of which nobody knows what became`() throws {
        for state in [Mutation.State.sending, .unknown] {
            let desk = try Desk()
            try desk.pulled("Post", "p1", [("title", "a")])
            try desk.update("Post", "p1", [("title", "b")])
            try desk.mark(1, .rejected, kind: "rule")
            try desk.update("Post", "p1", [("title", "c")])
            try desk.mark(2, state)
            guard case .refused(let reason) = try retry(desk, 1) else {
                Issue.record("it was put before what is \(state)")
                continue
            }
            #expect(reason.contains("number 2"))
            #expect(
                try desk.queue() == ["update p1 title (rejected)", "update p1 title (\(state))"])
            try desk.mark(2, .rejected, kind: "unsettled")
            guard case .refused(let reason) = try retry(desk, 1) else {
                Issue.record("it was put before what may have arrived")
                continue
            }
            #expect(reason.contains("queue retry 2"))
        }
    }

    @Test func `drops a refused edit without moving what never stood on it`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a"), ("rating", 5)])
        try desk.update("Post", "p1", [("rating", 6)])
        try desk.mark(1, .rejected, kind: "rule")
        try desk.told("Post", "p1", [("title", "a"), ("rating", 6)])
        try desk.update("Post", "p1", [("rating", 5)])
        #expect(try drop(desk, 1) == .done)
        #expect(try desk.mutations()[0].was["rating"] == 6)
        try desk.told("Post", "p1", [("title", "theirs"), ("rating", 6)])
        #expect(try desk.queue() == ["update p1 rating"])
        #expect(try desk.shown("Post", "p1")?["rating"] == 5)
    }

    @Test func `drops a refused create without refusing edits of what came by a pull`() throws {
        let desk = try Desk()
        try desk.create("Post", "p1", [("title", "mine")])
        try desk.mark(1, .rejected, kind: "exists")
        try desk.told("Post", "p1", [("title", "theirs")])
        try desk.update("Post", "p1", [("title", "b")])
        #expect(try drop(desk, 1) == .done)
        #expect(try desk.queue() == ["update p1 title"])
        #expect(try desk.shown("Post", "p1")?["title"] == "b")
    }

    @Test func `holds edits of a create that was refused for another's sake`() throws {
        let desk = try Desk()
        try desk.create("Post", "p1")
        try desk.create("Comment", "c1", [("postID", "p1"), ("text", "a")])
        try desk.create("Comment", "c2")
        try desk.update("Comment", "c1", [("replyToID", "c2")])
        // The other comment has arrived.
        try desk.store.write { () throws(StoreError) in
            try desk.store.releaseDependents(of: 3)
            try desk.store.removeMutation(3)
        }
        let before = try desk.queue()
        #expect(before == ["create p1", "create c1 (waiting)", "update c1 replyToID"])
        #expect(try drop(desk, 1) == .done)
        #expect(try desk.queue() == ["create c1 (rejected)", "update c1 replyToID (waiting)"])
        #expect(try drop(desk, 2) == .done)
        #expect(try desk.queue() == ["update c1 replyToID (rejected)"])
    }

    @Test func `puts later edits on what is there where a dropped one had arrived`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a")])
        try desk.update("Post", "p1", [("title", "b")])
        try desk.mark(1, .unknown)
        try desk.update("Post", "p1", [("title", "c")])
        try desk.told("Post", "p1", [("title", "b")])
        #expect(try drop(desk, 1) == .done)
        #expect(try desk.queue() == ["update p1 title"])
        #expect(try desk.mutations()[0].was["title"] == "b")
    }

    @Test func `moves only those that stand on a dropped edit itself`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a")])
        for title in ["b", "a", "b", "c"] {
            try desk.update("Post", "p1", [("title", .string(title))])
            let seq = try #require(try desk.mutations().last?.seq)
            var frozen = try #require(try desk.store.mutation(seq))
            frozen.isFrozen = true
            try desk.store.write { () throws(StoreError) in try desk.store.updateMutation(frozen) }
        }
        #expect(try drop(desk, 1) == .done)
        #expect(try desk.mutations().map { $0.was["title"] } == ["a", "a", "b"])
    }

    @Test func `has a field that an edit gets later stand on what comes before it`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("rating", 5)])
        try desk.update("Post", "p1", [("rating", 6)])
        try desk.mark(1, .unknown)
        try desk.update("Post", "p1", [("body", "x")])
        try desk.mark(2, .conflict, kind: "field")
        try desk.update("Post", "p1", [("rating", 8)])
        #expect(try edit(desk, 2, [("rating", 7)]) == .done)
        #expect(try desk.mutations()[1].was["rating"] == 6)
        #expect(try desk.mutations()[2].was["rating"] == 7)
    }

    @Test func `says why it cannot help`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a")])
        try desk.update("Post", "p1", [("title", "b")])
        try desk.mark(1, .rejected, kind: "rule")
        let model = try desk.model("Post")
        try desk.store.write { () throws(StoreError) in
            try desk.store.removeRecord(model, RecordID("p1"))
        }
        guard case .refused(let reason) = try retry(desk, 1) else {
            Issue.record("an edit of nothing was queued")
            return
        }
        #expect(reason.contains("create it anew"))
    }

    @Test func `deletes for good what is to be deleted after all`() throws {
        let desk = try Desk()
        try desk.pulled("Post", "p1", [("title", "a")])
        try desk.delete("Post", "p1")
        try desk.mark(1, .rejected, kind: "rule")
        #expect(try desk.shown("Post", "p1")?["title"] == "a")
        try desk.update("Post", "p1", [("title", "b")])
        #expect(try retry(desk, 1) == .done)
        #expect(try desk.queue() == ["delete p1"])
        #expect(try desk.shown("Post", "p1") == nil)
    }
}
