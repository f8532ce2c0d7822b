import Sync
import Testing

@Suite struct `The network monitor` {
    struct Step: CustomTestStringConvertible {
        var from: NetworkMonitor.State
        var event: NetworkMonitor.Event
        var to: NetworkMonitor.State
        var effects: [NetworkMonitor.Effect]
        var testDescription: String { "\(from), \(event)" }
    }

    static let table = [
        Step(from: .unknown, event: .answered, to: .online, effects: [.report(.online), .sync]),
        Step(from: .offline, event: .answered, to: .online, effects: [.report(.online), .sync]),
        Step(from: .needsAuth, event: .answered, to: .online, effects: [.report(.online), .sync]),
        Step(from: .online, event: .answered, to: .online, effects: []),
        Step(from: .online, event: .unreachable, to: .offline, effects: [.report(.offline)]),
        Step(from: .offline, event: .unreachable, to: .offline, effects: []),
        Step(from: .online, event: .refusedAuth, to: .needsAuth, effects: [.report(.needsAuth)]),
        Step(from: .needsAuth, event: .loggedIn, to: .needsAuth, effects: [.ping]),
        Step(from: .needsAuth, event: .timer, to: .needsAuth, effects: []),
        Step(from: .offline, event: .interfaceChanged, to: .offline, effects: [.ping]),
        Step(from: .online, event: .paused, to: .paused, effects: [.report(.paused)]),
        Step(from: .paused, event: .answered, to: .paused, effects: []),
        Step(from: .paused, event: .resumed, to: .unknown, effects: [.report(.unknown), .ping]),
    ]

    private func monitor(_ state: NetworkMonitor.State) -> NetworkMonitor {
        var monitor = NetworkMonitor(isPaused: state == .paused, now: 0)
        switch state {
        case .unknown, .paused: break
        case .online: _ = monitor.receive(.answered, now: 0, random: 0)
        case .offline: _ = monitor.receive(.unreachable, now: 0, random: 0)
        case .needsAuth: _ = monitor.receive(.refusedAuth, now: 0, random: 0)
        }
        return monitor
    }

    @Test(arguments: table) func `goes by what the backend itself says`(_ step: Step) {
        var monitor = monitor(step.from)
        #expect(monitor.state == step.from)
        #expect(monitor.receive(step.event, now: 10, random: 0) == step.effects)
        #expect(monitor.state == step.to)
    }

    @Test func `asks less and less often while nobody answers`() {
        var monitor = monitor(.unknown)
        var delays: [Int64] = []
        for _ in 0..<9 {
            _ = monitor.receive(.unreachable, now: 0, random: .max)
            delays.append(monitor.pollAt ?? 0)
        }
        #expect(zip(delays, delays.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(delays.first.map { $0 <= 1_000 } ?? false)
        #expect(delays.last.map { $0 > 20_000 && $0 <= 60_000 } ?? false)
    }
}
