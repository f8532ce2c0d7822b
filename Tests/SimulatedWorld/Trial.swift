import JSON
import Platform

/// One seed, tried.
package struct Trial {
    /// Actions of a run at most.
    private static let longest = Int(Environment.current()["SATCHEL_ACTIONS"] ?? "") ?? 100

    /// What a run broke, and the run itself.
    package struct Failure: CustomStringConvertible, Sendable {
        package var seed: UInt64?
        package var violation: Violation
        package var scenario: Scenario

        package var description: String {
            let name = seed.map { "seed \($0): " } ?? ""
            return "\(name)\(violation)\n\(scenario.text)"
        }
    }

    /// Tells trials apart that run side by side.
    private let place: String

    package init(place: String) { self.place = place }

    /// Draws a run from a seed and takes it to its end.
    package func run(_ seed: UInt64, into totals: inout Totals) -> Failure? {
        let draw = Draw()
        draw.begin(seed)
        var scenario = Scenario(setting: Setting(draw: draw))
        // Long runs cost most and short ones find most.
        let draws = (0..<3).map { _ in draw.number(.length, 0..<max(1, Trial.longest * 4 / 5)) }
        let actions = Trial.longest / 5 + (draws.min() ?? 0)
        let violation = play(scenario.setting, &totals) { world throws in
            try world.play(seed: seed, actions: actions, recording: &scenario.steps)
        }
        return violation.map { Failure(seed: seed, violation: $0, scenario: scenario) }
    }

    package func replay(_ scenario: Scenario) -> Violation? {
        var totals = Totals()
        return play(scenario.setting, &totals) { world throws in try world.replay(scenario.steps) }
    }

    private func play(
        _ setting: Setting, _ totals: inout Totals, _ body: (World) throws -> Void
    ) -> Violation? {
        do {
            // Of its own: a killed run may have left its stores behind.
            let folder = try Files.makeTemporaryDirectory(
                prefix: "satchel-\(place)", in: Files.exists("/dev/shm") ? "/dev/shm" : "/tmp")
            defer { remove(folder) }
            let world = try World(setting, folder: folder)
            defer {
                totals.add(world.totals)
                world.close()
            }
            try body(world)
            try world.settle()
            return nil
        } catch let violation as Violation {
            return violation
        } catch {
            return Violation(invariant: "error", detail: "\(error)")
        }
    }

    private func remove(_ folder: String) {
        do { try Files.removeTree(folder) } catch { return }
    }
}

// Shrinking
extension Trial {
    /// The same failure with fewer steps, fewer faults and a plainer setting.
    package func shrunk(_ failure: Failure) -> Failure {
        var best = failure
        shorten(&best)
        for setting in best.scenario.setting.simpler {
            var scenario = best.scenario
            scenario.setting = setting
            attempt(scenario, &best)
        }
        dropFaults(&best)
        shorten(&best)
        return best
    }

    @discardableResult
    private func attempt(_ scenario: Scenario, _ best: inout Failure) -> Bool {
        guard let violation = replay(scenario), violation.invariant == best.violation.invariant
        else { return false }
        best.scenario = scenario
        best.violation = violation
        return true
    }

    private func shorten(_ best: inout Failure) {
        var size = max(1, best.scenario.steps.count / 2)
        while true {
            var end = best.scenario.steps.count
            while end > 0 {
                var scenario = best.scenario
                scenario.steps.removeSubrange(max(0, end - size)..<end)
                attempt(scenario, &best)
                end = min(end - size, best.scenario.steps.count)
            }
            if size == 1 { return }
            size /= 2
        }
    }

    private func dropFaults(_ best: inout Failure) {
        for place in best.scenario.steps.indices.reversed() {
            for fault in best.scenario.steps[place].faults.indices.reversed() {
                var scenario = best.scenario
                scenario.steps[place].faults.remove(at: fault)
                attempt(scenario, &best)
            }
        }
    }
}
