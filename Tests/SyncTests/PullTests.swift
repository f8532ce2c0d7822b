import JSON
import Records
import Storage
import Sync
import Testing

@Suite struct `Pulling` {
    private func filled(_ count: Int, page: Int = 5_000) throws -> Office {
        let office = try Office(settings: SyncSettings(page: page))
        for number in 1...count { office.shelf.write("Post", "p\(number)", [("title", "a")]) }
        return office
    }

    private func count(_ office: Office) throws -> Int {
        try office.store.ids(Query(model: "Post"), limit: .max).count
    }

    @Test func `goes on at the page where it was cut`() throws {
        let office = try filled(10, page: 3)
        office.shelf.beforePull = { (request) throws(BackendError) in
            if request.cursor == 6 { throw BackendError(.retryable, "cut") }
        }
        _ = office.sync()
        #expect(try count(office) == 6)
        office.shelf.beforePull = { _ in }
        let before = office.shelf.pulls.count
        office.sync()
        #expect(try count(office) == 10)
        #expect(office.shelf.pulls[before] == 6)
    }

    @Test func `is not kept waiting by a full queue, nor keeps it waiting`() throws {
        let office = try filled(3)
        try office.create("Post", "mine")
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.rateLimited(afterMilliseconds: 3_600_000), "429")
        }
        #expect(office.sync().report.remaining == 1)
        #expect(try count(office) == 4)
        #expect(try office.first().state == .queued)
    }

    @Test func `halves a page that is too large`() throws {
        let office = try filled(8)
        office.shelf.beforePull = { (request) throws(BackendError) in
            if request.limit > 4 { throw BackendError(.tooLarge, "413") }
        }
        office.sync()
        #expect(try count(office) == 8)
    }

    @Test func `begins anew, once, when the cursor is refused`() throws {
        let office = try filled(3)
        office.sync()
        office.shelf.lose("Post", "p2")
        office.shelf.beforePull = { (request) throws(BackendError) in
            if request.cursor != nil { throw BackendError(.cursorExpired, "410") }
        }
        office.shelf.write("Post", "p4", [])
        try office.create("Post", "mine")
        let told = try office.store.lastChangeSeq()
        let outcome = office.sync()
        #expect(outcome.failure == nil)
        #expect(outcome.report.deleted == 1)
        #expect(office.shelf.record("Post", "mine") != nil)
        // What was known and is as it was is told nobody again.
        #expect(
            try office.store.changes(after: told, id: RecordID("p1")).allSatisfy {
                $0.kind == .heard
            })
        #expect(try office.shown("Post", "p2") == nil)
        #expect(try office.shown("Post", "p4") != nil)
        #expect(office.notices.contains { if case .restarted = $0 { true } else { false } })
    }

    @Test func `begins anew where a pull of several pages ended without a cursor`() throws {
        let office = try filled(8)
        office.shelf.able.page = 3
        office.shelf.afterPull = { (page) throws(BackendError) in
            if !page.more { page.cursor = nil }
        }
        office.sync()
        #expect(try count(office) == 8)
        office.shelf.lose("Post", "p1")
        #expect(office.sync().report.deleted == 1)
        #expect(try office.shown("Post", "p1") == nil)
    }

    @Test func `says that the plugin is at fault when the new cursor is refused too`() throws {
        let office = try filled(3)
        office.shelf.beforePull = { (_) throws(BackendError) in
            throw BackendError(.cursorExpired, "410")
        }
        guard case .backend(let error)? = office.sync().failure else {
            Issue.record("it went on")
            return
        }
        #expect(error.kind == .broken)
    }

    @Test func `begins anew when the data set's history does`() throws {
        let office = try filled(3)
        office.sync()
        office.shelf.epoch = 2
        office.shelf.lose("Post", "p1")
        #expect(office.sync().report.deleted == 1)
        #expect(try count(office) == 2)
    }

    @Test(arguments: [(150, 100, false), (150, 101, true), (300, 150, false), (300, 151, true)])
    func `asks before many records go`(_ total: Int, _ lost: Int, _ asks: Bool) throws {
        let office = try filled(total)
        office.sync()
        for number in 1...lost { office.shelf.lose("Post", "p\(number)") }
        let outcome = office.sync { $0.full = true }
        if asks {
            #expect(
                outcome.failure == .deletionsRefused(model: "Post", count: lost, of: total))
            #expect(try count(office) == total)
            let consented = office.sync { $0.acceptDeletions = true }
            #expect(consented.report.deleted == lost)
        }
        #expect(try count(office) == total - lost)
    }

    @Test(arguments: ["another history", "cursor refused", "asked for"])
    func `asks before more than half go from a backend that looks reset`(_ cause: String) throws {
        let office = try filled(5)
        office.sync()
        for number in 1...3 { office.shelf.lose("Post", "p\(number)") }
        switch cause {
        case "another history": office.shelf.epoch = 2
        case "cursor refused":
            office.shelf.beforePull = { (request) throws(BackendError) in
                if request.cursor != nil { throw BackendError(.cursorExpired, "410") }
            }
        default: break
        }
        let outcome = office.sync { $0.full = cause == "asked for" }
        if cause == "asked for" {
            #expect(outcome.report.deleted == 3)
            return
        }
        #expect(outcome.failure == .deletionsRefused(model: "Post", count: 3, of: 5))
        #expect(office.sync().failure == .deletionsRefused(model: "Post", count: 3, of: 5))
        #expect(
            office.sync { $0.full = true }.failure
                == .deletionsRefused(model: "Post", count: 3, of: 5))
        #expect(try count(office) == 5)
        #expect(office.sync { $0.acceptDeletions = true }.report.deleted == 3)
        office.shelf.lose("Post", "p4")
        #expect(office.sync { $0.full = true }.report.deleted == 1)
    }

    @Test func `asks before more than half go though a change was refused in the same sync`()
        throws
    {
        let filter = Filter.test(Filter.Path([], "title"), .equal("a"))
        let office = try Office(settings: SyncSettings(filters: ["Post": ("title = a", filter)]))
        for number in 1...5 { office.shelf.write("Post", "p\(number)", [("title", "a")]) }
        office.sync()
        office.shelf.epoch = 2
        for number in 1...3 { office.shelf.lose("Post", "p\(number)") }
        try office.update("Post", "p5", [("body", "mine")])
        office.shelf.verdict = { _ in .rejected(message: "no", code: nil, field: nil) }
        #expect(office.sync().failure == .deletionsRefused(model: "Post", count: 3, of: 5))
        // Nor when that asks already.
        try office.update("Post", "p4", [("body", "mine")])
        #expect(office.sync().failure == .deletionsRefused(model: "Post", count: 3, of: 5))
        #expect(try count(office) == 5)
    }

    @Test func `pulls the other models while it asks for consent`() throws {
        let office = try filled(5)
        try office.create("Post", "mine")
        office.sync()
        office.shelf.epoch = 2
        for number in 1...4 { office.shelf.lose("Post", "p\(number)") }
        office.shelf.write("Comment", "c1", [("text", "new")])
        let outcome = office.sync()
        #expect(outcome.failure == .deletionsRefused(model: "Post", count: 4, of: 6))
        #expect(!outcome.report.complete && !outcome.hasPulled)
        #expect(try office.shown("Comment", "c1")?["text"] == "new")
    }

    @Test func `keeps what was edited here of a record that is gone there`() throws {
        let office = try filled(2)
        office.sync()
        try office.update("Post", "p1", [("body", "mine")])
        office.shelf.lose("Post", "p1")
        _ = office.sync {
            $0.full = true
            $0.pushes = false
        }
        #expect(try office.shown("Post", "p1")?["body"] == "mine")
        #expect(try office.first().failure?.kind == "edit-delete")
    }

    @Test func `changes nothing where own writes come back`() throws {
        let office = try filled(1)
        office.sync()
        try office.update("Post", "p1", [("title", "b")])
        office.sync()
        let before = try office.store.lastChangeSeq()
        office.sync()
        #expect(try office.store.lastChangeSeq() == before)
        try office.delete("Post", "p1")
        office.sync()
        office.sync { $0.full = true }
        #expect(try office.shown("Post", "p1") == nil)
    }

    @Test(arguments: [nil, BackendError.Kind.permanent, .tooLarge, .retryable])
    func `does not take a page that is older than what was pushed meanwhile`(
        _ refusal: BackendError.Kind?
    ) throws {
        let office = try filled(2)
        office.sync()
        if let refusal {
            office.shelf.beforeFetch = { (_) throws(BackendError) in
                throw BackendError(refusal, "no")
            }
        }
        var limits: Set<Int> = []
        office.shelf.beforePull = { request in limits.insert(request.limit) }
        office.shelf.write("Post", "p1", [("title", "theirs")])
        office.shelf.afterPull = { (_) throws(BackendError) in
            do {
                let model = try office.model("Post")
                try office.store.write { () throws(StoreError) in
                    // As if another process had pushed while the page was on its way.
                    let id = RecordID("p1")
                    let record = model.normalized(
                        JSONObject([("id", "p1"), ("title", "pushed")]))
                    try office.store.putRecord(model, id, record, version: 99)
                    try office.store.appendChange(
                        Change(model: "Post", id: id, kind: .synced, origin: .push, at: 0))
                }
            } catch {
                throw BackendError(.broken, "\(error)")
            }
            office.shelf.write("Post", "p1", [("title", "pushed")])
            office.shelf.afterPull = { _ in }
        }
        let outcome = office.sync()
        #expect(outcome.failure == nil && outcome.report.refusedModels.isEmpty)
        #expect(limits.count == 1)
        #expect(try office.shown("Post", "p1")?["title"] == "pushed")
    }

    @Test func `puts what it cannot read aside and goes on`() throws {
        let office = try filled(3)
        office.shelf.write("Post", "p2", [("rating", "many")])
        let report = office.sync().report
        #expect(report.quarantined == 1)
        #expect(try count(office) == 2)
        let items = try office.store.quarantine()
        #expect(items.map(\.id) == [RecordID("p2")])
        #expect(try office.engine.retryQuarantine(items).released == 0)
        office.shelf.write("Post", "p2", [("rating", 5)])
        #expect(try office.engine.retryQuarantine(items).released == 1)
        #expect(try office.shown("Post", "p2")?["rating"] == 5)
    }

    @Test func `reports a cut answer as what it is`() throws {
        let office = try filled(3)
        office.shelf.afterPull = { page in page.complete = false }
        #expect(!office.sync().report.complete)
    }

    @Test func `goes on with the other models when one is refused`() throws {
        let office = try filled(3)
        office.shelf.write("Comment", "c1", [("text", "t")])
        office.shelf.beforePull = { (request) throws(BackendError) in
            if request.model == "Post" { throw BackendError(.permanent, "403") }
        }
        let report = office.sync().report
        #expect(report.refusedModels == ["Post"])
        #expect(try office.shown("Comment", "c1") != nil)
    }

    @Test func `passes over the first time what is deleted and was never known`() throws {
        let office = try filled(1)
        office.shelf.write("Post", "gone", nil)
        let outcome = office.sync()
        #expect(outcome.failure == nil)
        #expect(outcome.report.deleted == 0)
        #expect(try office.store.changes(after: 0, id: RecordID("gone")).isEmpty)
        #expect(try office.store.base(RecordKey("Post", RecordID("gone"))) == nil)
        #expect(try count(office) == 1)
    }

    @Test func `keeps a value that the enum does not know, also when another field changes`() throws
    {
        let office = try Office(
            sdl: "enum Mood { GLAD SAD } type Post @model { id: ID! title: String mood: Mood }")
        office.shelf.write("Post", "p1", [("title", "a"), ("mood", "PUZZLED")])
        office.sync()
        #expect(try office.store.quarantineCount() == 0)
        try office.update("Post", "p1", [("title", "b")])
        #expect(try office.shown("Post", "p1")?["mood"] == "PUZZLED")
        office.sync()
        #expect(office.shelf.applied.first?.set == JSONObject([("title", "b")]))
        #expect(office.shelf.record("Post", "p1")?["mood"] == "PUZZLED")
        #expect(try office.shown("Post", "p1")?["mood"] == "PUZZLED")
        #expect(try office.shown("Post", "p1")?["title"] == "b")
    }

    @Test func `keeps unknown fields and sends them back untouched`() throws {
        let office = try filled(1)
        office.shelf.write("Post", "p1", [("title", "a"), ("mood", ["x", 1])])
        office.sync()
        try office.update("Post", "p1", [("title", "b")])
        office.sync()
        #expect(office.shelf.record("Post", "p1")?["mood"] == ["x", 1])
    }

    @Test func `asks before it takes another data set for its own`() throws {
        let office = try filled(2)
        office.sync()
        try office.create("Post", "mine")
        office.shelf.name = "other shelf"
        #expect(
            office.sync().failure
                == .identityChanged(known: "shelf", found: "other shelf"))
        #expect(try office.store.mutations().count == 1)
        office.shelf.lose("Post", "p1")
        let outcome = office.sync { $0.acceptRemote = true }
        #expect(outcome.failure == nil)
        #expect(try office.shown("Post", "p1") == nil)
        #expect(office.shelf.record("Post", "mine") != nil)
    }

    @Test func `takes what a backend filters out for left out, where an edit waits on it`() throws {
        let office = try Office()
        office.shelf.able.filterOperators = ["ge"]
        office.shelf.write("Post", "p1", [("rating", 1)])
        office.sync()
        try office.update("Post", "p1", [("title", "edited")])
        office.shelf.afterPull = { (page) throws(BackendError) in
            page.records.removeAll { $0.record?["rating"] == 1 }
        }
        let filter = Filter.test(Filter.Path([], "rating"), .greaterOrEqual(3))
        let narrow = office.another(
            "narrow", settings: SyncSettings(filters: ["Post": ("rating >= 3", filter)]))
        var options = SyncOptions()
        options.pushes = false
        var run = SyncRun(engine: narrow, options: options)
        #expect(run.run().failure == nil)
        #expect(try office.first().state == .queued)
    }

    @Test(arguments: [nil, RecordID("p9")])
    func `ends where ever new cursors bring nothing new`(_ unreadable: RecordID?) throws {
        let office = try Office(settings: SyncSettings(barrenPages: 50))
        office.shelf.write("Post", "p1", [("title", "a")])
        var pages: Int64 = 0
        office.shelf.afterPull = { page in
            pages += 1
            page.undecodable.append(Undecodable(id: unreadable, raw: "[]", reason: "odd"))
            page.cursor = .int(1_000 + pages)
            page.more = true
        }
        guard case .backend(let error)? = office.sync().failure else {
            Issue.record("it went on")
            return
        }
        #expect(error.kind == .broken)
        #expect(error.message.hasPrefix("shelf gave 50 pages of Post in a row"))
        #expect(try office.shown("Post", "p1") != nil)
        #expect(pages == 51)
    }

    @Test func `takes in every known record on a page of its own, unchanged`() throws {
        let office = try Office(settings: SyncSettings(page: 1, barrenPages: 50))
        for number in 1...120 { office.shelf.write("Post", "p\(number)", [("title", "a")]) }
        #expect(office.sync().failure == nil)
        #expect(office.sync { $0.full = true }.failure == nil)
    }

    @Test func `takes a child in before its parent`() throws {
        let office = try Office()
        office.shelf.write("Comment", "c1", [("text", "t"), ("postID", "p1")])
        let found = {
            let filter = Filter.test(Filter.Path(["post"], "title"), .equal("late"))
            return try office.store.ids(Query(model: "Comment", filter: filter), limit: .max)
        }
        #expect(office.sync().report.complete)
        #expect(try office.shown("Comment", "c1")?["postID"] == "p1")
        #expect(try found() == [])
        office.shelf.write("Post", "p1", [("title", "late")])
        #expect(office.sync().report.complete)
        #expect(try found() == [RecordID("c1")])
    }

    @Test func `drops a record that leaves the filter, and none with unsent work`() throws {
        let filter = Filter.test(Filter.Path([], "rating"), .greaterOrEqual(3))
        let office = try Office(
            settings: SyncSettings(filters: ["Post": ("rating >= 3", filter)]))
        for id in ["p1", "p2"] { office.shelf.write("Post", id, [("rating", 5)]) }
        office.sync()
        try office.update("Post", "p2", [("title", "mine")])
        for id in ["p1", "p2"] { office.shelf.write("Post", id, [("rating", 1)]) }
        office.sync { $0.pushes = false }
        #expect(try office.shown("Post", "p1") == nil)
        #expect(try office.shown("Post", "p2")?["title"] == "mine")
        #expect(try office.store.mutations().count == 1)
        office.sync()
        #expect(office.shelf.record("Post", "p2")?["title"] == "mine")
        #expect(office.shelf.record("Post", "p2")?["rating"] == 1)
    }

    @Test func `drops what a narrower filter leaves out`() throws {
        let office = try filled(1)
        office.shelf.write("Post", "p2", [("rating", 5)])
        office.shelf.write("Post", "p3", [("rating", 1)])
        office.sync()
        #expect(try count(office) == 3)
        let filter = Filter.test(Filter.Path([], "rating"), .greaterOrEqual(3))
        let narrow = office.another(
            "narrow", settings: SyncSettings(filters: ["Post": ("rating >= 3", filter)]))
        var run = SyncRun(engine: narrow, options: SyncOptions())
        #expect(run.run().failure == nil)
        #expect(try office.store.ids(Query(model: "Post"), limit: .max) == [RecordID("p2")])
    }
}
