import JSON
import Records
import Storage
import Sync
import Testing

@Suite struct `A look-up that fails while the backend answers` {
    static let failures: [BackendError.Kind] = [.retryable, .broken, .hung]

    /// Creates that took effect, or not, before the line broke.
    private func office(
        _ ids: [String], _ idempotency: Capabilities.Idempotency = .conditional,
        arrives: Bool = true
    ) throws -> Office {
        let office = try Office()
        office.shelf.able.idempotency = idempotency
        for id in ids { try office.create("Post", id) }
        let cut = BackendError(.broken, "cut")
        if arrives {
            office.shelf.afterPush = { () throws(BackendError) in throw cut }
        } else {
            office.shelf.beforePush = { (_) throws(BackendError) in throw cut }
        }
        _ = try office.push()
        #expect(try office.store.mutations().allSatisfy { $0.state == .unknown })
        office.shelf.beforePush = { _ in }
        office.shelf.afterPush = {}
        office.clock.now += 400_000
        return office
    }

    private func fails(_ id: String, _ kind: BackendError.Kind, in office: Office) {
        office.shelf.beforeFetch = { (ids) throws(BackendError) in
            if ids.contains(RecordID(id)) { throw BackendError(kind, "500") }
        }
    }

    @Test(arguments: failures) func `holds no other change up, and is named`(
        _ kind: BackendError.Kind
    ) throws {
        let office = try office(["p1"])
        try office.create("Post", "p2")
        fails("p1", kind, in: office)
        _ = office.sync()
        #expect(office.shelf.applied.map(\.id.text) == ["p1", "p2"])
        #expect(try office.store.mutations().map(\.id.text) == ["p1"])
        #expect(try office.first().state == .unknown)
        #expect(try office.engine.pause() == nil)
        guard case .backend(let error)? = office.sync().failure else {
            Issue.record("the sync ended well")
            return
        }
        #expect(
            error.message
                == "shelf does not tell what became of it: 500 on the create of Post p1")
        #expect(!office.shelf.pulls.isEmpty)
        // Whatever ailed it, the next sync asks again.
        office.shelf.beforeFetch = { _ in }
        #expect(office.sync().failure == nil)
        #expect(try office.store.mutations().isEmpty)
        #expect(office.shelf.applied.count == 2)
    }

    @Test(arguments: [BackendError.Kind.retryable, .broken])
    func `settles the others of its batch`(_ kind: BackendError.Kind) throws {
        let office = try office((1...9).map { "p\($0)" })
        fails("p4", kind, in: office)
        _ = office.sync { $0.isAsked = false }
        #expect(try office.store.mutations().map(\.id.text) == ["p4"])
        #expect(office.shelf.applied.count == 9)
    }

    @Test func `ends the asking where it is so for one after another`() throws {
        let office = try office((1...40).map { "p\($0)" })
        var asked = 0
        office.shelf.beforeFetch = { (_) throws(BackendError) in
            asked += 1
            throw BackendError(.retryable, "500")
        }
        _ = try office.push()
        #expect(asked < 20)
        #expect(try office.store.mutations().allSatisfy { $0.notBefore > office.clock.now })
    }

    @Test func `makes the whole context wait where nothing answers, and is charged to nobody`()
        throws
    {
        let office = try office(["p1", "p2"])
        fails("p1", .retryable, in: office)
        office.shelf.onPing = { () throws(BackendError) in
            throw BackendError(.retryable, "no route")
        }
        for _ in 0..<10 {
            #expect(office.sync().failure != nil)
            office.clock.now += 600_000
        }
        #expect(try office.engine.pause() != nil)
        let left = try office.store.mutations()
        #expect(left.map(\.attempts) == [0, 0] && left.map(\.notBefore) == [0, 0])
        #expect(left.allSatisfy { $0.failure == nil })
    }

    @Test func `holds nobody up for long where the backend has no ping`() throws {
        let office = try office(["p1"])
        office.shelf.able.answersPing = false
        _ = try office.engine.open(acceptRemote: false)
        try office.create("Post", "p2")
        fails("p1", .retryable, in: office)
        for _ in 0..<4 {
            _ = office.sync { $0.pulls = false }
            office.clock.now += 600_000
        }
        #expect(office.shelf.applied.map(\.id.text) == ["p1", "p2"])
    }

    /// Another write is told of at once; whether it can be believed only a look at the record tells.
    @Test(arguments: [1, 100]) func `asks for no whole pull at the first time`(_ times: Int) throws
    {
        let office = try office(["p1"], .key)
        #expect(office.sync().failure == nil)
        try office.update("Post", "p1", [("title", "mine")])
        office.shelf.afterPush = { () throws(BackendError) in throw BackendError(.broken, "cut") }
        _ = try office.push()
        office.shelf.afterPush = {}
        office.clock.now += 400_000
        var left = times
        office.shelf.beforeFetch = { (_) throws(BackendError) in
            left -= 1
            if left >= 0 { throw BackendError(.retryable, "500") }
        }
        let pulls = office.shelf.pulls.count
        #expect(office.sync().failure == nil)
        #expect(try office.store.mutations().isEmpty)
        #expect(office.shelf.record("Post", "p1")?["title"] == "mine")
        #expect(office.shelf.pulls[pulls...].contains(nil) == (times > 10))
    }
}
