import JSON

/// SplitMix64 (https://prng.di.unimi.it/splitmix64.c): the same numbers for the same seed.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

extension JSONValue {
    /// A value with awkward texts, keys and numbers.
    static func random(depth: Int, using random: inout SeededRandom) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2:
            return .int(
                Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random))
        case 3:
            let value = Double(bitPattern: random.next())
            return value.isFinite ? .double(value) : .double(0.1)
        case 4:
            return .big(
                ["1.50", "-0", "12345678901234567890123", "1E5"].randomElement(using: &random) ?? ""
            )
        case 5: return .string(randomText(using: &random))
        case 6:
            let count = Int.random(in: 0...5, using: &random)
            return .array((0..<count).map { _ in .random(depth: depth - 1, using: &random) })
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                object[randomText(using: &random)] = .random(depth: depth - 1, using: &random)
            }
            return .object(object)
        }
    }

    private static func randomText(using random: inout SeededRandom) -> String {
        let pieces = [
            "a", "key", "\"", "\\", "\n", "\u{0}", "\u{1f}", " ", "é", "e\u{301}", "\u{1F600}", "'",
            "/", "{", "]", ",", ":", "\u{2028}", "longer text without anything in it",
        ]
        return (0..<Int.random(in: 0...6, using: &random))
            .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
    }
}
