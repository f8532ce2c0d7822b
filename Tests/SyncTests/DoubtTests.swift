import JSON
import Records
import Storage
import Sync
import Testing

@Suite struct `A pull of everything with an item that told no id` {
    private func filled(_ count: Int) throws -> Office {
        let office = try Office()
        for number in 1...count { office.shelf.write("Post", "p\(number)", [("title", "a")]) }
        office.sync()
        return office
    }

    private func count(_ office: Office) throws -> Int {
        try office.store.ids(Query(model: "Post"), limit: .max).count
    }

    @Test func `asks for what it did not meet`() throws {
        let office = try filled(250)
        try office.update("Post", "p3", [("body", "mine")])
        office.shelf.lose("Post", "p1")
        try hide(["p2", "p3", "p4"], in: office)
        let outcome = office.sync {
            $0.full = true
            $0.pushes = false
        }
        #expect(outcome.failure == nil && outcome.report.deleted == 1)
        #expect(try count(office) == 249)
        #expect(try office.store.mutations().map(\.state) == [.queued])
        #expect(!office.notices.contains { if case .doubtful = $0 { true } else { false } })
        // A whole pull again counts for what it does not hold.
        office.shelf.afterPull = { _ in }
        office.shelf.lose("Post", "p2")
        #expect(office.sync { $0.full = true }.report.deleted == 1)
        #expect(try office.store.quarantineCount() == 0)
    }

    @Test(arguments: ["cannot be asked", "refuses one", "refuses each"])
    func `keeps what it did not meet and cannot ask for`(
        _ cause: String
    ) throws {
        let office = try filled(250)
        office.shelf.able.hasFetch = cause != "cannot be asked"
        for number in 1...40 { office.shelf.lose("Post", "p\(number)") }
        try hide(["p50"], in: office)
        office.shelf.beforeFetch = { (ids) throws(BackendError) in
            if cause == "refuses each" || ids.contains(RecordID("p50")) {
                throw BackendError(.permanent, "403")
            }
        }
        let outcome = office.sync { $0.full = true }
        #expect(outcome.failure == nil)
        let gone = cause == "refuses one" ? 40 : 0
        #expect(outcome.report.deleted == gone)
        #expect(try count(office) == 250 - gone)
        #expect(office.notices.contains(.doubtful(model: "Post", count: 41 - gone)))
    }

    @Test func `goes on after the network failed in the asking`() throws {
        let office = try filled(3)
        office.shelf.lose("Post", "p1")
        try hide(["p2"], in: office)
        office.shelf.beforeFetch = { (_) throws(BackendError) in
            throw BackendError(.retryable, "503")
        }
        office.shelf.onPing = { () throws(BackendError) in
            throw BackendError(.retryable, "no route")
        }
        #expect(office.sync { $0.full = true }.failure != nil)
        #expect(try count(office) == 3)
        office.shelf.beforeFetch = { _ in }
        office.shelf.onPing = {}
        #expect(office.sync().report.deleted == 1)
        #expect(try count(office) == 2)
    }

    @Test(arguments: [BackendError.Kind.retryable, .broken])
    func `keeps no other model waiting where one of them cannot be asked for now`(
        _ kind: BackendError.Kind
    ) throws {
        let office = try filled(250)
        office.shelf.write("Comment", "c1", [])
        for number in 1...40 { office.shelf.lose("Post", "p\(number)") }
        try hide(["p50"], in: office)
        office.shelf.beforeFetch = { (ids) throws(BackendError) in
            if ids.contains(RecordID("p50")) { throw BackendError(kind, "500") }
        }
        let outcome = office.sync { $0.full = true }
        guard case .backend(let cause)? = outcome.failure else {
            return #expect(Bool(false), "\(outcome)")
        }
        #expect(cause.kind == kind && outcome.report.deleted == 0)
        #expect(try office.shown("Comment", "c1") != nil)
        // What is new of this one comes all the same.
        office.shelf.write("Post", "new", [])
        office.sync()
        #expect(try office.shown("Post", "new") != nil)
        #expect(try count(office) == 251)
        office.shelf.beforeFetch = { _ in }
        #expect(office.sync().report.deleted == 40)
        #expect(try count(office) == 211)
        #expect(!office.notices.contains(.doubtful(model: "Post", count: 1)))
    }

    /// Pages come with these records as data of which the id cannot be read.
    private func hide(_ ids: Set<String>, in office: Office) throws {
        office.shelf.afterPull = { (page) throws(BackendError) in
            for record in page.records where ids.contains(record.id.text) {
                page.undecodable.append(
                    Undecodable(id: nil, raw: "bytes of \(record.id)", reason: "it has no id"))
            }
            page.records.removeAll { ids.contains($0.id.text) }
        }
    }
}
