import JSON
import Outbox
import Records
import Storage
import Sync
import Testing

/// A count from 5 to 6 that may have arrived was refused, and there is a later one, from 6 to 7.
@Suite struct `An edit upon one that may have arrived before it was refused` {
    static let policies = [
        MergePolicies(model: .manual, fields: ["rating": .counter]), MergePolicies(model: .manual),
        MergePolicies(model: .server),
    ]

    /// Where it `arrives`, the first took effect, though the answer was lost.
    private func office(_ policies: MergePolicies, arrives: Bool) throws -> Office {
        let office = try Office(settings: SyncSettings(policies: ["Post": policies]))
        office.shelf.write("Post", "p1", [("rating", 5), ("title", "a")])
        office.sync()
        try office.update("Post", "p1", [("rating", 6)])
        let cut = { () throws(BackendError) in throw BackendError(.retryable, "cut") }
        if arrives {
            office.shelf.afterPush = cut
        } else {
            office.shelf.beforePush = { (_) throws(BackendError) in try cut() }
        }
        _ = try office.push()
        office.shelf.afterPush = {}
        try office.update("Post", "p1", [("rating", 7)])
        office.clock.now += 400_000
        let key = try office.first().key
        office.shelf.beforePush = { (operations) throws(BackendError) in
            if operations.contains(where: { $0.key == key }) {
                throw BackendError(.permanent, "no")
            }
        }
        office.sync()
        office.shelf.beforePush = { _ in }
        return office
    }

    private func states(_ office: Office) throws -> [Mutation.State] {
        try office.store.mutations().map(\.state)
    }

    private func retry(_ office: Office, _ policies: MergePolicies) throws {
        let seq = try office.first().seq
        let outcome = try office.store.write { () throws(StoreError) in
            try office.outbox.retry(seq, policies: policies, group: "r")
        }
        #expect(outcome == .done)
    }

    private func drop(_ office: Office, _ policies: MergePolicies) throws {
        let seq = try office.first().seq
        let outcome = try office.store.write { () throws(StoreError) in
            try office.outbox.drop(seq, policies: { _ in policies }, group: "r")
        }
        #expect(outcome == .done)
    }

    @Test(arguments: policies, [true, false])
    func `waits until that is known, and counts once`(
        _ policies: MergePolicies, _ arrives: Bool
    ) throws {
        let office = try office(policies, arrives: arrives)
        #expect(try states(office) == [.rejected, .waiting])
        #expect(try office.shown("Post", "p1")?["rating"] == 7)
        #expect(try office.store.orphans() == StoreOrphans())
        // However often it is synced.
        office.sync()
        #expect(try states(office) == [.rejected, .waiting])
        #expect(office.shelf.record("Post", "p1")?["rating"] == (arrives ? 6 : 5))
        try retry(office, policies)
        #expect(try office.shown("Post", "p1")?["rating"] == 7)
        #expect(office.sync().failure == nil)
        #expect(try office.store.mutations().isEmpty)
        #expect(office.shelf.record("Post", "p1")?["rating"] == 7)
        #expect(try office.shown("Post", "p1")?["rating"] == 7)
    }

    @Test(arguments: policies, [true, false])
    func `goes once the first is dropped`(_ policies: MergePolicies, _ arrives: Bool) throws {
        let office = try office(policies, arrives: arrives)
        try drop(office, policies)
        #expect(try states(office) == [.queued])
        #expect(office.sync().failure == nil)
        #expect(try office.store.mutations().isEmpty)
        #expect(office.shelf.record("Post", "p1")?["rating"] == 7)
    }

    @Test func `goes once the backend refuses the first by itself`() throws {
        let office = try office(Self.policies[0], arrives: false)
        try retry(office, Self.policies[0])
        let key = try office.first().key
        office.shelf.verdict = {
            $0.key == key ? .rejected(message: "no", code: "rule", field: nil) : nil
        }
        office.sync()
        #expect(try states(office) == [.rejected])
        #expect(office.shelf.record("Post", "p1")?["rating"] == 7)
    }

