import JSON
import Records
import Storage
import Sync
import Testing

@Suite struct `Syncing in the background` {
    private final class Told {
        var notices: [BackgroundSync.Notice] = []
    }

    private func start(_ office: Office, _ told: Told = Told()) -> BackgroundSync {
        BackgroundSync(
            engine: office.engine, backend: office.shelf, isPaused: false,
            notify: { told.notices.append($0) })
    }

    @Test func `goes online by the backend's answer, pushes, pulls and says so`() throws {
        let office = try Office()
        office.shelf.write("Post", "p1", [("title", "a")])
        try office.create("Post", "mine")
        let told = Told()
        var background = start(office, told)
        background.turn()
        #expect(background.monitor.state == .online)
        #expect(told.notices.first == .network(.online))
        #expect(told.notices.contains(.synced(pushed: 1, pulled: 1, deleted: 0)))
    }

    @Test func `tries again on its own timer, without any new write`() throws {
        let office = try Office()
        try office.create("Post", "mine")
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.retryable, "503")
        }
        var background = start(office)
        background.turn()
        #expect(background.monitor.state == .online)
        office.shelf.beforePush = { _ in }
        var turns = 0
        while try !office.store.mutations().isEmpty, turns < 20 {
            office.clock.now = try #require(background.wakeAt)
            background.turn()
            turns += 1
        }
        #expect(turns < 20)
        #expect(office.shelf.applied.count == 1)
    }

    @Test func `drains what a killed process was sending`() throws {
        let office = try Office()
        for id in ["p1", "p2"] { try office.create("Post", id) }
        let killed = office.another("killed")
        office.shelf.afterPush = { () throws(BackendError) in
            office.clock.isAlive = false
            throw BackendError(.cancelled, "nobody learns of this")
        }
        try killed.takeLease()
        _ = try killed.pushStep(PushSelection())
        // As the kill left them: on their way, the lease not given back.
        for var mutation in try office.store.mutations() {
            mutation.state = .sending
            try office.store.write { () throws(StoreError) in
                try office.store.updateMutation(mutation)
            }
        }
        office.shelf.afterPush = {}
        var background = start(office)
        try turn(&background, office) { try office.store.mutations().isEmpty }
        #expect(office.shelf.applied.map(\.id.text) == ["p1", "p2"])
    }

    @Test(arguments: [BackendError.Kind.retryable, .broken])
    func `goes online, and drains, when the backend comes up`(_ kind: BackendError.Kind) throws {
        let office = try Office()
        try office.create("Post", "mine")
        office.shelf.write("Post", "theirs", [])
        office.shelf.onPing = { () throws(BackendError) in throw BackendError(kind, "away") }
        var background = start(office)
        for _ in 0..<5 {
            background.turn()
            #expect(background.monitor.state == .offline)
            office.clock.now = try #require(background.wakeAt)
        }
        #expect(office.shelf.pushes.isEmpty)
        office.shelf.onPing = {}
        try turn(&background, office) { try office.store.mutations().isEmpty }
        #expect(try office.shown("Post", "theirs") != nil)
    }

    @Test(arguments: [BackendError.Kind.retryable, .broken, .cancelled])
    func `goes on after a push that was not answered in time`(_ kind: BackendError.Kind) throws {
        let office = try Office()
        for id in ["p1", "p2"] { try office.create("Post", id) }
        office.shelf.afterPush = { () throws(BackendError) in
            throw BackendError(kind, "no answer")
        }
        var background = start(office)
        background.turn()
        office.shelf.afterPush = {}
        try office.create("Post", "p3")
        try turn(&background, office) { try office.store.mutations().isEmpty }
        #expect(office.shelf.applied.map(\.id.text) == ["p1", "p2", "p3"])
    }

    @Test func `goes on after the machine slept for hours`() throws {
        let office = try Office()
        var background = start(office)
        background.turn()
        try office.create("Post", "before")
        office.clock.now += 5 * 3_600_000
        try office.create("Post", "after")
        try turn(&background, office) { try office.store.mutations().isEmpty }
        #expect(office.shelf.applied.map(\.id.text) == ["before", "after"])
    }

    @Test func `does not ask again and again where every answer is a missing login`() throws {
        let office = try Office()
        for id in ["p1", "p2"] { try office.create("Post", id) }
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.auth, "401")
        }
        let told = Told()
        var background = start(office, told)
        for _ in 0..<100 {
            background.turn()
            office.clock.now += 60_000
        }
        #expect(background.monitor.state == .needsAuth)
        #expect(background.wakeAt == nil)
        #expect(office.shelf.pushes.count == 1)
        #expect(told.notices.filter { $0 == .network(.needsAuth) }.count == 1)
        office.shelf.beforePush = { _ in }
        background.receive(.loggedIn)
        try turn(&background, office) { try office.store.mutations().isEmpty }
        #expect(office.shelf.applied.map(\.id.text) == ["p1", "p2"])
    }

    @Test func `is online by what a sync heard that somebody asked for`() throws {
        let office = try Office()
        office.shelf.onPing = { () throws(BackendError) in throw BackendError(.retryable, "away") }
        var background = start(office)
        background.turn()
        #expect(background.monitor.state == .offline)
        // Nothing was to be sent, and nobody was asked.
        background.heard(office.sync { $0.pulls = false })
        #expect(background.monitor.state == .offline)
        background.heard(office.sync())
        #expect(background.monitor.state == .online)
        let poll = try #require(background.monitor.pollAt)
        office.clock.now += 5_000
        try office.create("Post", "mine")
        background.heard(office.sync { $0.pulls = false })
        #expect(background.monitor.pollAt == poll + 5_000)
        office.shelf.beforePull = { (_) throws(BackendError) in throw BackendError(.auth, "401") }
        background.heard(office.sync())
        #expect(background.monitor.state == .needsAuth)
        #expect(background.wakeAt == nil)
    }

    @Test func `asks at once where an interface changes`() throws {
        let office = try Office()
        var pings = 0
        office.shelf.onPing = { () throws(BackendError) in
            pings += 1
            throw BackendError(.retryable, "away")
        }
        var background = start(office)
        for _ in 0..<8 {
            background.turn()
            office.clock.now = try #require(background.wakeAt)
        }
        let before = pings
        office.clock.now -= 20_000
        background.turn()
        #expect(pings == before)
        office.shelf.onPing = { pings += 1 }
        background.receive(.interfaceChanged)
        #expect(pings > before)
        #expect(background.monitor.state == .online)
    }

    /// Takes turns as a driver would, twenty at most, until it is `done`.
    private func turn(
        _ background: inout BackgroundSync, _ office: Office, until done: () throws -> Bool
    ) throws {
        for _ in 0..<20 {
            if try done() { return }
            office.clock.now = max(office.clock.now, background.wakeAt ?? 0)
            background.turn()
        }
        #expect(try done())
    }

    @Test func `does not turn in circles while the context waits`() throws {
        let office = try Office()
        try office.create("Post", "mine")
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.rateLimited(afterMilliseconds: 20_000), "429")
        }
        var background = start(office)
        background.turn()
        let pushes = office.shelf.pushes.count
        let wake = try #require(background.wakeAt)
        #expect(wake >= office.clock.now + 10_000)
        office.clock.now += 5_000
        background.turn()
        #expect(office.shelf.pushes.count == pushes)
    }

    @Test func `asks for what an event names, and writes nothing that it says`() throws {
        for hasDelta in [true, false] {
            let office = try Office()
            office.shelf.able.hasEvents = true
            office.shelf.able.hasDelta = hasDelta
            office.shelf.write("Post", "p1", [("title", "a"), ("body", "x")])
            var background = start(office)
            background.turn()
            #expect(office.shelf.isSubscribed)
            office.shelf.write("Post", "p1", [("title", "b"), ("body", "x")])
            office.shelf.events = [
                .changed(
                    model: "Post", id: RecordID("p1"), version: 2,
                    record: JSONObject([("title", "b")]), deleted: false, originKey: nil)
            ]
            office.clock.now = try #require(background.wakeAt)
            background.turn()
            #expect(try office.shown("Post", "p1")?["title"] == "b")
            #expect(try office.shown("Post", "p1")?["body"] == "x")
        }
    }

    @Test func `asks for nothing when an event tells of what is known`() throws {
        let office = try Office()
        office.shelf.able.hasEvents = true
        office.shelf.write("Post", "p1", [("title", "a")])
        var background = start(office)
        background.turn()
        let pulls = office.shelf.pulls.count
        office.shelf.events = [
            .changed(
                model: "Post", id: RecordID("p1"), version: 1, record: nil, deleted: false,
                originKey: nil)
        ]
        office.clock.now = try #require(background.wakeAt)
        background.turn()
        #expect(office.shelf.pulls.count == pulls)
    }

    @Test func `pulls everything after a gap, or a line that broke`() throws {
        let office = try Office()
        office.shelf.able.hasEvents = true
        var background = start(office)
        background.turn()
        office.shelf.write("Post", "p1", [("title", "a")])
        office.shelf.events = [.gap]
        office.clock.now = try #require(background.wakeAt)
        background.turn()
        #expect(try office.shown("Post", "p1") != nil)

        office.shelf.write("Post", "p2", [("title", "a")])
        office.shelf.onEvents = { () throws(BackendError) in
            throw BackendError(.retryable, "cut")
        }
        office.clock.now = try #require(background.wakeAt)
        background.turn()
        office.shelf.onEvents = {}
        for _ in 0..<3 {
            office.clock.now = try #require(background.wakeAt)
            background.turn()
        }
        #expect(try office.shown("Post", "p2") != nil)
        #expect(office.shelf.subscriptions == 2)
    }

    @Test func `asks by the clock where the line for events breaks again and again`() throws {
        let office = try Office()
        office.shelf.able.hasEvents = true
        office.shelf.onEvents = { () throws(BackendError) in
            throw BackendError(.retryable, "cut")
        }
        let told = Told()
        var background = start(office, told)
        let begun = office.clock.now
        var opened: [Int64] = []
        while office.clock.now < begun + 3_600_000 {
            let before = office.shelf.subscriptions
            background.turn()
            if office.shelf.subscriptions > before { opened.append(office.clock.now - begun) }
            office.clock.now = max(office.clock.now + 1, try #require(background.wakeAt))
        }
        // It is there all the same, and what changes is heard of.
        #expect(told.notices.filter { $0 == .network(.online) }.count == 1)
        #expect(!told.notices.contains(.network(.offline)))
        #expect(opened.filter { $0 < 1_000 }.count == 3)
        // Then after 5, 10, 20 s and so on up to 5 minutes, three times each.
        #expect(opened.filter { $0 < 60_000 }.count <= 15)
        #expect(opened.count < 70)
        office.shelf.onEvents = {}
        office.shelf.write("Post", "p1", [("title", "a")])
        try turn(&background, office) { try office.shown("Post", "p1") != nil }
    }
}
