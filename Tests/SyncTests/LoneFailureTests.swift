import JSON
import Records
import Storage
import Sync
import Testing

@Suite struct `A change that fails alone` {
    private static func isSick(_ operations: [PushOperation]) -> Bool {
        operations.contains { $0.id.text == "p1" }
    }

    /// Others passed while it failed, so often that it is suspected; now it is alone.
    private func suspected() throws -> Office {
        let office = try Office()
        try office.create("Post", "p1")
        office.shelf.beforePush = { (operations) throws(BackendError) in
            if Self.isSick(operations) { throw BackendError(.retryable, "500") }
        }
        for round in 0..<60 {
            try office.create("Post", "q\(round)")
            _ = office.sync { $0.pulls = false }
            office.clock.now += 600_000
            if try office.first().attempts >= 3 { break }
        }
        let left = try office.store.mutations()
        #expect(left.map(\.id.text) == ["p1"] && left.map(\.attempts) == [3])
        return office
    }

    @Test(arguments: [true, false]) func `is not charged while nothing passes`(
        _ isAnswered: Bool
    ) throws {
        let office = try suspected()
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.retryable, "503")
        }
        if !isAnswered {
            office.shelf.onPing = { () throws(BackendError) in
                throw BackendError(.retryable, "no route")
            }
        }
        for _ in 0..<40 {
            _ = office.sync()
            office.clock.now += 600_000
        }
        #expect(try office.first().state == .unknown)
        #expect(try office.first().attempts == 3)
        office.shelf.beforePush = { _ in }
        office.shelf.onPing = {}
        #expect(office.sync().failure == nil)
        #expect(try office.store.mutations().isEmpty)
    }

    @Test func `makes the context wait where nothing answers`() throws {
        let office = try suspected()
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.retryable, "no route")
        }
        office.shelf.onPing = { () throws(BackendError) in
            throw BackendError(.retryable, "no route")
        }
        for _ in 0..<5 {
            _ = office.sync { $0.isAsked = false }
            #expect(try #require(try office.engine.pause()).until > office.clock.now)
            office.clock.now += 600_000
        }
    }

    @Test func `is asked less and less often, and holds up no other, where the backend answers`()
        throws
    {
        let office = try suspected()
        let before = office.shelf.pushes.count
        let end = office.clock.now + 3_600_000
        var last = before
        while office.clock.now < end
            || office.shelf.pushes.count == last && office.clock.now < end + 3_600_000
        {
            last = office.shelf.pushes.count
            office.clock.random = UInt64(office.clock.now)
            _ = office.sync {
                $0.pulls = false
                $0.isAsked = false
            }
            office.clock.now += 1_000
        }
        let count = office.shelf.pushes.count - before
        #expect(count > 3 && count < 60, "\(count)")
        // It has just failed, and whatever is written now does not wait for it.
        try office.create("Post", "r1")
        _ = office.sync {
            $0.pulls = false
            $0.isAsked = false
        }
        #expect(try office.store.mutations().map(\.id.text) == ["p1"])
    }
}
