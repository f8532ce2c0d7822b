internal import Records

/// Turns the texts of dates and times into keys that order, and are equal, as the instants are.
///
/// A key is seconds as twelve digits, then nine of the second's fraction. A text that is no date
/// or time has itself, after every key, for its key.
enum InstantKey {
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

        fileprivate var scalar: Scalar {
            switch self {
            case .dateTime: .dateTime
            case .date: .date
            case .time: .time
            }
        }
    }

    static let length = 21

    /// Seconds from before any instant that a text can name, at whatever offset, to 1970.
    private static let bias: Int64 = 62_168_000_000

    static func key(of text: String, _ kind: Kind) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: length)
        let isRead = text.utf8Span.span.withUnsafeBytes { bytes in
            key.withUnsafeMutableBytes { write(bytes, kind, to: $0) }
        }
        return isRead ? key : [UInt8(ascii: "~")] + Array(text.utf8)
    }

    /// Writes the key of `text`, which takes `length` bytes.
    ///
    /// - Returns: False when the text is no date or time of this kind.
    static func write(
        _ text: UnsafeRawBufferPointer, _ kind: Kind, to key: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard
            let instant = Instant.lenient(
                text.bindMemory(to: UInt8.self), as: kind.scalar)
        else { return false }
        write(instant.seconds + bias, digits: 12, to: key, at: 0)
        write(Int64(instant.nanoseconds), digits: 9, to: key, at: 12)
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
