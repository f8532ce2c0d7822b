import JSON
import Outbox
import Records
import Storage
import Sync
import Testing

@Suite struct `The scope of a failure` {
    private func office(_ count: Int) throws -> Office {
        let office = try Office()
        for number in 1...count { try office.create("Post", "p\(number)") }
        return office
    }

    @Test func `halves a batch that is too large, down to one`() throws {
        let office = try office(8)
        office.shelf.beforePush = { (operations) throws(BackendError) in
            if operations.count > 1 { throw BackendError(.tooLarge, "413") }
        }
        #expect(office.sync().report.pushed == 8)
        #expect(office.shelf.applied.count == 8)
    }

    @Test func `charges a record that is too large by itself, and no other`() throws {
        let office = try office(4)
        office.shelf.beforePush = { (operations) throws(BackendError) in
            if operations.contains(where: { $0.id.text == "p2" }) {
                throw BackendError(.tooLarge, "413")
            }
        }
        let report = office.sync().report
        #expect(report.rejected == 1)
        #expect(office.shelf.applied.map(\.id.text) == ["p1", "p3", "p4"])
        #expect(try office.first().failure?.kind == "too_large")
    }

    /// A mutation that took effect, though the answer was lost.
    private func lost() throws -> Office {
        let office = try office(1)
        office.shelf.afterPush = { () throws(BackendError) in
            throw BackendError(.retryable, "cut")
        }
        _ = try office.push()
        #expect(try office.first().state == .unknown)
        office.shelf.afterPush = {}
        office.clock.now += 400_000
        return office
    }

    @Test(arguments: [BackendError.Kind.auth, .rateLimited(afterMilliseconds: 5), .untrusted])
    func `leaves what may have arrived unknown when its resending fails`(
        _ kind: BackendError.Kind
    ) throws {
        let office = try lost()
        let key = try office.first().key
        office.shelf.beforePush = { (_) throws(BackendError) in throw BackendError(kind, "no") }
        _ = try office.push()
        #expect(try office.first().state == .unknown)
        // What others write meanwhile must not make a new mutation of it: it is there already.
        office.shelf.write("Post", "p1", [("title", "theirs")])
        office.sync { $0.pushes = false }
        #expect(try office.first().key == key)
    }

    @Test(arguments: [
        PushOutcome.auth(message: "expired"),
        .retry(message: "later", afterMilliseconds: 5),
        .retry(message: "later", afterMilliseconds: nil),
    ])
    func `leaves what may have arrived unknown when it is put off`(_ verdict: PushOutcome) throws {
        let office = try lost()
        office.shelf.verdict = { _ in verdict }
        do {
            _ = try office.push()
        } catch SyncError.backend(let error) {
            #expect(error.kind == .auth)
        }
        #expect(try office.first().state == .unknown)
    }

