import Glibc
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
        #expect(try office.engine.retryQuarantine(items).released == items.count - 1)
        #expect(try office.store.quarantine().map(\.id) == [RecordID("p5")])
        #expect(try office.shown("Post", "p9")?["rating"] == 7)
    }

    @Test func `leaves what fails to be told, and takes in the others`() throws {
        office.shelf.able.hasFetch = true
        for number in 3...9 {
            office.shelf.write("Post", "p\(number)", [("rating", 7)])
            try office.store.addQuarantine(
                model: "Post", id: RecordID("p\(number)"), raw: "[]", reason: "odd", receivedAt: 1)
        }
        office.shelf.beforeFetch = { (ids) throws(BackendError) in
            if ids.contains(RecordID("p5")) { throw BackendError(.retryable, "500") }
        }
        _ = try office.engine.open(acceptRemote: false)
        let done = try office.engine.retryQuarantine()
        #expect(done.tried == 8 && done.released == 7)
        #expect(try office.store.quarantine().map(\.id) == [RecordID("p5")])
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

@Suite struct `A large quarantine after a schema change` {
    /// Items of which the backend told since they came: those in the first half are not the latest.
    private func office(_ count: Int, named: Bool = true) throws -> Office {
        let office = try Office()
        office.shelf.able.hasFetch = false
        office.shelf.write("Post", "p", [("rating", 1)])
        _ = office.sync()
        office.shelf.beforePull = { (_) throws(BackendError) in
            throw BackendError(.retryable, "offline")
        }
        try office.store.write { () throws(StoreError) in
            for number in 0..<count {
                try office.store.addQuarantine(
                    model: "Post", id: named ? RecordID("p\(number)") : nil,
                    raw: #"{"id":"p\#(number)","rating":5}"#, reason: "of another schema",
                    receivedAt: 1, version: named ? 9 : nil)
            }
            for number in 0..<count / 2 {
                try office.store.appendChange(
                    Change(
                        model: "Post", id: RecordID("p\(number)"), kind: .heard, origin: .remote,
                        at: 1))
            }
        }
        try office.store.setMeta(.quarantineDue, "1")
        return office
    }

    private func posts(_ office: Office) throws(StoreError) -> Int {
        try office.store.count(Query(model: "Post"))
    }

    @Test func `is taken in by parts, and an end in between loses none of them`() throws {
        let office = try office(3_000)
        var commits = 0
        office.clock.onStore = { (point) throws(StoreError) in
            guard point == .commit else { return }
            commits += 1
            if commits == 6 { throw StoreError(.full, "the disk is full") }
        }
        _ = office.sync { $0.pushes = false }
        office.clock.onStore = { _ in }
        let taken = try posts(office) - 1
        #expect(0 < taken && taken < 1_500)
        #expect(try office.store.quarantineCount() == 3_000 - taken)
        #expect(try office.store.meta(.quarantineDue) != nil)
        _ = office.sync { $0.pushes = false }
        #expect(try posts(office) == 1_501)
        #expect(try office.store.quarantineCount() == 1_500)
        #expect(try office.store.meta(.quarantineDue) == nil)
    }

    @Test func `stops at a part's end when the user interrupts`() throws {
        let office = try office(3_000)
        office.clock.onStore = { (point) throws(StoreError) in
            if point == .committed, try posts(office) > 1 { office.clock.isInterrupted = true }
        }
        let failure = office.sync { $0.pushes = false }.failure
        guard case .backend(let cause)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(cause.kind == .cancelled)
        #expect(try posts(office) < 1_501)
        #expect(try office.store.meta(.quarantineDue) != nil)
    }

    @Test func `is looked at once where it still is not understood`() throws {
        let office = try office(0)
        for number in 0..<1_200 {
            try office.store.addQuarantine(
                model: "Post", id: RecordID("p\(number)"),
                raw: #"{"id":"p\#(number)","rating":"many"}"#, reason: "of another schema",
                receivedAt: 1, version: 9)
        }
        _ = office.sync { $0.pushes = false }
        #expect(try office.store.quarantineCount() == 1_200)
        #expect(try office.store.meta(.quarantineDue) == nil)
    }

    @Test(arguments: [true, false])
    func `takes time in proportion to it`(_ isNamed: Bool) throws {
        /// Processor time of this thread: what else the machine does is not counted.
        func milliseconds() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
        }
        func time(_ count: Int) throws -> Double {
            let office = try office(count, named: isNamed)
            _ = try office.engine.open(acceptRemote: false)
            let items = try office.store.quarantine()
            let start = milliseconds()
            if isNamed {
                _ = office.sync { $0.pushes = false }
            } else {
                #expect(try office.engine.retryQuarantine(items).released == count / 2)
            }
            let end = milliseconds()
            #expect(try office.store.quarantineCount() == count / 2)
            return end - start
        }
        _ = try time(200)
        let (few, many) = (try time(500), try time(8_000))
        // Sixteen times as many; in the square of their number it would be 256 times as long.
        #expect(many < 50 * few, "\(few) ms, then \(many) ms")
    }

    @Test func `gives the later of two items of one record, whichever parts they are in`() throws {
        let office = try office(0)
        for number in 0...1_000 {
            let id = number % 1_000
            try office.store.addQuarantine(
                model: "Post", id: nil, raw: #"{"id":"p\#(id)","rating":\#(number)}"#,
                reason: "no id", receivedAt: 1)
        }
        let items = try office.store.quarantine()
        _ = try office.engine.open(acceptRemote: false)
        #expect(try office.engine.retryQuarantine(items).released == 1_001)
        #expect(try office.shown("Post", "p0")?["rating"] == 1_000)
        #expect(try office.store.quarantineCount() == 0)
    }

    @Test func `is not asked for in vain part by part`() throws {
        let office = try office(3_000)
        office.shelf.able.hasFetch = true
        var asked = 0
        office.shelf.beforeFetch = { (_) throws(BackendError) in
            asked += 1
            throw BackendError(.permanent, "403")
        }
        _ = try office.engine.open(acceptRemote: false)
        let items = try office.store.quarantine()
        #expect(try office.engine.retryQuarantine(items).released == 0)
        #expect(asked < 200)
        #expect(try office.store.quarantineCount() == 3_000)
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
