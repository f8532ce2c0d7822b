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

    @Test func `leaves what the backend refuses to tell of, and takes in the others`() throws {
        office.shelf.able.hasFetch = true
        for number in 3...9 {
            office.shelf.write("Post", "p\(number)", [("rating", 7)])
            try office.store.addQuarantine(
                model: "Post", id: RecordID("p\(number)"), raw: "[]", reason: "odd", receivedAt: 1)
        }
        office.shelf.beforeFetch = { (ids) throws(BackendError) in
            if ids.contains(RecordID("p5")) { throw BackendError(.permanent, "403") }
        }
        _ = try office.engine.open(acceptRemote: false)
        let items = try office.store.quarantine()
        #expect(try office.engine.retryQuarantine(items) == items.count - 1)
        #expect(try office.store.quarantine().map(\.id) == [RecordID("p5")])
        #expect(try office.shown("Post", "p9")?["rating"] == 7)
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

@Suite struct `Quarantine after a pull of everything` {
    private static func item(_ id: String?, _ raw: String) -> Undecodable {
        Undecodable(id: id.map { RecordID($0) }, raw: raw, reason: "of another schema")
    }

    private func raws(_ office: Office) throws -> [String] {
        try office.store.quarantine().map(\.raw).sorted()
    }

    @Test func `holds what the backend still has, and nothing else`() throws {
        let office = try Office()
        office.shelf.write("Post", "p1", [("title", "a")])
        office.shelf.afterPull = { (page) throws(BackendError) in
            guard page.records.contains(where: { $0.id == RecordID("p1") }) else { return }
            page.undecodable = [
                Self.item("p2", "two"), Self.item("p3", "three"), Self.item(nil, "one of no name"),
                Self.item(nil, "another of no name"),
            ]
        }
        office.sync()
        try office.store.addQuarantine(
            model: "Comment", id: RecordID("c1"), raw: "of another model", reason: "", receivedAt: 1
        )
        #expect(try raws(office).count == 5)
        office.shelf.afterPull = { (page) throws(BackendError) in
            guard page.records.contains(where: { $0.id == RecordID("p1") }) else { return }
            page.undecodable = [Self.item("p3", "three"), Self.item(nil, "another of no name")]
        }
        office.sync()
        #expect(try raws(office).count == 5)
        for _ in 1...2 {
            office.sync {
                $0.full = true
                $0.models = ["Post"]
            }
            #expect(try raws(office) == ["another of no name", "of another model", "three"])
        }
    }

    @Test func `holds what an answer brought while it ran`() throws {
        let office = try Office(settings: SyncSettings(page: 1))
        for id in ["p1", "p2"] { office.shelf.write("Post", id, [("rating", 1)]) }
        office.sync()
        try office.update("Post", "p1", [("rating", 2)])
        var isFirst = true
        office.shelf.beforePull = { (request) throws(BackendError) in
            guard request.cursor != nil, isFirst else { return }
            isFirst = false
            do {
                // Others have put something in its place that cannot be read, and then deleted it.
                office.shelf.verdict = { _ in
                    .conflict(.record(JSONObject([("id", "p1"), ("rating", "many")]), version: 9))
                }
                let other = office.another("other")
                try other.takeLease()
                _ = try other.pushStep(PushSelection())
            } catch {
                Issue.record(error)
            }
            office.shelf.lose("Post", "p1")
        }
        office.sync {
            $0.full = true
            $0.pushes = false
        }
        #expect(try office.store.quarantine().compactMap(\.id) == [RecordID("p1")])
    }
}
