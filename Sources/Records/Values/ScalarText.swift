/// What is wrong with a text as a value of a scalar that is kept as text.
///
/// https://docs.aws.amazon.com/appsync/latest/devguide/scalars.html
enum ScalarText {
    /// In bytes; what a backend tells under a longer one is not taken either.
    private static let longestID = 4_096

    /// A hint how to write such a value; nil when `text` is one.
    static func fault(_ text: String, as scalar: Scalar) -> String? {
        switch scalar {
        case .string, .int, .float, .boolean, .timestamp: return nil
        case .id:
            if text.isEmpty { return "an ID has at least one character" }
            return text.utf8.count > Self.longestID ? "an ID has at most 4096 bytes" : nil
        case .json: return jsonFault(text)
        default: break
        }
        var text = text
        return text.withUTF8 { bytes in
            switch scalar {
            case .dateTime: dateTimeFault(bytes)
            case .date:
                Instant.parse(bytes, as: .date) == nil ? "write YYYY-MM-DD, as in 2026-11-30" : nil
            case .time:
                Instant.parse(bytes, as: .time) == nil
                    ? "write hh:mm or hh:mm:ss.sss, as in 02:04:13" : nil
            case .email: isEmail(bytes) ? nil : "write name@domain, as in ann@example.com"
            case .url: urlFault(bytes)
            case .phone:
                isPhone(bytes) ? nil : "write digits, spaces and hyphens, as in +49 30 1234567"
            default:
                IPAddressText.isValid(bytes)
                    ? nil : "write an IPv4 or IPv6 address, as in 192.0.2.1 or 2001:db8::1/32"
            }
        }
    }

    private static func dateTimeFault(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        if Instant.parse(bytes, as: .dateTime) != nil { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        if Instant.parse(text + "Z", as: .dateTime) != nil {
            return "it needs an offset: write \(text)Z, or +hh:mm for another zone"
        }
        if Instant.parse(bytes, as: .date) != nil {
            return "it needs a time: write \(text)T00:00:00Z"
        }
        return "write YYYY-MM-DDThh:mm:ssZ, as in 2026-11-30T02:04:13Z"
    }

    private static func isEmail(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")), at > 0, at <= 64,
            bytes.count <= 320
        else { return false }
        let local = bytes[..<at]
        let isQuoted =
            local.count > 2 && local.first == UInt8(ascii: "\"") && local.last == local.first
        if !isQuoted {
            let special = "()<>[]:;@\\,\" ".utf8
            guard local.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !special.contains($0) }),
                local.first != UInt8(ascii: "."), local.last != UInt8(ascii: ".")
            else { return false }
        }
        return isHost(bytes[(at + 1)...])
    }

    /// Labels of letters, digits, hyphens and non-ASCII characters.
    private static func isHost(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var length = 0
        var last = UInt8(ascii: "-")
        for byte in bytes {
            if byte == UInt8(ascii: ".") {
                guard length > 0, last != UInt8(ascii: "-") else { return false }
                length = 0
            } else {
                guard
                    isLetterOrDigit(byte) || byte >= 0x80
                        || (byte == UInt8(ascii: "-") && length > 0)
                else { return false }
                length += 1
            }
            last = byte
        }
        return length > 0 && last != UInt8(ascii: "-")
    }

    private static func urlFault(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let example = "as in https://example.com/page"
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            isLetterOrDigit(bytes[0]), bytes[0] > UInt8(ascii: "9"),
            bytes[..<colon].allSatisfy({ isLetterOrDigit($0) || "+-.".utf8.contains($0) })
        else { return "it needs a scheme, \(example)" }
        var rest = bytes[(colon + 1)...]
        guard !rest.isEmpty else { return "nothing follows the scheme; write it \(example)" }
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            return "write spaces as %20"
        }
        if rest.starts(with: "//".utf8) { rest = rest.dropFirst(2) }
        let path = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let slash = UInt8(ascii: "/")
        if zip(path, path.dropFirst()).contains(where: { $0 == slash && $1 == slash }) {
            return "its path must not have \"//\""
        }
        return nil
    }

    private static func isPhone(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let number = bytes.first == UInt8(ascii: "+") ? bytes[1...] : bytes[0...]
        guard let first = number.first, isDigit(first) else { return false }
        guard
            number.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-") })
        else { return false }
        return (3...15).contains(number.count(where: isDigit))
    }
}

func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6
}

func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26 || isDigit(byte)
}
