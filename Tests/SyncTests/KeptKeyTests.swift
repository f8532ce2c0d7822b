import JSON
import Outbox
import Records
import Storage
import Sync
import Testing

/// Refused in the lump, and nobody knows whether it had arrived before.
@Suite struct `A change that may have arrived before it was refused` {
    static let counting = SyncSettings(policies: [
        "Post": MergePolicies(model: .manual, fields: ["rating": .counter])
    ])

    /// A count from 5 to 6 that took effect, though the answer was lost; or was lost itself.
    private func lost(arrives: Bool = true) throws -> Office {
        let office = try Office(settings: Self.counting)
        office.shelf.write("Post", "p1", [("rating", 5)])
        office.sync()
        try office.update("Post", "p1", [("rating", 6)])
        let cut = BackendError(.retryable, "cut")
        if arrives {
            office.shelf.afterPush = { () throws(BackendError) in throw cut }
        } else {
            office.shelf.beforePush = { (_) throws(BackendError) in throw cut }
        }
        _ = try office.push()
        office.shelf.afterPush = {}
        office.shelf.beforePush = { _ in }
        office.clock.now += 400_000
        return office
    }

    private func retry(_ office: Office) throws -> RepairOutcome {
        let seq = try office.first().seq
        return try office.store.write { () throws(StoreError) in
            try office.outbox.retry(
                seq, policies: Self.counting.policies(of: "Post"), group: "r")
        }
    }

    @Test(arguments: [BackendError.Kind.permanent, .tooLarge, .unsupported])
    func `is offered again under its old key, and counts once`(_ kind: BackendError.Kind) throws {
        let office = try lost()
        let key = try office.first().key
        office.shelf.beforePush = { (_) throws(BackendError) in throw BackendError(kind, "no") }
        office.sync()
        #expect(try office.first().state == .rejected)
        #expect(try office.first().failure?.message.contains("no") == true)
        // Its effect has arrived by a pull meanwhile.
        #expect(try office.shown("Post", "p1")?["rating"] == 6)
        office.shelf.beforePush = { _ in }
        #expect(try retry(office) == .done)
        #expect(try office.first().key == key)
        #expect(try office.shown("Post", "p1")?["rating"] == 6)
        #expect(office.sync().failure == nil)
        #expect(try office.store.mutations().isEmpty)
        #expect(office.shelf.record("Post", "p1")?["rating"] == 6)
        #expect(office.shelf.applied.count == 1)
    }

    @Test func `is so where it failed alone too often`() throws {
        let office = try lost()
        let key = try office.first().key
        office.shelf.beforePush = { (operations) throws(BackendError) in
            if operations.contains(where: { $0.id.text == "p1" }) {
                throw BackendError(.retryable, "500")
            }
        }
        for round in 0..<60 {
            try office.create("Post", "q\(round)")
            _ = office.sync()
            office.clock.now += 600_000
            if try office.first().state == .rejected { break }
        }
        #expect(try office.first().state == .rejected)
        office.shelf.beforePush = { _ in }
        #expect(try retry(office) == .done)
        #expect(try office.first().key == key)
        #expect(office.sync().failure == nil)
        #expect(try office.store.mutations().isEmpty)
        #expect(office.shelf.record("Post", "p1")?["rating"] == 6)
    }

    private func undo(_ office: Office, _ group: String) throws -> UndoReport {
        try office.store.write { () throws(StoreError) in
            try office.outbox.undo(group, inverse: "i", policies: Self.counting.policies(of:))
        }
    }

    @Test(arguments: [true, false]) func `is undone, whether it had arrived or not`(
        _ hasArrived: Bool
    ) throws {
        let office = try lost(arrives: hasArrived)
        let change = try office.first()
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.permanent, "no")
        }
        office.sync()
        #expect(try office.first().state == .rejected)
        let report = try undo(office, change.group)
        #expect(report.dropped.isEmpty && report.kept.isEmpty)
        #expect(report.undone == [change.record])
        #expect(try office.shown("Post", "p1")?["rating"] == 5)
        office.shelf.beforePush = { _ in }
        #expect(office.sync().failure == nil)
        #expect(try office.store.mutations().isEmpty)
        #expect(try office.shown("Post", "p1")?["rating"] == 5)
        #expect(office.shelf.record("Post", "p1")?["rating"] == 5)
        #expect(Set(office.shelf.applied.map(\.key)).count == office.shelf.applied.count)
    }

    @Test func `is kept by undo where finding out would cost later edits`()
        throws
    {
        let office = try Office()
        office.shelf.write("Post", "p1", [("rating", 5)])
        office.sync()
        try office.delete("Post", "p1")
        let change = try office.first()
        office.shelf.afterPush = { () throws(BackendError) in
            throw BackendError(.retryable, "cut")
        }
        _ = try office.push()
        office.shelf.afterPush = {}
        office.shelf.write("Post", "p1", [("rating", 5)])
        office.clock.now += 400_000
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.permanent, "no")
        }
        office.sync()
        #expect(try office.first().state == .rejected)
        try office.update("Post", "p1", [("title", "later")])
        let report = try undo(office, change.group)
        #expect(report.kept.map(\.key) == [change.record])
        #expect(report.kept.allSatisfy { $0.reason.contains("queue retry \(change.seq)") })
        #expect(try office.shown("Post", "p1")?["title"] == "later")
        #expect(try office.store.mutations().count == 2)
    }

    @Test func `is not edited before that is known`() throws {
        let office = try lost()
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.permanent, "no")
        }
        office.sync { $0.pulls = false }
        let seq = try office.first().seq
        let outcome = try office.store.write { () throws(StoreError) in
            try office.outbox.edit(seq, set: JSONObject([("rating", 9)]), group: "r")
        }
        guard case .refused(let reason) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reason.contains("queue retry \(seq)"))
    }

    @Test func `has another key where it was never sent before`() throws {
        let office = try Office()
        try office.create("Post", "p1")
        let key = try office.first().key
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.permanent, "no")
        }
        office.sync()
        #expect(try office.first().failure?.kind == "refused")
        #expect(try retry(office) == .done)
        #expect(try office.first().key != key)
        #expect(try office.first().state == .queued)
    }

    @Test(arguments: ["server", "unsettled", "schema"])
    func `has another key once the backend refused it by itself, whatever its code`(
        _ code: String
    ) throws {
        let office = try lost()
        let key = try office.first().key
        office.shelf.verdict = { _ in .rejected(message: "no", code: code, field: nil) }
        office.sync()
        #expect(try office.first().state == .rejected)
        let failure = try office.first().failure
        let told = [failure?.kind, failure?.message].compactMap { $0 }
        #expect(told.contains { $0.contains(code) })
        office.shelf.verdict = { _ in nil }
        _ = try retry(office)
        #expect(try office.store.mutations().allSatisfy { $0.key != key })
    }
}
