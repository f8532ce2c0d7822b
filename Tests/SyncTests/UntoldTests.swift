import JSON
import Outbox
import Records
import Storage
import Sync
import Testing

@Suite struct `A backend that does not tell what became of a change` {
    private func office(_ idempotency: Capabilities.Idempotency = .key) throws -> Office {
        let office = try Office()
        office.shelf.able.idempotency = idempotency
        try office.create("Post", "p1")
        return office
    }

    private func fault(_ outcome: SyncOutcome) throws -> BackendError {
        guard case .backend(let error)? = outcome.failure else {
            throw BackendError(
                .broken, "the sync ended with \(String(describing: outcome.failure))")
        }
        return error
    }

    @Test(arguments: [
        (nil, "shelf gave no verdict on the create of Post p1"),
        (
            "a verdict that cannot be read",
            "shelf gave a verdict that cannot be read on the create of Post p1"
        ),
    ])
    func `is at fault, and named`(_ unreadable: String?, _ message: String) throws {
        let office = try office()
        if let unreadable {
            office.shelf.verdict = { _ in .unknown(message: unreadable) }
        } else {
            office.shelf.isTold = { _ in false }
        }
        let outcome = office.sync()
        let error = try fault(outcome)
        #expect(error.kind == .broken)
        #expect(error.message == message)
        #expect(outcome.report.remaining == 1)
        #expect(try office.first().state == .unknown)
        // While it waited it said for what.
        let reasons = office.notices.compactMap { notice -> String? in
            if case .waiting(_, let reason) = notice { reason } else { nil }
        }
        #expect(!reasons.isEmpty && reasons.allSatisfy { message.hasPrefix($0) }, "\(reasons)")
        // All was pulled nevertheless.
        #expect(!office.shelf.pulls.isEmpty)
    }

    /// It may be that the record may be written and not read, or that it cannot be read there.
    @Test(arguments: [BackendError.Kind.permanent, .unsupported, .tooLarge])
    func `is believed where it tells again that it has a change, and refuses to show the record`(
        _ kind: BackendError.Kind
    ) throws {
        let office = try office()
        office.sync()
        try office.update("Post", "p1", [("title", "mine")])
        office.shelf.afterPush = { () throws(BackendError) in
            throw BackendError(.broken, "cut")
        }
        _ = try office.push()
        office.shelf.afterPush = {}
        office.clock.now += 400_000
        office.shelf.beforeFetch = { (_) throws(BackendError) in throw BackendError(kind, "no") }
        let pulls = office.shelf.pulls.count
        #expect(office.sync().failure == nil)
        #expect(try office.store.mutations().isEmpty)
        #expect(try office.shown("Post", "p1")?["title"] == "mine")
        // What became of the record since is for a pull of everything to tell.
        #expect(office.shelf.pulls[pulls...].contains(nil))
    }

    @Test func `keeps nothing back that it does tell of`() throws {
        let office = try office()
        try office.create("Post", "p2")
        office.shelf.isTold = { $0.id.text != "p1" }
        let outcome = office.sync()
        #expect(outcome.report.pushed == 1)
        #expect(try office.first().id.text == "p1")
        #expect(try office.first().state == .unknown)
        office.shelf.isTold = { _ in true }
        office.clock.now += 400_000
        #expect(office.sync().failure == nil)
        #expect(try office.store.mutations().isEmpty)
    }

    @Test(arguments: [BackendError.Kind.permanent, .unsupported, .tooLarge])
    func `is not asked in circles where it refuses to be asked`(_ kind: BackendError.Kind) throws {
        let office = try office(.conditional)
        office.shelf.afterPush = { () throws(BackendError) in
            throw BackendError(.broken, "cut")
        }
        _ = try office.push()
        office.shelf.afterPush = {}
        office.clock.now += 400_000
        var asked = 0
        office.shelf.beforeFetch = { (_) throws(BackendError) in
            asked += 1
            throw BackendError(kind, "no")
        }
        let error = try fault(office.sync())
        #expect(
            error.message
                == "shelf does not tell what became of it: no on the create of Post p1")
        #expect(asked < 30)
        #expect(try office.first().state == .unknown)
    }

    @Test func `is looked up in halves where that is too much at once`() throws {
        let office = try office(.conditional)
        for number in 2...5 { try office.create("Post", "p\(number)") }
        office.shelf.afterPush = { () throws(BackendError) in
            throw BackendError(.broken, "cut")
        }
        _ = try office.push()
        office.shelf.afterPush = {}
        office.clock.now += 400_000
        office.shelf.mostFetched = 1
        #expect(office.sync().failure == nil)
        #expect(try office.store.mutations().isEmpty)
        #expect(office.shelf.applied.count == 5)
    }

    @Test func `is given its deadline once a sync, and the outcome stays unknown`() throws {
        let office = try office()
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.hung, "did not answer push within 60 s")
        }
        #expect(try fault(office.sync()).kind == .hung)
        #expect(office.shelf.pushes.count == 1)
        #expect(try office.first().state == .unknown)
        office.shelf.beforePush = { _ in }
        #expect(office.sync().failure == nil)
        #expect(office.shelf.applied.count == 1)
    }

    @Test func `that finds one record too large for a page is at fault`() throws {
        let office = try office()
        office.shelf.beforePull = { (_) throws(BackendError) in
            throw BackendError(.tooLarge, "shelf calls the request too large: big")
        }
        let error = try fault(office.sync())
        #expect(error.kind == .broken)
        #expect(
            error.message
                == "shelf calls the request too large: big (one record of Post was asked for)")
    }

    @Test func `and pulls that told more: a later one of everything decides`() throws {
        var settings = SyncSettings()
        settings.page = 2
        let office = try Office(settings: settings)
        office.shelf.able.idempotency = .conditional
        office.shelf.able.hasFetch = false
        for id in ["p1", "p2", "p3", "p4"] { office.shelf.write("Post", id, []) }
        office.sync()
        try office.update("Post", "p1", [("title", "mine")])
        office.shelf.isTold = { _ in false }
        office.sync { $0.isAsked = false }
        #expect(try office.first().state == .unknown)
        // It had arrived, as a pull told; then it went without a trace, and all is pulled anew.
        office.shelf.lose("Post", "p1")
        let post = try office.model("Post")
        #expect(try office.engine.pullStep(post, full: true) != .overtaken)
        office.shelf.isTold = { _ in true }
        office.clock.now += 1_000_000
        _ = try office.push()
        #expect(try office.store.mutations().isEmpty)
        office.sync()
        #expect(try office.shown("Post", "p1") == nil)
    }
}
