internal import JSON

/// Numbers as people type them.
enum NumberText {
    /// A decimal integer of 64 bits: digits, perhaps after a sign.
    static func integer(_ text: String) -> Int64? { Int64(text) }

    /// True for an integer of any size.
    static func isInteger(_ text: String) -> Bool {
        let digits =
            text.utf8.first.map { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
                ?? false ? text.utf8.dropFirst() : text.utf8[...]
        return !digits.isEmpty && digits.allSatisfy(isDigit)
    }

    /// A number in JSON's notation, kept exactly: `.big` where neither integer nor double can.
    static func number(_ text: String) -> JSONValue? {
        if let value = Int64(text) { return .int(value) }
        guard isNumber(text) else { return nil }
        return JSONValue.big(text).canonicalNumber
    }

    private static func isNumber(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var index = 0
            func digits() -> Int {
                let start = index
                while index < bytes.count, isDigit(bytes[index]) { index += 1 }
                return index - start
            }
            if index < bytes.count, bytes[index] == UInt8(ascii: "-") { index += 1 }
            let start = index
            let whole = digits()
            guard whole > 0, whole == 1 || bytes[start] != UInt8(ascii: "0") else { return false }
            if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
                index += 1
                guard digits() > 0 else { return false }
            }
            if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
                index += 1
                if index < bytes.count,
                    bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+")
                {
                    index += 1
                }
                guard digits() > 0 else { return false }
            }
            return index == bytes.count
        }
    }

    /// How two numbers compare; nil when either is none.
    static func compare(_ left: JSONValue, _ right: JSONValue) -> Order? {
        if case .int(let a) = left, case .int(let b) = right { return Order(a, b) }
        guard let a = left.doubleValue, let b = right.doubleValue else { return nil }
        if a != b { return Order(a, b) }
        if left == right { return .same }
        // Equal as doubles only: an integer beyond 2^53 beside a double, or many digits.
        if case .int(let a) = left { return compare(a, b) }
        if case .int(let b) = right { return compare(b, a)?.reversed }
        return .same
    }

    private static func compare(_ integer: Int64, _ double: Double) -> Order? {
        // Both are the same as doubles, so the double is whole.
        guard double < 0x1p63 else { return .before }
        return Order(integer, Int64(double))
    }
}

/// How two values compare.
enum Order {
    case before, same, after

    init<Value: Comparable>(_ left: Value, _ right: Value) {
        self = left < right ? .before : left == right ? .same : .after
    }

    var reversed: Order {
        switch self {
        case .before: .after
        case .same: .same
        case .after: .before
        }
    }
}