    @Test func `waits again where the first is refused in the lump again`() throws {
        let office = try office(Self.policies[0], arrives: true)
        try retry(office, Self.policies[0])
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.permanent, "no")
        }
        office.sync()
        #expect(try states(office) == [.rejected, .waiting])
        office.shelf.beforePush = { _ in }
        try retry(office, Self.policies[0])
        office.sync()
        #expect(try office.store.mutations().isEmpty)
        #expect(office.shelf.record("Post", "p1")?["rating"] == 7)
    }

    @Test func `is merged with what others wrote meanwhile once that is known`() throws {
        let office = try office(Self.policies[0], arrives: true)
        office.shelf.write("Post", "p1", [("rating", 16), ("title", "theirs")])
        office.sync()
        #expect(try states(office) == [.rejected, .waiting])
        try retry(office, Self.policies[0])
        office.sync()
        #expect(try office.store.mutations().isEmpty)
        #expect(office.shelf.record("Post", "p1")?["rating"] == 17)
        #expect(office.shelf.record("Post", "p1")?["title"] == "theirs")
    }

    @Test func `takes later edits in, and waits though it says what is there`() throws {
        let office = try office(Self.policies[0], arrives: true)
        try office.update("Post", "p1", [("rating", 5), ("title", "b")])
        try office.update("Post", "p1", [("title", "a")])
        #expect(try states(office) == [.rejected, .waiting])
        #expect(try office.shown("Post", "p1")?["rating"] == 5)
        try retry(office, Self.policies[0])
        office.sync()
        #expect(try office.store.mutations().isEmpty)
        #expect(office.shelf.record("Post", "p1")?["rating"] == 5)
    }

    @Test func `waits as a delete too, and is no conflict with the first`() throws {
        let office = try office(Self.policies[1], arrives: true)
        try office.delete("Post", "p1")
        #expect(try states(office) == [.rejected, .waiting])
        try retry(office, Self.policies[1])
        office.sync()
        #expect(try office.store.mutations().isEmpty)
        #expect(office.shelf.entries.values.allSatisfy { $0.record == nil })
    }

    @Test func `is not held where it was made afterwards, upon what was in view then`() throws {
        let office = try office(Self.policies[1], arrives: true)
        let later = try #require(try office.store.mutations().last)
        _ = try office.store.write { () throws(StoreError) in
            try office.outbox.drop(later.seq, policies: { _ in Self.policies[1] }, group: "r")
        }
        office.sync()
        try office.update("Post", "p1", [("rating", 9)])
        office.sync()
        #expect(try states(office) == [.rejected])
        #expect(office.shelf.record("Post", "p1")?["rating"] == 9)
        try retry(office, Self.policies[1])
        office.sync()
        #expect(try office.store.mutations().isEmpty)
        #expect(office.shelf.record("Post", "p1")?["rating"] == 9)
    }

    @Test func `counts too where it was made after the first was refused`() throws {
        let office = try Office(settings: SyncSettings(policies: ["Post": Self.policies[0]]))
        office.shelf.write("Post", "p1", [("rating", 5), ("title", "a")])
        office.sync()
        try office.update("Post", "p1", [("rating", 6)])
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.retryable, "cut")
        }
        _ = try office.push()
        office.clock.now += 400_000
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.permanent, "no")
        }
        office.sync()
        #expect(try states(office) == [.rejected])
        office.shelf.beforePush = { _ in }
        try office.update("Post", "p1", [("rating", 6)])
        try retry(office, Self.policies[0])
        office.sync()
        #expect(try office.store.mutations().isEmpty)
        #expect(office.shelf.record("Post", "p1")?["rating"] == 7)
    }

    @Test func `is deleted where it makes anew what may be deleted`() throws {
        let office = try Office()
        office.shelf.write("Post", "p1", [("title", "a")])
        office.sync()
        try office.delete("Post", "p1")
        office.shelf.afterPush = { () throws(BackendError) in
            throw BackendError(.retryable, "cut")
        }
        _ = try office.push()
        office.shelf.afterPush = {}
        try office.create("Post", "p1", [("title", "b")])
        office.clock.now += 400_000
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.permanent, "no")
        }
        office.sync { $0.pulls = false }
        office.shelf.beforePush = { _ in }
        #expect(try states(office) == [.rejected, .waiting])
        #expect(try office.shown("Post", "p1")?["title"] == "b")
        // Made and gone again, but nobody knows whether the one before it is gone.
        try office.delete("Post", "p1")
        #expect(try office.store.mutations().map(\.kind) == [.delete, .delete])
        #expect(try states(office) == [.rejected, .waiting])
        #expect(try office.shown("Post", "p1") == nil)
        try retry(office, MergePolicies())
        office.sync()
        #expect(try office.store.mutations().isEmpty)
        #expect(office.shelf.record("Post", "p1") == nil)
    }

    @Test func `makes a record anew once its delete is known to have arrived`() throws {
        let office = try Office()
        office.shelf.write("Post", "p1", [("title", "a")])
        office.sync()
        try office.delete("Post", "p1")
        office.shelf.afterPush = { () throws(BackendError) in
            throw BackendError(.retryable, "cut")
        }
        _ = try office.push()
        office.shelf.afterPush = {}
        try office.create("Post", "p1", [("title", "b")])
        office.clock.now += 400_000
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.permanent, "no")
        }
        office.sync { $0.pulls = false }
        office.shelf.beforePush = { _ in }
        try retry(office, MergePolicies())
        office.sync()
        #expect(try office.store.mutations().isEmpty)
        #expect(office.shelf.record("Post", "p1")?["title"] == "b")
    }
}
