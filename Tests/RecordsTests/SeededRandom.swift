import JSON

/// A generator that gives the same run for the same seed (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: Int) { state = UInt64(bitPattern: Int64(seed)) &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func flip() -> Bool { next() & 1 == 0 }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    /// A record of some of the fields a to d, with few values so that they meet.
    mutating func record() -> JSONObject {
        var record = JSONObject()
        for name in ["a", "b", "c", "d"] where flip() { record[name] = .int(Int64(below(3))) }
        return record
    }
}
