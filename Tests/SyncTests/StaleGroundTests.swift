import JSON
import Outbox
import Records
import Storage
import Sync
import Testing

@Suite struct `An edit upon one that went before the backend moved on` {
    /// The first edit may have arrived; the backend has somebody else's since, and a later edit stands
    /// upon the first.
    private func office() throws -> Office {
        let office = try Office()
        office.shelf.write("Post", "p1", [("title", "old")])
        office.sync()
        try office.update("Post", "p1", [("title", "mine")])
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.retryable, "lost")
        }
        _ = try office.push()
        office.shelf.beforePush = { _ in }
        office.shelf.write("Post", "p1", [("title", "theirs")])
        office.sync { $0.pushes = false }
        try office.update("Post", "p1", [("title", "mine again")])
        office.clock.now += 400_000
        return office
    }

    /// Nobody who made the later edit has seen what is there.
    private func expectConflict(_ office: Office) throws {
        office.clock.now += 400_000
        office.shelf.verdict = { _ in nil }
        office.sync()
        let left = try office.store.mutations().filter(\.state.isLive)
        #expect(left.map(\.state) == [.conflict], "\(left)")
        #expect(left.first?.was["title"] == "old")
        #expect(office.shelf.record("Post", "p1")?["title"] == "theirs")
    }

    @Test func `is in conflict once the first is refused`() throws {
        let office = try office()
        let first = try office.first()
        office.shelf.verdict = { operation in
            operation.key == first.key ? .rejected(message: "no", code: nil, field: nil) : nil
        }
        office.sync()
        #expect(try office.store.mutation(first.seq)?.state == .rejected)
        try expectConflict(office)
    }

    @Test func `is in conflict once the first is dropped`() throws {
        let office = try office()
        let first = try office.first()
        let outcome = try office.store.write { () throws(StoreError) in
            try office.outbox.drop(
                first.seq, policies: { _ in MergePolicies(model: .manual, fields: [:]) }, group: "d"
            )
        }
        #expect(outcome == .done)
        try expectConflict(office)
    }
}

@Suite struct `What a filtered pull tells to be gone` {
    @Test(arguments: [MergePolicy.server, .local, .manual])
    func `takes no change along that is not sent yet`(_ policy: MergePolicy) throws {
        let filter = Filter.test(Filter.Path([], "rating"), .greaterOrEqual(3))
        let office = try Office(
            settings: SyncSettings(
                filters: ["Post": ("rating >= 3", filter)],
                policies: ["Post": MergePolicies(model: policy, fields: [:])]))
        office.shelf.able.filterOperators = ["ge"]
        office.shelf.able.idempotency = .key
        office.shelf.write("Post", "p1", [("rating", 5), ("title", "old")])
        office.sync()
        try office.update("Post", "p1", [("title", "mine")])
        office.shelf.write("Post", "p1", [("rating", 1), ("title", "old")])
        // Such a backend tells of what left the filter as of what is gone.
        office.shelf.afterPull = { page in
            page.records = page.records.map {
                RemoteRecord(id: $0.id, version: $0.version, record: nil)
            }
        }
        office.sync { $0.pushes = false }
        #expect(try office.store.mutations().map(\.state) == [.queued])
        #expect(try office.shown("Post", "p1")?["title"] == "mine")
        office.sync()
        #expect(office.shelf.record("Post", "p1")?["title"] == "mine")
        #expect(office.shelf.record("Post", "p1")?["rating"] == 1)
        // Delivered, it is no more kept than any other that left.
        office.sync()
        #expect(try office.shown("Post", "p1") == nil)
        #expect(try office.store.mutations().isEmpty)
    }

    @Test func `is found to be deleted when the change is sent`() throws {
        let filter = Filter.test(Filter.Path([], "rating"), .greaterOrEqual(3))
        let office = try Office(
            settings: SyncSettings(filters: ["Post": ("rating >= 3", filter)]))
        office.shelf.able.filterOperators = ["ge"]
        office.shelf.write("Post", "p1", [("rating", 5)])
        office.sync()
        try office.update("Post", "p1", [("title", "mine")])
        office.shelf.write("Post", "p1", nil)
        office.sync { $0.pushes = false }
        #expect(try office.store.mutations().map(\.state) == [.queued])
        office.sync()
        #expect(try office.first().state == .conflict)
        #expect(try office.first().failure?.kind == "edit-delete")
    }
}

@Suite struct `A record made anew over a deletion of unknown outcome` {
    @Test func `is not taken for delivered because the deletion was`() throws {
        let office = try Office()
        office.shelf.able.idempotency = .conditional
        office.shelf.write("Post", "p1", [("title", "old")])
        office.sync()
        try office.delete("Post", "p1")
        office.shelf.afterPush = { () throws(BackendError) in throw BackendError(.retryable, "lost")
        }
        _ = try office.push()
        #expect(try office.first().state == .unknown)
        office.shelf.afterPush = {}
        try office.create("Post", "p1", [("title", "anew")])
        office.clock.now += 400_000
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.retryable, "lost before it arrived")
        }
        office.sync()
        office.shelf.beforePush = { _ in }
        office.clock.now += 400_000
        office.sync()
        #expect(office.shelf.record("Post", "p1")?["title"] == "anew")
        #expect(try office.shown("Post", "p1")?["title"] == "anew")
        #expect(try office.store.mutations().isEmpty)
    }
}

@Suite struct `A page with two states of a record` {
    @Test func `keeps none of them aside once the later one can be read`() throws {
        let office = try Office()
        office.shelf.write("Post", "p1", [("rating", 3)])
        office.shelf.afterPull = { page in
            guard let last = page.records.first, let record = last.record else { return }
            let odd = record.overlaid(with: JSONObject([("rating", "many")]))
            page.records.insert(RemoteRecord(id: last.id, version: 0, record: odd), at: 0)
        }
        office.sync()
        #expect(try office.shown("Post", "p1")?["rating"] == 3)
        #expect(try office.store.quarantineCount() == 0)
    }
}