    @Test func `does not hold a mutation back for as long as the clock jumped`() throws {
        let office = try office(1)
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.retryable, "503")
        }
        for _ in 0..<5 {
            _ = try office.push()
            office.clock.now += 400_000
        }
        office.clock.now -= 31_536_000_000
        office.shelf.beforePush = { _ in }
        _ = try office.push()
        office.clock.now += 400_000
        _ = try office.push()
        #expect(office.shelf.applied.count == 1)
    }

    static let failures: [(BackendError.Kind, Bool)] = [
        (.retryable, false), (.rateLimited(afterMilliseconds: 1_000), false),
        (.rateLimited(afterMilliseconds: nil), false), (.auth, false), (.cursorExpired, false),
        (.cancelled, false), (.broken, false), (.unavailable, false), (.untrusted, false),
        (.permanent, true), (.tooLarge, true), (.unsupported, true),
    ]

    @Test(arguments: failures) func `leaves the queue whole, whatever it is`(
        _ kind: BackendError.Kind, _ isRefused: Bool
    ) throws {
        let office = try office(3)
        office.shelf.beforePush = { (_) throws(BackendError) in throw BackendError(kind, "no") }
        office.sync { $0.isAsked = false }
        let left = try office.store.mutations()
        #expect(left.map(\.id.text) == ["p1", "p2", "p3"])
        #expect(left.allSatisfy { ($0.state == .rejected) == isRefused })
        office.shelf.beforePush = { _ in }
        office.clock.now += 600_000
        if isRefused {
            for mutation in left {
                _ = try office.store.write { () throws(StoreError) in
                    try office.outbox.retry(
                        mutation.seq, policies: MergePolicies(), group: "again")
                }
            }
        }
        #expect(office.sync().failure == nil)
        #expect(office.shelf.applied.map(\.id.text) == ["p1", "p2", "p3"])
        #expect(try office.store.mutations().isEmpty)
    }

    @Test func `keeps everything in its order while a login is missing`() throws {
        let office = try office(4)
        try office.update("Post", "p2", [("title", "b")])
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.auth, "expired")
        }
        let before = try office.store.mutations()
        for _ in 0..<3 {
            guard case .backend(let error)? = office.sync().failure else {
                Issue.record("it went on")
                return
            }
            #expect(error.kind == .auth)
            office.clock.now += 86_400_000
        }
        let after = try office.store.mutations()
        #expect(after.map(\.key) == before.map(\.key))
        #expect(after.allSatisfy { $0.state == .queued && $0.attempts == 0 })
        office.shelf.beforePush = { _ in }
        #expect(office.sync().report.pushed == 4)
        #expect(office.shelf.applied.map(\.id.text) == ["p1", "p2", "p3", "p4"])
        #expect(office.shelf.record("Post", "p2")?["title"] == "b")
    }

    @Test func `takes a cascade up again where it was cut, children first`() throws {
        let office = try Office()
        office.shelf.able.batch = 1
        office.shelf.write("Post", "p1", [])
        for id in ["c1", "c2"] { office.shelf.write("Comment", id, [("postID", "p1")]) }
        office.sync()
        let plan = try office.outbox.plan(
            deleting: [RecordID("p1")], of: office.model("Post"), cascade: true)
        _ = try office.store.write { () throws(StoreError) in
            try office.outbox.delete(plan, group: "g")
        }
        #expect(try office.push() == .answered(1))
        // The process dies here, in the middle of the cascade.
        office.clock.isAlive = false
        let next = office.another("next")
        var run = SyncRun(engine: next, options: SyncOptions())
        #expect(run.run().report.pushed == 2)
        #expect(office.shelf.applied.map(\.id.text) == ["c1", "c2", "p1"])
        #expect(try office.store.mutations().isEmpty)
    }

    @Test func `makes the whole context wait, and other processes with it`() throws {
        let office = try office(1)
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.retryable, "503")
        }
        guard case .failed = try office.push() else {
            Issue.record("it went through")
            return
        }
        try office.engine.releaseLease()
        let other = office.another("other")
        try other.takeLease()
        #expect(try other.pushStep(PushSelection()) == .idle)
        #expect(office.shelf.pushes.count == 1)
        #expect(try office.first().attempts == 0)
        office.clock.now += 2_000
        office.shelf.beforePush = { _ in }
        #expect(try other.pushStep(PushSelection()) == .answered(1))
        #expect(try other.pause() == nil)
    }

    @Test func `keeps to the delay that a backend names, also for a person`() throws {
        let office = try office(1)
        var isFirst = true
        office.shelf.beforePush = { (_) throws(BackendError) in
            defer { isFirst = false }
            if isFirst { throw BackendError(.rateLimited(afterMilliseconds: 4_000), "429") }
        }
        #expect(office.sync().report.pushed == 1)
        #expect(office.clock.waited >= 4_000)
        #expect(try office.store.mutations().isEmpty)
    }

    @Test func `does not wait a year because the clock jumped back`() throws {
        let office = try office(1)
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.retryable, "503")
        }
        _ = try office.push()
        office.shelf.beforePush = { _ in }
        office.clock.now -= 31_536_000_000
        #expect(try office.push() == .idle)
        office.clock.now += 2_000
        let step = try office.push()

        #expect(step == .answered(1))
    }

    @Test func `finds the one mutation a server fails on, and lets the others pass`() throws {
        let office = try office(5)
        office.shelf.beforePush = { (operations) throws(BackendError) in
            if operations.contains(where: { $0.id.text == "p1" }) {
                throw BackendError(.retryable, "500")
            }
        }
        for _ in 0..<6 {
            _ = office.sync { $0.pulls = false }
            office.clock.now += 600_000
        }
        #expect(office.shelf.applied.map(\.id.text).sorted() == ["p2", "p3", "p4", "p5"])
        #expect(try office.first().id.text == "p1")
        #expect(try office.first().state == .unknown)
    }

    @Test func `gives a mutation up that fails alone eight times while others pass`() throws {
        let office = try office(1)
        office.shelf.beforePush = { (operations) throws(BackendError) in
            if operations.contains(where: { $0.id.text == "p1" }) {
                throw BackendError(.retryable, "500")
            }
        }
        for round in 0..<60 {
            try office.create("Post", "q\(round)")
            _ = office.sync { $0.pulls = false }
            office.clock.now += 600_000
            if try office.first().state == .rejected { break }
        }
        #expect(try office.first().state == .rejected)
        #expect(try office.first().failure?.kind == "unsettled")
        #expect(office.shelf.applied.count > 8)
    }

    @Test func `leaves the pushing to a process that took over during a long pull`() throws {
        let office = try office(1)
        let other = office.another("other")
        office.shelf.beforePull = { (_) throws(BackendError) in
            office.shelf.beforePull = { _ in }
            office.clock.now += 600_000
            office.clock.isAlive = false
            do {
                try other.takeLease()
                try office.create("Post", "late")
            } catch { Issue.record(error) }
        }
        let outcome = office.sync()
        #expect(outcome.failure == nil && outcome.hasPulled)
        #expect(outcome.report.remaining == 1)
        #expect(try office.store.lease()?.owner == "other")
    }

    @Test func `leaves another process its turn to push`() throws {
        let office = try office(1)
        let other = office.another("other")
        try other.takeLease()
        #expect(throws: SyncError.leaseHeld(pid: 7)) { try office.engine.takeLease() }
        // A dead owner's lease is taken over.
        office.clock.isAlive = false
        try office.engine.takeLease()
        #expect(throws: SyncError.leaseHeld(pid: 7)) { try other.pushStep(PushSelection()) }
    }
}
