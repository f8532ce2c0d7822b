import JSON
import Records
import Storage
import Sync
import Testing

@Suite struct `Quarantine after a schema change` {
    let office: Office

    /// Two records are known; a later state of the second came and was not understood.
    init() throws {
        office = try Office()
        office.shelf.able.hasFetch = false
        for id in ["p1", "p2"] { office.shelf.write("Post", id, [("rating", 1)]) }
        _ = office.sync()
        try office.store.addQuarantine(
            model: "Post", id: RecordID("p2"), raw: #"{"id":"p2","rating":5}"#,
            reason: "of another schema", receivedAt: 1, version: 99)
        office.shelf.beforePull = { (_) throws(BackendError) in
            throw BackendError(.retryable, "offline")
        }
    }

    private func changeSchema() throws { try office.store.setMeta(.quarantineDue, "1") }

    @Test func `takes the kept bytes where nothing newer can be known`() throws {
        try office.update("Post", "p2", [("title", "mine")])
        try changeSchema()
        _ = office.sync { $0.pushes = false }
        #expect(try office.shown("Post", "p2")?["rating"] == 5)
        #expect(try office.shown("Post", "p2")?["title"] == "mine")
        #expect(try office.store.base(RecordKey("Post", RecordID("p2")))?.version == 99)
        #expect(try office.store.quarantineCount() == 0)
        #expect(try office.store.meta(.quarantineDue) == nil)
    }

    @Test func `asks the backend where a push was answered since`() throws {
        try office.update("Post", "p2", [("title", "mine")])
        _ = office.sync { $0.pulls = false }
        try changeSchema()
        _ = office.sync()
        #expect(try office.shown("Post", "p2")?["rating"] == 1)
        #expect(try office.store.quarantineCount() == 1)
        office.shelf.able.hasFetch = true
        try changeSchema()
        _ = office.sync()
        #expect(try office.shown("Post", "p2")?["rating"] == 1)
        #expect(try office.store.quarantineCount() == 0)
    }

    @Test func `does not trust bytes from before a pull of everything`() throws {
        office.shelf.lose("Post", "p2")
        office.shelf.beforePull = { _ in }
        _ = office.sync { $0.full = true }
        #expect(try office.shown("Post", "p2") == nil)
        try changeSchema()
        _ = office.sync()
        #expect(try office.shown("Post", "p2") == nil)
    }

    @Test func `leaves alone what still is not understood`() throws {
        try office.store.addQuarantine(
            model: "Post", id: RecordID("p2"), raw: #"{"id":"p2","rating":"many"}"#,
            reason: "of another schema", receivedAt: 1, version: 99)
        try changeSchema()
        _ = office.sync()
        #expect(try office.shown("Post", "p2")?["rating"] == 1)
        #expect(try office.store.quarantineCount() == 1)
    }
}
