/// Cuts a filter's text into names, operators and values; the parser says which comes next.
struct FilterScanner {
    struct Value {
        var text: String
        var isQuoted: Bool
        var offset: Int
    }

    private let text: String
    private let bytes: [UInt8]
    private(set) var index = 0

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { index == bytes.count }

    mutating func skipSpace() {
        while index < bytes.count, FilterScanner.isSpace(bytes[index]) { index += 1 }
    }

    /// The letters at the cursor, in lower case; empty where there are none.
    func word() -> String {
        var end = index
        while end < bytes.count, isNamePart(bytes[end]) { end += 1 }
        return String(decoding: bytes[index..<end], as: UTF8.self).lowercased()
    }

    /// Takes `word` if it stands at the cursor, whatever its letter case.
    mutating func take(word: String) -> Bool {
        guard self.word() == word else { return false }
        index += word.utf8.count
        skipSpace()
        return true
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        skipSpace()
        return true
    }

    func isAt(_ character: Unicode.Scalar) -> Bool {
        index < bytes.count && bytes[index] == UInt8(ascii: character)
    }

    /// A field or a path of relations; empty where no name stands.
    mutating func path() -> [(name: String, offset: Int)] {
        var names: [(name: String, offset: Int)] = []
        repeat {
            let start = index
            guard index < bytes.count, isNameStart(bytes[index]) else { break }
            while index < bytes.count, isNamePart(bytes[index]) { index += 1 }
            names.append((String(decoding: bytes[start..<index], as: UTF8.self), start))
        } while takeDot()
        skipSpace()
        return names
    }

    private mutating func takeDot() -> Bool {
        guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "."),
            isNameStart(bytes[index + 1])
        else { return false }
        index += 1
        return true
    }

    /// A sign such as `>=`; nil where there is none.
    mutating func sign() -> String? {
        for sign in ["!=", "!~", "==", "<>", "<=", ">=", "=", "<", ">", "~"]
        where bytes[index...].starts(with: sign.utf8) {
            index += sign.utf8.count
            skipSpace()
            return sign
        }
        return nil
    }

    /// A quoted text, or the characters up to white space, a closing parenthesis that the value
    /// did not open, or in a list a comma; nil where no value stands.
    mutating func value(inList: Bool) throws(RecordsError) -> Value? {
        let start = index
        guard index < bytes.count else { return nil }
        if bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") {
            let text = try quotedText()
            if index < bytes.count, !FilterScanner.isSpace(bytes[index]),
                bytes[index] != UInt8(ascii: ")"), bytes[index] != UInt8(ascii: ",")
            {
                throw error(index, "a quoted text ends before \"\(rest())\"", "put a space there")
            }
            skipSpace()
            return Value(text: text, isQuoted: true, offset: start)
        }
        var depth = 0
        scan: while index < bytes.count, !FilterScanner.isSpace(bytes[index]) {
            switch bytes[index] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"):
                if depth == 0 { break scan }
                depth -= 1
            case UInt8(ascii: ",") where inList && depth == 0: break scan
            default: break
            }
            index += 1
        }
        guard index > start else { return nil }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        skipSpace()
        return Value(text: text, isQuoted: false, offset: start)
    }

    private mutating func quotedText() throws(RecordsError) -> String {
        let start = index
        let quote = bytes[index]
        index += 1
        var content: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == quote {
                // 'it''s' as in SQL.
                guard quote == UInt8(ascii: "'"), index < bytes.count, bytes[index] == quote else {
                    return String(decoding: content, as: UTF8.self)
                }
                index += 1
            } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                try escape(into: &content)
                continue
            }
            content.append(byte)
        }
        throw error(
            start, "a quoted text is never closed",
            "close it with \(Character(UnicodeScalar(quote)))")
    }

    private mutating func escape(into content: inout [UInt8]) throws(RecordsError) {
        let start = index - 1
        let letter = index < bytes.count ? bytes[index] : 0
        index += 1
        switch letter {
        case UInt8(ascii: "n"): content.append(UInt8(ascii: "\n"))
        case UInt8(ascii: "t"): content.append(UInt8(ascii: "\t"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): content.append(letter)
        case UInt8(ascii: "u"):
            guard var code = hexadecimal() else { throw badEscape(start) }
            if (0xD800..<0xDC00).contains(code), bytes[index...].starts(with: "\\u".utf8) {
                index += 2
                guard let low = hexadecimal(), (0xDC00..<0xE000).contains(low) else {
                    throw badEscape(start)
                }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw badEscape(start) }
            content.append(contentsOf: Array(String(Character(scalar)).utf8))
        default: throw badEscape(start)
        }
    }

    private mutating func hexadecimal() -> UInt32? {
        guard index + 4 <= bytes.count else { return nil }
        let digits = bytes[index..<index + 4]
        guard digits.allSatisfy(isHexadecimal) else {
            return nil
        }
        index += 4
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private func badEscape(_ offset: Int) -> RecordsError {
        error(
            offset, "an unknown escape in a quoted text",
            "known are \\n \\t \\\" \\\\ \\uXXXX; '...' takes all as it is")
    }

    /// What stands at the cursor, for a message.
    func rest() -> String {
        var end = index
        while end < bytes.count, !FilterScanner.isSpace(bytes[end]) { end += 1 }
        return String(decoding: bytes[index..<end], as: UTF8.self)
    }

    /// An error at a byte of the text; its column counts characters from 1.
    func error(
        _ offset: Int, _ message: String, _ hint: String? = nil,
        kind: RecordsError.Kind = .syntax
    ) -> RecordsError {
        let column = 1 + bytes[..<min(offset, bytes.count)].count { $0 & 0xC0 != 0x80 }
        return RecordsError(kind, "filter, column \(column): \(message)", hint: hint)
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (9...13).contains(byte)
    }
}
