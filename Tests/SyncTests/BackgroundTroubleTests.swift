import Outbox
import Records
import Storage
import Sync
import Testing

@Suite struct `A backend that answers, but not what is asked` {
    private final class Told {
        var notices: [BackgroundSync.Notice] = []
    }

    /// Each draw of a delay gives the longest.
    private static let longest = UInt64(1_000 << 20) - 1

    private func office() throws -> Office {
        let office = try Office()
        office.clock.random = Self.longest
        return office
    }

    private func start(_ office: Office, _ told: Told = Told()) -> BackgroundSync {
        BackgroundSync(
            engine: office.engine, backend: office.shelf, isPaused: false,
            notify: { told.notices.append($0) })
    }

    /// Takes turns when they are due for so many milliseconds.
    private func run(_ background: inout BackgroundSync, _ office: Office, for time: Int64) throws {
        let end = office.clock.now + time
        while office.clock.now < end {
            background.turn()
            office.clock.now = max(office.clock.now + 1, try #require(background.wakeAt))
        }
    }

    /// The time between one and the next.
    private func gaps(_ times: [Int64]) -> [Int64] { zip(times.dropFirst(), times).map { $0 - $1 } }

    @Test func `is read while it takes no changes, which it is offered less and less often`() throws
    {
        let office = try office()
        try office.create("Post", "mine")
        var times: [Int64] = []
        office.shelf.beforePush = { (_) throws(BackendError) in
            times.append(office.clock.now)
            throw BackendError(.retryable, "503")
        }
        let told = Told()
        var background = start(office, told)
        background.turn()
        office.shelf.write("Post", "theirs", [])
        try run(&background, office, for: 600_000)
        #expect(try office.shown("Post", "theirs") != nil)
        #expect(background.monitor.state == .online)
        #expect(told.notices.filter { $0 == .network(.online) }.count == 1)
        #expect(times.count < 15)
        #expect(gaps(times).max() ?? 0 > 100_000)
        office.shelf.beforePush = { _ in }
        try run(&background, office, for: 400_000)
        #expect(try office.store.mutations().isEmpty)
    }

    @Test func `is asked for its records less and less often, until it gives them`() throws {
        let office = try office()
        office.shelf.write("Post", "theirs", [])
        var times: [Int64] = []
        office.shelf.beforePull = { (_) throws(BackendError) in
            times.append(office.clock.now)
            throw BackendError(.retryable, "503")
        }
        let told = Told()
        var background = start(office, told)
        try run(&background, office, for: 600_000)
        #expect(background.monitor.state == .online)
        #expect(told.notices.filter { $0 == .network(.online) }.count == 1)
        #expect(times.count < 15)
        #expect(gaps(times).max() ?? 0 > 100_000)
        office.shelf.beforePull = { _ in }
        try run(&background, office, for: 400_000)
        #expect(try office.shown("Post", "theirs") != nil)
    }

    @Test func `is not asked for records before the time that it named`() throws {
        let office = try office()
        office.shelf.write("Post", "theirs", [])
        let begun = office.clock.now
        office.shelf.beforePull = { (_) throws(BackendError) in
            if office.clock.now < begun + 3_600_000 {
                throw BackendError(.rateLimited(afterMilliseconds: 3_600_000), "429")
            }
        }
        var background = start(office)
        try run(&background, office, for: 3_500_000)
        #expect(office.shelf.pulls.count <= 1)
        try run(&background, office, for: 300_000)
        #expect(try office.shown("Post", "theirs") != nil)
    }

    @Test(arguments: [BackendError.Kind.broken, .hung, .retryable])
    func `stays online where only the pull fails, and says why once`(
        _ kind: BackendError.Kind
    ) throws {
        let office = try office()
        var times: [Int64] = []
        office.shelf.beforePull = { (_) throws(BackendError) in
            times.append(office.clock.now)
            throw BackendError(kind, "trouble")
        }
        let told = Told()
        var background = start(office, told)
        try run(&background, office, for: 600_000)
        try office.create("Post", "mine")
        try run(&background, office, for: 60_000)
        let failures = told.notices.filter { if case .failed = $0 { true } else { false } }
        #expect(told.notices.filter { $0 == .network(.online) }.count == 1)
        #expect(!told.notices.contains(.network(.offline)))
        #expect(failures.count == (kind == .retryable ? 0 : 1))
        #expect(times.count < 15)
        #expect(office.shelf.applied.count == 1)
    }

    @Test func `is asked once where a poll finds that it is gone`() throws {
        let office = try office()
        var background = start(office)
        background.turn()
        office.shelf.beforePull = { (_) throws(BackendError) in
            office.shelf.onPing = { () throws(BackendError) in
                throw BackendError(.retryable, "away")
            }
            throw BackendError(.retryable, "away")
        }
        let pulls = office.shelf.pulls.count
        office.clock.now = try #require(background.wakeAt)
        background.turn()
        #expect(background.monitor.state == .offline)
        #expect(office.shelf.pulls.count == pulls + 1)
    }

    @Test func `is offered what is new at once, though nothing of what waits goes`() throws {
        let office = try office()
        try office.create("Post", "stuck")
        office.shelf.verdict = { operation in
            operation.id.text == "stuck" ? .retry(message: "later", afterMilliseconds: 0) : nil
        }
        var background = start(office)
        try run(&background, office, for: 600_000)
        let pushes = office.shelf.pushes.count
        // Up to four with each poll.
        #expect(pushes < 200)
        try office.create("Post", "new")
        background.turn()
        #expect(office.shelf.applied.map(\.id.text) == ["new"])
    }

    @Test func `keeps nobody waiting at a command for longer than ten seconds`() throws {
        let office = try office()
        office.shelf.write("Post", "theirs", [])
        office.shelf.beforePull = { (_) throws(BackendError) in
            throw BackendError(.rateLimited(afterMilliseconds: 3_600_000), "429")
        }
        let outcome = office.sync()
        #expect(office.clock.waited == 0)
        guard case .backend(let cause)? = outcome.failure else {
            Issue.record("\(outcome)")
            return
        }
        #expect(cause.kind == .rateLimited(afterMilliseconds: 3_600_000))
    }

    @Test func `is left in peace as long as it said, also by a process that begins`() throws {
        let office = try office()
        try office.create("Post", "mine")
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.rateLimited(afterMilliseconds: 3_600_000), "429")
        }
        _ = try office.push()
        try office.engine.releaseLease()
        let pushes = office.shelf.pushes.count
        var background = start(office)
        try run(&background, office, for: 600_000)
        #expect(office.shelf.pushes.count == pushes)
    }
}

