import JSON
import Outbox
import Records
import Storage
import Sync
import Testing

/// While the backend answers one batch, the next is chosen.
@Suite("The next batch of a push")
struct AheadTests {
    /// An office with `count` new posts, a shelf that takes them one a request, and the lease.
    private func office(_ count: Int = 3) throws -> Office {
        let office = try Office()
        office.shelf.able.batch = 1
        office.shelf.letsGoOn = true
        for number in 1...count { try office.create("Post", "p\(number)") }
        try office.engine.takeLease()
        return office
    }

    private func states(_ office: Office) throws -> [String] {
        try office.store.mutations().map { "\($0.id) \($0.state.rawValue)" }
    }

    @Test func `is chosen while the first is on its way, and sent after it`() throws {
        let office = try office()
        var met: [String] = []
        office.shelf.afterPush = { () throws(BackendError) in
            do { met = try states(office) } catch { Issue.record(error) }
        }
        #expect(try office.engine.pushStep(PushSelection()) == .answered(1))
        #expect(met == ["p1 sending", "p2 sending", "p3 queued"])
        #expect(try office.engine.pushStep(PushSelection()) == .answered(1))
        #expect(try office.engine.pushStep(PushSelection()) == .answered(1))
        #expect(try office.engine.pushStep(PushSelection()) == .idle)
        #expect(office.shelf.applied.map(\.id.text) == ["p1", "p2", "p3"])
        #expect(office.shelf.pushes.count == 3)
    }

    @Test(arguments: [
        BackendError(.retryable, "503"), BackendError(.auth, "401"),
        BackendError(.rateLimited(afterMilliseconds: 5), "429"), BackendError(.cancelled, "^C"),
        BackendError(.permanent, "no"),
    ])
    func `goes back to the queue when the first fails`(_ failure: BackendError) throws {
        let office = try office()
        office.shelf.beforePush = { (_) throws(BackendError) in throw failure }
        #expect(try office.engine.pushStep(PushSelection()) == .failed(failure))
        #expect(try Array(states(office).dropFirst()) == ["p2 queued", "p3 queued"])
        let second = try office.store.mutations()[1]
        #expect(!second.isFrozen)
        office.shelf.beforePush = { (_) throws(BackendError) in }
        _ = office.sync()
        #expect(Set(office.shelf.applied.map(\.id.text)).isSuperset(of: ["p2", "p3"]))
    }

    @Test(arguments: [
        PushOutcome.rejected(message: "no", code: nil, field: nil),
        .conflict(.gone(version: 9)), .retry(message: "later", afterMilliseconds: 100),
    ])
    func `is chosen anew when the first was not simply taken`(_ verdict: PushOutcome) throws {
        let office = try office()
        office.shelf.verdict = { $0.id.text == "p1" ? verdict : nil }
        _ = try office.engine.pushStep(PushSelection())
        #expect(try states(office).contains("p2 queued"))
    }

    @Test func `is left alone, as the first is, by a process that lost the lease`() throws {
        let office = try office(2)
        let other = office.another("other")
        office.shelf.beforePush = { (_) throws(BackendError) in
            office.shelf.beforePush = { _ in }
            // Asleep for longer than a lease lasts: the other sends both, and hears nothing yet.
            office.clock.now += 600_000
            office.clock.isAlive = false
            do {
                try other.takeLease()
                for mutation in try office.store.mutations() {
                    _ = try office.store.write { () throws(StoreError) in
                        try office.store.markSending(mutation)
                    }
                }
            } catch { Issue.record(error) }
            throw BackendError(.auth, "401")
        }
        _ = try office.engine.pushStep(PushSelection())
        #expect(try states(office) == ["p1 sending", "p2 sending"])
    }

    @Test func `is left alone when another process has taken over`() throws {
        let office = try office()
        _ = try office.engine.pushStep(PushSelection())
        // Asleep for longer than a lease lasts.
        office.clock.now += 600_000
        office.clock.isAlive = false
        let other = office.another("other")
        try other.takeLease()
        #expect(try states(office) == ["p2 unknown", "p3 queued"])
        #expect(throws: SyncError.leaseHeld(pid: 7)) {
            try office.engine.pushStep(PushSelection())
        }
        #expect(office.shelf.applied.map(\.id.text) == ["p1"])
        #expect(try other.pushStep(PushSelection()) == .answered(1))
        #expect(try other.pushStep(PushSelection()) == .answered(1))
        #expect(office.shelf.applied.map(\.id.text) == ["p1", "p2", "p3"])
    }

    @Test func `goes back to the queue with the lease`() throws {
        let office = try office()
        _ = try office.engine.pushStep(PushSelection())
        try office.engine.releaseLease()
        #expect(try states(office) == ["p2 queued", "p3 queued"])
    }

    @Test func `is of the same choice, or goes back`() throws {
        let office = try office()
        _ = try office.engine.pushStep(PushSelection())
        #expect(try office.engine.pushStep(PushSelection(group: "other")) == .idle)
        #expect(try states(office) == ["p2 queued", "p3 queued"])
    }

    @Test func `is not chosen ahead where a kill would leave what nobody can tell about`() throws {
        let office = try office()
        office.shelf.able.idempotency = .none
        _ = try office.engine.pushStep(PushSelection())
        #expect(try states(office) == ["p2 queued", "p3 queued"])
    }

    @Test func `leaves an edit that is made meanwhile a mutation of its own`() throws {
        let office = try office()
        office.shelf.afterPush = { () throws(BackendError) in
            do { try office.update("Post", "p2", [("title", "edited")]) } catch {
                Issue.record(error)
            }
            office.shelf.afterPush = { () throws(BackendError) in }
        }
        _ = office.sync()
        #expect(office.shelf.record("Post", "p2")?["title"] == "edited")
        #expect(office.shelf.applied.map(\.id.text) == ["p1", "p2", "p3", "p2"])
        #expect(try office.store.mutations().isEmpty)
    }
}
