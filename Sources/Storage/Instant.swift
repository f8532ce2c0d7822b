internal import Records

/// Turns the texts of dates and times into keys that order, and are equal, as the instants are.
///
/// A key is seconds as twelve digits, then nine of the second's fraction. A text that is no date
/// or time has itself, after every key, for its key.
enum Instant {
    enum Kind: Int32, Equatable {
        case dateTime = 0
        case date = 1
        case time = 2

        init?(_ scalar: Scalar) {
            switch scalar {
            case .dateTime: self = .dateTime
            case .date: self = .date
            case .time: self = .time
            default: return nil
            }
        }
    }

    static let keyLength = 21

    static func key(of text: String, _ kind: Kind) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: keyLength)
        let isRead = text.utf8Span.span.withUnsafeBytes { bytes in
            key.withUnsafeMutableBytes { write(bytes, kind, to: $0) }
        }
        return isRead ? key : [UInt8(ascii: "~")] + Array(text.utf8)
    }

    /// Writes the key of `text`, which takes `keyLength` bytes.
    ///
    /// - Returns: False when the text is no date or time of this kind.
    static func write(
        _ text: UnsafeRawBufferPointer, _ kind: Kind, to key: UnsafeMutableRawBufferPointer
    ) -> Bool {
        var reader = Reader(text: text)
        // A year 0 at an offset of a day is still above zero.
        var seconds: Int64 = 864_000
        var fraction: Int64 = 0
        if kind != .time {
            guard let days = reader.date() else { return false }
            seconds += (days + 719_528) * 86_400
        }
        if kind == .dateTime, !reader.skip(UInt8(ascii: "T")) { return false }
        if kind != .date {
            guard let time = reader.time() else { return false }
            seconds += time.seconds
            fraction = time.nanoseconds
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return false }
        seconds -= offset
        write(seconds, digits: 12, to: key, at: 0)
        write(fraction, digits: 9, to: key, at: 12)
        return true
    }

    private static func write(
        _ number: Int64, digits: Int, to key: UnsafeMutableRawBufferPointer, at start: Int
    ) {
        var rest = UInt64(clamping: number)
        for index in stride(from: start + digits - 1, through: start, by: -1) {
            key[index] = 0x30 | UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}

extension Instant {
    private struct Reader {
        let text: UnsafeRawBufferPointer
        var index = 0

        init(text: UnsafeRawBufferPointer) { self.text = text }

        var isAtEnd: Bool { index == text.count }

        mutating func skip(_ byte: UInt8) -> Bool {
            guard index < text.count, text[index] == byte else { return false }
            index += 1
            return true
        }

        mutating func number(_ digits: Int) -> Int64? {
            guard text.count - index >= digits else { return nil }
            var value: Int64 = 0
            for _ in 0..<digits {
                let digit = text[index] &- 0x30
                guard digit < 10 else { return nil }
                value = value * 10 + Int64(digit)
                index += 1
            }
            return value
        }

        /// Days since 1970-01-01.
        mutating func date() -> Int64? {
            guard let year = number(4), skip(UInt8(ascii: "-")), let month = number(2),
                skip(UInt8(ascii: "-")), let day = number(2), (1...12).contains(month),
                (1...31).contains(day)
            else { return nil }
            // Years that begin in March end with the leap day:
            // https://howardhinnant.github.io/date_algorithms.html#days_from_civil
            let shifted = month > 2 ? year : year - 1
            let era = (shifted >= 0 ? shifted : shifted - 399) / 400
            let yearOfEra = shifted - era * 400
            let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
            let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            return era * 146_097 + dayOfEra - 719_468
        }

        mutating func time() -> (seconds: Int64, nanoseconds: Int64)? {
            guard let hour = number(2), skip(UInt8(ascii: ":")), let minute = number(2) else {
                return nil
            }
            var seconds = hour * 3_600 + minute * 60
            guard skip(UInt8(ascii: ":")) else { return (seconds, 0) }
            guard let second = number(2) else { return nil }
            seconds += second
            guard skip(UInt8(ascii: ".")) else { return (seconds, 0) }
            return nanoseconds().map { (seconds, $0) }
        }

        private mutating func nanoseconds() -> Int64? {
            var value: Int64 = 0
            var digits = 0
            while index < text.count, text[index] &- 0x30 < 10 {
                if digits < 9 { value = value * 10 + Int64(text[index] &- 0x30) }
                digits += 1
                index += 1
            }
            guard digits > 0 else { return nil }
            while digits < 9 {
                value *= 10
                digits += 1
            }
            return value
        }

        /// Seconds east of Greenwich; 0 when no offset is given.
        mutating func offset() -> Int64? {
            if isAtEnd || skip(UInt8(ascii: "Z")) { return 0 }
            let isWest = skip(UInt8(ascii: "-"))
            guard isWest || skip(UInt8(ascii: "+")), let hours = number(2),
                skip(UInt8(ascii: ":")), let minutes = number(2)
            else { return nil }
            var seconds = hours * 3_600 + minutes * 60
            if skip(UInt8(ascii: ":")) {
                guard let more = number(2) else { return nil }
                seconds += more
            }
            return isWest ? -seconds : seconds
        }
    }
}
