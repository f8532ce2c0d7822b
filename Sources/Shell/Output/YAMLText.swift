internal import JSON

/// How a text can be written in YAML without a doubt about what it is.
enum YAMLText: Equatable {
    case plain
    /// After `|`, with what says how many line ends the text ends in: `-` none, `+` as written.
    case block(chomping: String)
    case quoted

    init(_ text: String) {
        if Self.isPlain(text) {
            self = .plain
        } else if Self.isBlock(text) {
            let isEnded = text.utf8.last == 0x0A
            let isEndedTwice = text.utf8.suffix(2).elementsEqual([0x0A, 0x0A])
            self = .block(chomping: isEndedTwice ? "+" : isEnded ? "" : "-")
        } else {
            self = .quoted
        }
    }

    /// Words that some reader takes for a truth value, a null or a number.
    private static let reserved: Set<String> = [
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf",
    ]

    /// A letter or underscore first, then letters, digits and harmless marks; no space at the end.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first.isPlainLetter, text.utf8.last != 0x20,
            text.unicodeScalars.allSatisfy({ $0.isPlainLetter || $0.isPlainMark })
        else { return false }
        return text.utf8.count > 5 || !reserved.contains(text.lowercased())
    }

    /// Several lines of visible text, none of which could be mistaken for indentation.
    private static func isBlock(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first.value > 0x20, first.isBlockContent,
            text.utf8.contains(0x0A)
        else { return false }
        return text.unicodeScalars.allSatisfy { $0 == "\n" || $0.isBlockContent }
    }

    /// Appends the text in double quotes, everything invisible escaped.
    static func appendQuoted(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": bytes.append(contentsOf: "\\\"".utf8)
            case "\\": bytes.append(contentsOf: "\\\\".utf8)
            case "\n": bytes.append(contentsOf: "\\n".utf8)
            case "\t": bytes.append(contentsOf: "\\t".utf8)
            case _ where scalar == " " || scalar.isBlockContent:
                bytes.append(contentsOf: String(scalar).utf8)
            default: appendEscape(scalar.value, to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func appendEscape(_ value: UInt32, to bytes: inout [UInt8]) {
        let digits = String(value, radix: 16)
        let width = value <= 0xFF ? 2 : value <= 0xFFFF ? 4 : 8
        bytes.append(contentsOf: (width == 2 ? "\\x" : width == 4 ? "\\u" : "\\U").utf8)
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: width - digits.utf8.count))
        bytes.append(contentsOf: digits.utf8)
    }
}

extension Unicode.Scalar {
    fileprivate var isPlainLetter: Bool {
        switch value {
        case 0x41...0x5A, 0x5F, 0x61...0x7A: true
        case 0xAA...: properties.isAlphabetic
        default: false
        }
    }

    fileprivate var isPlainMark: Bool {
        switch self {
        case "0"..."9", " ", "-", ".", "/", "+", "@", "(", ")": true
        default: false
        }
    }

    /// Printable in every version of YAML, and no line end in any.
    fileprivate var isBlockContent: Bool {
        switch value {
        case 0x20...0x7E, 0xA0...0x2027, 0x202F...0x2065, 0x206A...0xD7FF, 0xE000...0xFEFE,
            0xFF00...0xFFFD, 0x10000...:
            // U+061C, U+200E and U+200F turn the direction of what follows.
            value != 0x061C && value != 0x200E && value != 0x200F
        default: false
        }
    }
}
