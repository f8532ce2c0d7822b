/// A point in time, to the nanosecond: what AWSDateTime, AWSDate and AWSTime compare by.
package struct Instant: Sendable, Hashable, Comparable {
    /// Seconds since 1970 in UTC; for a time of day, since midnight.
    package var seconds: Int64
    /// From 0 to 999,999,999, forwards from `seconds`.
    package var nanoseconds: Int32

    package init(seconds: Int64, nanoseconds: Int32 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    /// Milliseconds since 1970, rounded down.
    package var milliseconds: Int64 {
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? (seconds < 0 ? .min : .max) : whole + Int64(nanoseconds / 1_000_000)
    }
}

extension Instant {
    /// The instant that the text of an AWSDateTime, AWSDate or AWSTime names; nil for other
    /// scalars and for a text that is none.
    ///
    /// A date is its midnight; a date or time without an offset counts as UTC, a date-time without
    /// one is none.
    package static func parse(_ text: String, as scalar: Scalar) -> Instant? {
        var text = text
        return text.withUTF8 { parse($0, as: scalar) }
    }

    /// As `parse` of a text, for its bytes.
    package static func parse(_ bytes: UnsafeBufferPointer<UInt8>, as scalar: Scalar) -> Instant? {
        var reader = InstantReader(bytes, isLenient: false)
        return reader.instant(scalar)
    }

    /// As `parse`, for what a backend sent: a date-time without an offset counts as UTC, and
    /// hours and days may be more than there are.
    static func lenient(_ text: String, as scalar: Scalar) -> Instant? {
        var text = text
        return text.withUTF8 { lenient($0, as: scalar) }
    }

    /// As `lenient` of a text, for its bytes.
    package static func lenient(
        _ bytes: UnsafeBufferPointer<UInt8>, as scalar: Scalar
    ) -> Instant? {
        var reader = InstantReader(bytes, isLenient: true)
        return reader.instant(scalar)
    }
}

/// Reads the ISO 8601 forms of AWS AppSync.
///
/// https://docs.aws.amazon.com/appsync/latest/devguide/scalars.html
private struct InstantReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let isLenient: Bool
    private var index = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>, isLenient: Bool) {
        self.bytes = bytes
        self.isLenient = isLenient
    }

    mutating func instant(_ scalar: Scalar) -> Instant? {
        switch scalar {
        case .dateTime: dateTime()
        case .date: date()
        case .time: time()
        default: nil
        }
    }

    private mutating func dateTime() -> Instant? {
        guard let day = day(), take("T"), let clock = clock(),
            let offset = isLenient && isAtEnd ? 0 : offset(), isAtEnd
        else { return nil }
        return Instant(
            seconds: day * 86_400 + clock.seconds - offset, nanoseconds: clock.nanoseconds)
    }

    private mutating func date() -> Instant? {
        guard let day = day(), let offset = isAtEnd ? 0 : offset(), isAtEnd else { return nil }
        return Instant(seconds: day * 86_400 - offset)
    }

    private mutating func time() -> Instant? {
        guard let clock = clock(), let offset = isAtEnd ? 0 : offset(), isAtEnd else { return nil }
        return Instant(seconds: clock.seconds - offset, nanoseconds: clock.nanoseconds)
    }

    private var isAtEnd: Bool { index == bytes.count }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func number(_ digits: Int, upTo limit: Int64) -> Int64? {
        guard index + digits <= bytes.count else { return nil }
        var value: Int64 = 0
        for place in index..<index + digits {
            let digit = bytes[place] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
        }
        index += digits
        return value <= limit || isLenient ? value : nil
    }

    /// Days since 1970-01-01.
    private mutating func day() -> Int64? {
        guard let year = number(4, upTo: 9999), take("-"), let month = number(2, upTo: 12),
            take("-"), let day = number(2, upTo: 31), (1...12).contains(month),
            (1...31).contains(day), isLenient || day <= Calendar.days(in: month, of: year)
        else { return nil }
        return Calendar.days(since1970: year, month, day)
    }

    private mutating func clock() -> (seconds: Int64, nanoseconds: Int32)? {
        guard let hour = number(2, upTo: 23), take(":"), let minute = number(2, upTo: 59) else {
            return nil
        }
        var seconds = hour * 3600 + minute * 60
        var nanoseconds: Int32 = 0
        if take(":") {
            guard let second = number(2, upTo: 59) else { return nil }
            seconds += second
            if take(".") {
                var unit: Int32 = 100_000_000
                let start = index
                while index < bytes.count, bytes[index] &- UInt8(ascii: "0") < 10 {
                    guard unit > 0 || isLenient else { return nil }
                    nanoseconds += Int32(bytes[index] - UInt8(ascii: "0")) * unit
                    unit /= 10
                    index += 1
                }
                if index == start { return nil }
            }
        }
        return (seconds, nanoseconds)
    }

    /// Seconds east of UTC.
    private mutating func offset() -> Int64? {
        if take("Z") { return 0 }
        let isWest: Bool
        if take("+") { isWest = false } else if take("-") { isWest = true } else { return nil }
        guard let hours = number(2, upTo: 18), take(":"), let minutes = number(2, upTo: 59) else {
            return nil
        }
        var seconds = hours * 3600 + minutes * 60
        if take(":") {
            guard let rest = number(2, upTo: 59) else { return nil }
            seconds += rest
        }
        return seconds <= 18 * 3600 || isLenient ? (isWest ? -seconds : seconds) : nil
    }
}
