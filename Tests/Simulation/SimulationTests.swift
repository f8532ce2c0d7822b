import Platform
import Testing

@Suite struct `Three clients under faults` {
    private static let environment = Environment.current()
    private static let first = UInt64(environment["SATCHEL_FIRST_SEED"] ?? "") ?? 1
    private static let count = UInt64(environment["SATCHEL_SEEDS"] ?? "") ?? 2_000
    private static let chunks = (0..<max(1, count / 50)).map { chunk in
        let size = max(1, count / max(1, count / 50))
        return first + chunk * size..<first + (chunk + 1) * size
    }

    @Test(arguments: chunks) func `keep every promise and end equal`(_ seeds: Range<UInt64>) {
        attempt(Array(seeds), in: "run")
    }

    @Test func `keep every promise that was once broken`() { attempt(Corpus.seeds, in: "corpus") }

    private func attempt(_ seeds: [UInt64], in place: String) {
        var failures: [String] = []
        for seed in seeds {
            // The first one is enough to look into.
            let trial = Trial(seed: seed, place: place)
            let failure = failures.isEmpty ? trial.shortestFailure() : trial.failure()
            if let failure { failures.append(failure) }
        }
        #expect(failures.isEmpty, "\(failures.prefix(8).joined(separator: "\n"))")
    }
}

/// One seed, tried.
struct Trial {
    let seed: UInt64
    /// Tells trials of one seed apart that run side by side.
    let place: String

    private static let actions =
        Int(Environment.current()["SATCHEL_ACTIONS"] ?? "") ?? 100

    /// What breaks; nil when nothing does.
    func failure() -> String? {
        play(Self.actions).map { "seed \(seed): \($0)" }
    }

    /// As `failure`, and the fewest actions after which it breaks.
    func shortestFailure() -> String? {
        guard let failure = failure() else { return nil }
        if Trace.isOn { return failure }
        for actions in 1..<Self.actions {
            if let violation = play(actions) {
                return "seed \(seed), after \(actions) actions: \(violation)"
            }
        }
        return failure
    }

    private func play(_ actions: Int) -> String? {
        let folder = "/dev/shm/satchel-\(place)-\(Machine.processID)-\(seed)"
        do {
            try Files.makeDirectory(folder, mode: 0o700)
        } catch {
            return "\(error)"
        }
        defer { remove(folder) }
        do {
            let world = try World(seed: seed, folder: folder)
            defer { world.close() }
            try world.play(actions: actions)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func remove(_ folder: String) {
        do { try Files.removeTree(folder) } catch { return }
    }
}
