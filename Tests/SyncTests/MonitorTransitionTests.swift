import Sync
import Testing

@Suite struct `The network monitor` {
    struct Step: CustomTestStringConvertible {
        var events: [NetworkMonitor.Event]
        var state: NetworkMonitor.State
        var effects: [NetworkMonitor.Effect]
        var testDescription: String { "\(events)" }
    }

    static let table = [
        Step(events: [.timer], state: .unknown, effects: [.ping]),
        Step(events: [.answered], state: .online, effects: [.report(.online), .sync]),
        Step(events: [.answered, .answered], state: .online, effects: []),
        Step(events: [.unreachable], state: .offline, effects: [.report(.offline)]),
        Step(
            events: [.unreachable, .answered], state: .online, effects: [.report(.online), .sync]),
        Step(events: [.refusedAuth], state: .needsAuth, effects: [.report(.needsAuth)]),
        Step(events: [.refusedAuth, .timer], state: .needsAuth, effects: []),
        Step(events: [.refusedAuth, .loggedIn], state: .needsAuth, effects: [.ping]),
        Step(events: [.paused], state: .paused, effects: [.report(.paused)]),
        Step(events: [.paused, .answered], state: .paused, effects: []),
        Step(events: [.paused, .resumed], state: .unknown, effects: [.report(.unknown), .ping]),
        Step(events: [.answered, .interfaceChanged], state: .online, effects: [.ping]),
    ]

    @Test(arguments: table) func `goes from state to state as told`(_ step: Step) {
        var monitor = NetworkMonitor(now: 1_000)
        var effects: [NetworkMonitor.Effect] = []
        for event in step.events { effects = monitor.receive(event, now: 1_000, random: 7) }
        #expect(monitor.state == step.state)
        #expect(effects == step.effects)
    }

    @Test func `asks less and less often while the backend is away, but every minute`() {
        var monitor = NetworkMonitor(now: 0)
        var waits: [Int64] = []
        for _ in 1...12 {
            _ = monitor.receive(.unreachable, now: 0, random: .max)
            waits.append(monitor.pollAt ?? -1)
        }
        #expect(waits.allSatisfy { $0 > 0 && $0 <= NetworkMonitor.offlineCap })
        #expect(waits.last ?? 0 >= NetworkMonitor.offlineCap / 2)
    }

    @Test func `doubles the wait from a second to a minute, and begins anew once it was there`() {
        var monitor = NetworkMonitor(now: 0)
        /// Half of each wait is certain: nothing is drawn on top of it.
        func wait(at now: Int64 = 0) -> Int64? {
            _ = monitor.receive(.unreachable, now: now, random: 0)
            return monitor.pollAt.map { ($0 - now) * 2 }
        }
        let waits: [Int64] = [1, 2, 4, 8, 16, 32, 60, 60].map { $0 * 1_000 }
        for expected in waits { #expect(wait() == expected) }
        _ = monitor.receive(.answered, now: 0, random: 0)
        #expect(wait(at: 29_999) == 60_000)
        _ = monitor.receive(.answered, now: 30_000, random: 0)
        #expect(wait(at: 60_000) == 1_000)
        // A clock that was set back does not tell for how long it was there.
        _ = wait(at: 60_000)
        _ = monitor.receive(.answered, now: 60_000, random: 0)
        #expect(wait(at: 10_000) == 1_000)
    }

    @Test func `asks a backend that comes and goes less and less often as well`() {
        var monitor = NetworkMonitor(now: 0)
        var now: Int64 = 0
        var reports = 0
        while now < 3_600_000 {
            reports += monitor.receive(.answered, now: now, random: 0).count { $0 != .sync }
            reports += monitor.receive(.unreachable, now: now, random: 0).count
            now = monitor.pollAt ?? .max
        }
        #expect(reports < 300)
    }

    @Test func `asks nothing while paused`() {
        var monitor = NetworkMonitor(now: 0)
        _ = monitor.receive(.paused, now: 0, random: 1)
        #expect(monitor.pollAt == nil)
    }
}
