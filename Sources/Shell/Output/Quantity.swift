/// Counts and spans of time as people read them.
package enum Quantity {
    /// Such as "1,234,567".
    package static func grouped(_ number: Int) -> String {
        let digits = Array(String(number.magnitude).utf8)
        var bytes: [UInt8] = number < 0 ? [UInt8(ascii: "-")] : []
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(digit)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Such as "1 record" or "1,234 records".
    package static func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
        number == 1 ? "1 \(noun)" : "\(grouped(number)) \(plural ?? noun + "s")"
    }

    /// Such as "45 s", "3 min 20 s", "2 h 5 min" or "3 d 4 h".
    package static func duration(seconds: Int) -> String {
        switch seconds {
        case ..<60: "\(max(seconds, 0)) s"
        case ..<3600: joined(seconds / 60, "min", seconds % 60, "s")
        case ..<86400: joined(seconds / 3600, "h", seconds % 3600 / 60, "min")
        default: joined(seconds / 86400, "d", seconds % 86400 / 3600, "h")
        }
    }

    private static func joined(_ large: Int, _ unit: String, _ small: Int, _ smallUnit: String)
        -> String
    {
        small == 0 ? "\(large) \(unit)" : "\(large) \(unit) \(small) \(smallUnit)"
    }
}
