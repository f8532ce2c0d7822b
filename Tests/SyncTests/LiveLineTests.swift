import JSON
import Records
import Sync
import Testing

@Suite struct `The line for events` {
    /// When it was opened within an hour, in milliseconds since the session began.
    private func openings(
        _ office: Office, minutes: Int64 = 60, _ begin: (Office) -> Void
    ) -> [Int64] {
        office.shelf.able.hasEvents = true
        begin(office)
        var background = BackgroundSync(
            engine: office.engine, backend: office.shelf, isPaused: false, notify: { _ in })
        let begun = office.clock.now
        let end = begun + minutes * 60_000
        var opened: [Int64] = []
        while office.clock.now < end, opened.count < 1_000 {
            let (before, now) = (office.shelf.subscriptions, office.clock.now)
            background.turn()
            if office.shelf.subscriptions > before { opened.append(now - begun) }
            office.clock.now = max(office.clock.now, background.wakeAt ?? end)
        }
        return opened
    }

    private static let cut = BackendError(.retryable, "cut")

    @Test func `is left to the poll for a while where opening it takes ten seconds, and fails`()
        throws
    {
        let office = try Office()
        let opened = openings(office) { office in
            office.shelf.onSubscribe = { () throws(BackendError) in
                office.clock.now += 10_000
                throw Self.cut
            }
        }
        #expect(opened.count < 70)
        #expect(zip(opened.dropFirst(), opened).contains { $0 - $1 > 300_000 })
    }

    @Test(arguments: [600, 31_000, 120_000] as [Int64])
    func `is left to the poll where it breaks at once, however long the pull after it takes`(
        _ pull: Int64
    ) throws {
        let office = try Office()
        let opened = openings(office) { office in
            var begun: Int64 = 0
            office.shelf.onSubscribe = { begun = office.clock.now }
            office.shelf.beforePull = { (_) throws(BackendError) in
                office.clock.now = max(office.clock.now, begun + pull)
            }
            office.shelf.onEvents = { () throws(BackendError) in throw Self.cut }
        }
        let breaks = zip(opened.dropFirst(), opened).map { $0 - $1 }
        #expect(breaks.contains { $0 > pull + 250_000 }, "\(opened)")
    }

    @Test func `is left to the poll where it breaks after each event`() throws {
        let office = try Office()
        var count = 0
        let opened = openings(office) { office in
            office.shelf.onEvents = { () throws(BackendError) in
                count += 1
                if count % 2 == 0 { throw Self.cut }
                office.shelf.write("Post", "p1", [("rating", .int(Int64(count)))])
                office.shelf.events = [.gap]
            }
        }
        #expect(opened.count < 70)
    }

    @Test func `is opened again at once where it lasted for a minute, each time`() throws {
        let office = try Office()
        var since = office.clock.now
        let opened = openings(office, minutes: 20) { office in
            office.shelf.onSubscribe = { since = office.clock.now }
            office.shelf.onEvents = { () throws(BackendError) in
                if office.clock.now - since >= 60_000 { throw Self.cut }
            }
        }
        #expect(opened.count >= 19)
    }

    @Test func `brings what changed at once, also after much that was no news`() throws {
        let office = try Office()
        office.shelf.able.hasEvents = true
        var background = BackgroundSync(
            engine: office.engine, backend: office.shelf, isPaused: false, notify: { _ in })
        for _ in 0..<200 {
            office.shelf.events = [.gap]
            background.turn()
            office.clock.now = try #require(background.wakeAt)
        }
        office.clock.now += 30_000
        background.turn()
        office.shelf.write("Post", "p1", [])
        office.shelf.events = [.gap]
        for _ in 0..<3 where try office.shown("Post", "p1") == nil {
            let wake = try #require(background.wakeAt)
            #expect(wake <= office.clock.now + 10_000)
            office.clock.now = wake
            background.turn()
        }
        #expect(try office.shown("Post", "p1") != nil)
    }
}