@Suite struct `A session whose clock or store changes` {
    private func start(_ office: Office) -> BackgroundSync {
        BackgroundSync(
            engine: office.engine, backend: office.shelf, isPaused: false, notify: { _ in })
    }

    @Test func `asks on when the clock is set back by a year`() throws {
        let office = try Office()
        var background = start(office)
        background.turn()
        office.clock.now -= 31_536_000_000
        office.shelf.write("Post", "theirs", [])
        for _ in 0..<3 {
            background.turn()
            let wake = try #require(background.wakeAt)
            #expect(wake <= office.clock.now + 60_000)
            office.clock.now = wake
        }
        #expect(try office.shown("Post", "theirs") != nil)
    }

    @Test func `holds no change for half a day because the clock was set back that far`() throws {
        let office = try Office()
        try office.create("Post", "mine")
        office.shelf.verdict = { _ in .retry(message: "later", afterMilliseconds: nil) }
        _ = try office.push()
        try office.engine.releaseLease()
        office.shelf.verdict = { _ in nil }
        office.clock.now -= 43_200_000
        var background = start(office)
        for _ in 0..<5 {
            background.turn()
            office.clock.now = try #require(background.wakeAt)
        }
        #expect(try office.store.mutations().isEmpty)
    }

    @Test func `hears that another process paused or resumed before its first turn`() throws {
        for isPaused in [true, false] {
            let office = try Office()
            try office.create("Post", "mine")
            try office.store.write { () throws(StoreError) in
                try office.store.setMeta(.paused, isPaused ? "1" : nil)
            }
            var background = BackgroundSync(
                engine: office.engine, backend: office.shelf, isPaused: !isPaused,
                notify: { _ in })
            office.clock.now = try #require(background.wakeAt)
            background.turn()
            #expect((background.monitor.state == .paused) == isPaused)
            #expect(office.shelf.applied.isEmpty == isPaused)
        }
    }

    @Test func `tells once that the store fails, and again where it failed anew`() throws {
        let office = try Office()
        var failures = 0
        var background = BackgroundSync(
            engine: office.engine, backend: office.shelf, isPaused: false,
            notify: { if case .failed = $0 { failures += 1 } })
        background.turn()
        for round in 1...2 {
            office.clock.onStore = { (_) throws(StoreError) in throw StoreError(.busy, "locked") }
            for _ in 0..<5 { background.turn() }
            #expect(failures == round)
            office.clock.onStore = { _ in }
            background.turn()
        }
    }

    @Test func `rests while another process has paused the store`() throws {
        let office = try Office()
        var background = start(office)
        background.turn()
        try office.store.write { () throws(StoreError) in
            try office.store.setMeta(.paused, "1")
        }
        try office.create("Post", "mine")
        office.clock.now = try #require(background.wakeAt)
        background.turn()
        #expect(background.monitor.state == .paused)
        #expect(office.shelf.applied.isEmpty)
        try office.store.write { () throws(StoreError) in
            try office.store.setMeta(.paused, nil)
        }
        for _ in 0..<3 {
            office.clock.now = try #require(background.wakeAt)
            background.turn()
        }
        #expect(office.shelf.applied.count == 1)
    }
}
