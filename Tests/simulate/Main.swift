import Glibc
import JSON
import Platform
import Sabotage
import SimulatedWorld

/// What `scripts/simulate` runs: a stretch of seeds, or one of them in detail.
@main
struct Main {
    static let usage = """
        simulate run FIRST COUNT           one JSON line: totals and failures
        simulate search FAULT FIRST COUNT  the first seed that finds a fault in the engine
        simulate shrink SEED [FAULT]       the shortest run that breaks what the seed breaks
        simulate replay FILE               a recorded run
        simulate faults                    the faults the engine can be given
        """

    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        let trial = Trial(place: "simulate")
        switch (words.first, words.count) {
        case ("run", 3):
            guard let first = UInt64(words[1]), let count = UInt64(words[2]) else { return fail() }
            run(trial, first..<first + count)
        case ("search", 4):
            guard let fault = Sabotage(name: words[1]), Sabotage.isPossible,
                let first = UInt64(words[2]), let count = UInt64(words[3])
            else { return fail() }
            search(trial, fault, first..<first + count)
        case ("shrink", 2), ("shrink", 3):
            guard let seed = UInt64(words[1]) else { return fail() }
            shrink(trial, seed, words.count == 3 ? Sabotage(name: words[2]) : nil)
        case ("replay", 2): replay(trial, words[1])
        case ("faults", 1): for fault in Sabotage.allCases { print(fault.name) }
        default: fail()
        }
    }

    private static func fail() {
        Console.note(usage)
        exit(2)
    }

    private static func run(_ trial: Trial, _ seeds: Range<UInt64>) {
        var totals = Totals()
        var failures: [JSONValue] = []
        for seed in seeds {
            if let failure = trial.run(seed, into: &totals) { failures.append(json(failure)) }
        }
        var result = totals.json
        result["failures"] = .array(failures)
        print(JSONValue.object(result).serialized())
    }

    private static func json(_ failure: Trial.Failure) -> JSONValue {
        .object(
            JSONObject([
                ("seed", .int(Int64(failure.seed ?? 0))),
                ("invariant", .string(failure.violation.invariant)),
                ("detail", .string(failure.violation.detail)),
            ]))
    }

    private static func search(_ trial: Trial, _ fault: Sabotage, _ seeds: Range<UInt64>) {
        var totals = Totals()
        var found: Trial.Failure?
        for seed in seeds {
            found = sabotaged(by: fault) { trial.run(seed, into: &totals) }
            // What breaks anyway shows nothing.
            if found != nil, trial.run(seed, into: &totals) == nil { break }
            found = nil
        }
        print((found.map(json) ?? .null).serialized())
    }

    private static func shrink(_ trial: Trial, _ seed: UInt64, _ fault: Sabotage?) {
        var totals = Totals()
        let failure = sabotaged(by: fault) {
            trial.run(seed, into: &totals).map { trial.shrunk($0) }
        }
        guard var failure else { return Console.note("seed \(seed) breaks nothing") }
        failure.scenario.comments = ["\(failure.violation)"]
        if let fault { failure.scenario.finds = (fault.name, failure.violation.invariant) }
        print(failure.scenario.text, terminator: "")
        exit(1)
    }

    private static func replay(_ trial: Trial, _ path: String) {
        do {
            let bytes = try Files.read(path)
            let scenario = try Scenario(parsing: String(decoding: bytes, as: UTF8.self))
            let fault = scenario.finds.flatMap { Sabotage(name: $0.sabotage) }
            guard let violation = sabotaged(by: fault, { trial.replay(scenario) }) else {
                return print("keeps every promise")
            }
            print(violation)
        } catch {
            print(error)
        }
        exit(1)
    }
}
