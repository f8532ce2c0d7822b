/// SplitMix64: one seed, one sequence, on every machine.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// The one source of chance of a run.
final class Dice {
    private var seeded: Seeded

    init(seed: UInt64) { seeded = Seeded(seed: seed) }

    func next() -> UInt64 { seeded.next() }

    func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &seeded) }

    /// True in `percent` of a hundred draws.
    func chance(_ percent: Int) -> Bool { number(0..<100) < percent }

    func pick<C: RandomAccessCollection>(_ choices: C) -> C.Element? {
        choices.randomElement(using: &seeded)
    }

    /// One of the choices, each as likely as its weight says.
    func weigh<T>(_ choices: [(Int, T)]) -> T? {
        var draw = number(0..<choices.reduce(0) { $0 + $1.0 })
        for (weight, choice) in choices {
            if draw < weight { return choice }
            draw -= weight
        }
        return nil
    }
}
