import Platform
import SimulatedWorld
import Testing

@Suite struct `Three clients under faults` {
    private static let environment = Environment.current()
    private static let first = UInt64(environment["SATCHEL_FIRST_SEED"] ?? "") ?? 1
    private static let count = UInt64(environment["SATCHEL_SEEDS"] ?? "") ?? 2_000

    @Test func `keep every promise and end equal`() async {
        var totals = Totals()
        var failures: [Trial.Failure] = []
        await withTaskGroup(of: (Totals, [Trial.Failure]).self) { group in
            for start in stride(from: 0, to: Self.count, by: 50) {
                let seeds = Self.first + start..<Self.first + min(start + 50, Self.count)
                group.addTask { attempt(seeds) }
            }
            for await (part, failed) in group {
                totals.add(part)
                failures += failed
            }
        }
        // The first one is enough to look into.
        if let first = failures.first, Environment.current()["SATCHEL_TRACE"] == nil {
            failures[0] = Trial(place: "shrink").shrunk(first)
        }
        #expect(failures.isEmpty, "\(failures.prefix(4).map(\.description))")
        if Self.count >= 2_000 {
            #expect(totals.missing.isEmpty, "too seldom to be tried: \(totals.missing)")
        }
    }

    @Test func `go the way that their seed says, whatever went before`() {
        let trial = Trial(place: "again")
        let seeds: [UInt64] = [2, 366, 60_797]
        let fingerprint = { (seed: UInt64) in
            var totals = Totals()
            _ = trial.run(seed, into: &totals)
            return totals.fingerprint
        }
        let alone = seeds.map(fingerprint)
        for seed: UInt64 in 900..<950 { _ = fingerprint(seed) }
        #expect(seeds.map(fingerprint) == alone)
        #expect(Set(alone).count == seeds.count)
    }

    @Test func `leave no file open behind them`() async {
        // In a process of its own: other tests open and close files meanwhile.
        await #expect(processExitsWith: .success) {
            let trial = Trial(place: "open")
            var totals = Totals()
            _ = trial.run(1, into: &totals)
            let before = try Files.list("/proc/self/fd").count
            for seed: UInt64 in 2..<12 { _ = trial.run(seed, into: &totals) }
            let after = try Files.list("/proc/self/fd").count
            #expect(after == before)
            guard after == before else { throw SystemError(code: 1, message: "left open") }
        }
    }
}

private func attempt(_ seeds: Range<UInt64>) -> (Totals, [Trial.Failure]) {
    let trial = Trial(place: "seeds-\(seeds.lowerBound)")
    var totals = Totals()
    var failures: [Trial.Failure] = []
    for seed in seeds {
        if let failure = trial.run(seed, into: &totals) { failures.append(failure) }
    }
    return (totals, failures)
}
