extension Instant {
    /// Milliseconds since 1970 as an AWSDateTime in UTC: `2026-11-30T02:04:13.123Z`.
    package static func format(milliseconds: Int64) -> String {
        let (days, rest) = divide(milliseconds, by: 86_400_000)
        let (year, month, day) = Calendar.date(days)
        guard (0...9999).contains(year) else {
            // Beyond what the scalar can hold: still a text that says when.
            return "\(year)-\(month)-\(day)T\(rest / 1000)s"
        }
        return String(unsafeUninitializedCapacity: 24) { bytes in
            var writer = DigitWriter(bytes: bytes)
            writer.put(year, 4, "-")
            writer.put(month, 2, "-")
            writer.put(day, 2, "T")
            writer.put(rest / 3_600_000, 2, ":")
            writer.put(rest / 60_000 % 60, 2, ":")
            writer.put(rest / 1000 % 60, 2, ".")
            writer.put(rest % 1000, 3, "Z")
            return writer.index
        }
    }

    private static func divide(_ value: Int64, by unit: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: unit)
        return remainder < 0 ? (quotient - 1, remainder + unit) : (quotient, remainder)
    }
}

private struct DigitWriter {
    let bytes: UnsafeMutableBufferPointer<UInt8>
    var index = 0

    mutating func put(_ value: Int64, _ digits: Int, _ separator: Unicode.Scalar) {
        var value = value
        for place in stride(from: index + digits - 1, through: index, by: -1) {
            bytes[place] = UInt8(ascii: "0") + UInt8(value % 10)
            value /= 10
        }
        bytes[index + digits] = UInt8(ascii: separator)
        index += digits + 1
    }
}
