import JSON
import Records
import Storage
import Testing

@Suite struct `What sync remembers` {
    let store: Store

    init() throws { store = try Store(inMemory: .blog) }

    @Test func `moves a cursor only from where it was`() throws {
        var cursor = Cursor(model: "Post", scope: "all", token: 1, epoch: "e", complete: false)
        #expect(try !store.saveCursor(cursor, replacing: 0))
        #expect(try store.saveCursor(cursor, replacing: nil))
        #expect(try !store.saveCursor(cursor, replacing: nil))
        #expect(try store.cursor("Post") == cursor)
        cursor.token = ["deep": [2, .big("1.0")]]
        cursor.complete = true
        cursor.syncedAt = 5
        cursor.isFull = true
        cursor.fullSince = 9
        #expect(try !store.saveCursor(cursor, replacing: 2))
        #expect(try store.saveCursor(cursor, replacing: 1))
        #expect(try store.cursor("Post") == cursor)
        var other = cursor
        other.scope = "some"
        #expect(try !store.saveCursor(other, replacing: cursor.token))
        cursor.token = nil
        #expect(try store.saveCursor(cursor, replacing: ["deep": [2, .big("1.0")]]))
        #expect(try store.saveCursor(cursor, replacing: nil))
        try store.deleteCursor("Post")
        #expect(try store.cursor("Post") == nil)
    }

    @Test func `knows which clean records a full pull has not met`() throws {
        for id in ["a", "b", "c", "d", "e", "f"] { try store.put(.post, id) }
        try store.markSeen("Post", RecordID("a"))
        try store.markSeen("Post", RecordID("a"))
        try store.queue("b")
        try store.queue("c", state: .rejected)
        try store.appendChange(
            Change(model: "Post", id: RecordID("d"), kind: .synced, origin: .push, at: 1))
        let since = try store.lastChangeSeq()
        try store.appendChange(
            Change(model: "Post", id: RecordID("e"), kind: .synced, origin: .push, at: 1))
        func unseen(after: String? = nil, limit: Int = .max) throws -> [String] {
            try store.unseenCleanRecords(
                .post, pushedSince: since, after: after.map(RecordID.init), limit: limit
            ).map(\.text)
        }
        #expect(try unseen() == ["c", "d", "f"])
        #expect(try unseen(limit: 1) == ["c"])
        #expect(try unseen(after: "c", limit: 1) == ["d"])
        #expect(try store.countUnseenCleanRecords(.post, pushedSince: since) == 3)
        try store.clearSeen("Post")
        #expect(try unseen() == ["a", "c", "d", "f"])
    }

    @Test func `quarantines one item a record`() throws {
        let id = RecordID("p1")
        let first = try store.addQuarantine(
            model: "Post", id: id, raw: "{", reason: "broken", receivedAt: 1)
        let second = try store.addQuarantine(
            model: "Post", id: id, raw: "[\u{0}", reason: "again", receivedAt: 2)
        let third = try store.addQuarantine(
            model: "Post", id: nil, raw: "?", reason: "no id", receivedAt: 3)
        try store.addQuarantine(model: "Post", id: nil, raw: "!", reason: "no id", receivedAt: 3)
        #expect(first < second && second < third)
        #expect(try store.quarantineCount() == 3)
        #expect(
            try store.quarantineItem(second)
                == QuarantineItem(
                    n: second, model: "Post", id: id, raw: "[\u{0}", reason: "again", receivedAt: 2,
                    heard: 0))
        try store.removeQuarantine("Post", id)
        try store.removeQuarantine(third)
        #expect(try store.quarantine().map(\.raw) == ["!"])
        #expect(try store.quarantineItem(first) == nil)
    }

    @Test func `takes over what was lent before the clock was set back`() throws {
        let old = Lease(owner: "a", pid: 1, bootID: "b", expiresAt: 1_000_000)
        #expect(try store.takeLease(old, now: 999_000) { _ in true } == nil)
        let next = Lease(owner: "z", pid: 2, bootID: "b", expiresAt: 901_000)
        #expect(try store.takeLease(next, now: 900_000) { _ in true } == nil)
        #expect(try store.lease() == next)
    }

    @Test func `lends the right to push to one process`() throws {
        let mine = Lease(owner: "a", pid: 1, bootID: "b", expiresAt: 100)
        let yours = Lease(owner: "z", pid: 2, bootID: "b", expiresAt: 300)
        #expect(try store.takeLease(mine, now: 0) { _ in true } == nil)
        #expect(try store.takeLease(yours, now: 99) { _ in true } == mine)
        #expect(try store.takeLease(mine, now: 99) { _ in true } == nil)
        #expect(try store.takeLease(yours, now: 100) { _ in true } == nil)
        #expect(try store.takeLease(mine, now: 100) { $0 != yours } == nil)
        #expect(try !store.renewLease(yours))
        try store.releaseLease(owner: "z")
        #expect(try store.lease() == mine)
        try store.releaseLease(owner: "a")
        #expect(try store.lease() == nil)
    }

    @Test func `keeps notes`() throws {
        #expect(try store.meta(.identity) == nil)
        try store.setMeta(.identity, "a")
        try store.setMeta(.identity, "b")
        #expect(try store.meta(.identity) == "b")
        try store.setMeta(.identity, nil)
        #expect(try store.meta(.identity) == nil)
    }
}
