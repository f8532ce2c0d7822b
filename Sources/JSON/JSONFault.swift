/// What stopped a reader and where, before it is put in words.
struct JSONFault: Error {
    enum Reason {
        case empty, invalidUTF8, controlCharacter, unclosedString, tooLarge, noMemory
        case expectedValue, expectedKey, expectedColon, expectedCommaOrBrace
        case expectedCommaOrBracket, badLiteral, badNumber, badEscape, loneSurrogate
        case trailing, tooDeep, duplicateKey, unclosedComment
    }

    var reason: Reason
    var offset: Int

    init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension JSONFault {
    /// The error for people: `maxDepth` and `key` complete the messages that need them.
    func error(in bytes: UnsafeRawBufferPointer, maxDepth: Int, key: String? = nil) -> JSONError {
        JSONError(
            kind, words(in: bytes, maxDepth: maxDepth, key: key) + place(in: bytes),
            offset: offset)
    }

    private var kind: JSONError.Kind {
        switch reason {
        case .invalidUTF8: .invalidUTF8
        case .tooDeep: .tooDeep
        case .duplicateKey: .duplicateKey
        case .tooLarge, .noMemory: .tooLarge
        default: .syntax
        }
    }

    private func words(
        in bytes: UnsafeRawBufferPointer, maxDepth: Int, key: String?
    ) -> String {
        switch reason {
        case .empty: "expected a JSON value, found nothing"
        case .invalidUTF8: "not UTF-8"
        case .controlCharacter:
            "a control character inside a string must be written as an escape such as \\n"
        case .unclosedString: "a string has no closing quote"
        case .tooLarge: "a JSON text must be smaller than 4 GiB"
        case .noMemory: "not enough memory to read this JSON text"
        case .expectedValue: "expected a value, found \(found(in: bytes))"
        case .expectedKey: "expected a key, found \(found(in: bytes))"
        case .expectedColon: "expected ':' after a key, found \(found(in: bytes))"
        case .expectedCommaOrBrace: "expected ',' or '}', found \(found(in: bytes))"
        case .expectedCommaOrBracket: "expected ',' or ']', found \(found(in: bytes))"
        case .badLiteral: "expected a value, found a word that is none"
        case .badNumber: "a number is not written as JSON wants it"
        case .badEscape: "a string has an escape that JSON does not know"
        case .loneSurrogate: "a string has half of a surrogate pair"
        case .trailing: "expected the end, found \(found(in: bytes))"
        case .tooDeep: "nested deeper than \(maxDepth) levels"
        case .duplicateKey: "the key \"\(key ?? "")\" appears twice in one object"
        case .unclosedComment: "a comment has no closing */"
        }
    }

    private func found(in bytes: UnsafeRawBufferPointer) -> String {
        guard offset < bytes.count else { return "the end" }
        switch bytes[offset] {
        case 0x21...0x7E: return "'\(Character(UnicodeScalar(bytes[offset])))'"
        case 0xEF where bytes[offset...].starts(with: [0xEF, 0xBB, 0xBF]):
            return "a byte-order mark"
        case 0x80...: return "a character that is not ASCII"
        default: return "a control character"
        }
    }

    /// Where it is: line and column for a text of several lines, else the column alone.
    private func place(in bytes: UnsafeRawBufferPointer) -> String {
        guard reason != .empty, reason != .tooLarge, reason != .noMemory else { return "" }
        let before = bytes.prefix(min(offset, bytes.count))
        let lineStart = (before.lastIndex(of: 0x0A) ?? -1) + 1
        // People count characters: continuation bytes of UTF-8 are not columns.
        let column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
        guard bytes.contains(0x0A) else { return " (column \(column))" }
        let line = before.count { $0 == 0x0A } + 1
        return " (line \(line), column \(column))"
    }
}
