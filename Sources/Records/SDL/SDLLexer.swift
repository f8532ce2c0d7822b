/// Cuts GraphQL text into tokens, one at a time, without copying.
///
/// Grammar: https://spec.graphql.org/October2021/#sec-Language.Source-Text
struct SDLLexer {
    enum Kind: Equatable {
        case name
        case string
        case blockString
        case number
        /// One of `! $ & ( ) : = @ [ ] { | }`, told by its byte.
        case punctuation
        case spread
        case end
    }

    struct Token {
        var kind: Kind
        /// Byte offsets; of a string, quotes included.
        var range: Range<Int>
        /// The first byte; 0 at the end.
        var byte: UInt8

        var offset: Int { range.lowerBound }
    }

    let source: SourceText
    private var index: Int

    init(_ source: SourceText) {
        self.source = source
        index = source.bytes.starts(with: SourceText.byteOrderMark) ? 3 : 0
    }

    mutating func next() throws(SDLFault) -> Token {
        skipIgnored()
        let bytes = source.bytes
        guard index < bytes.count else {
            return Token(kind: .end, range: bytes.count..<bytes.count, byte: 0)
        }
        let start = index
        let byte = bytes[start]
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "@"),
            UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "|"),
            UInt8(ascii: "}"):
            index += 1
            return Token(kind: .punctuation, range: start..<index, byte: byte)
        case UInt8(ascii: "\""):
            return try string()
        case UInt8(ascii: "."):
            guard start + 2 < bytes.count, bytes[start + 1] == byte, bytes[start + 2] == byte else {
                throw SDLFault(start, "a stray \".\"", hint: "remove it")
            }
            index += 3
            return Token(kind: .spread, range: start..<index, byte: byte)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try number()
        default:
            guard isNameStart(byte) else { throw unexpectedCharacter() }
            index += 1
            while index < bytes.count, isNamePart(bytes[index]) { index += 1 }
            return Token(kind: .name, range: start..<index, byte: byte)
        }
    }

    private mutating func skipIgnored() {
        let bytes = source.bytes
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"),
                UInt8(ascii: ","):
                index += 1
            case UInt8(ascii: "#"):
                while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
            default:
                return
            }
        }
    }

    private mutating func number() throws(SDLFault) -> Token {
        let bytes = source.bytes
        let start = index
        index += 1
        while index < bytes.count, isNumberPart(bytes[index]) { index += 1 }
        guard (bytes[index - 1] | 0x20) != UInt8(ascii: "-"),
            index == bytes.count || !isNameStart(bytes[index])
        else {
            throw SDLFault(
                start, "\"\(source.text(start..<index))\" is no number and no name",
                hint: "names begin with a letter")
        }
        return Token(kind: .number, range: start..<index, byte: bytes[start])
    }

    private mutating func string() throws(SDLFault) -> Token {
        let bytes = source.bytes
        let start = index
        let quote = UInt8(ascii: "\"")
        if start + 2 < bytes.count, bytes[start + 1] == quote, bytes[start + 2] == quote {
            index += 3
            while index + 2 < bytes.count {
                if bytes[index] == UInt8(ascii: "\\"), index + 3 < bytes.count,
                    bytes[index + 1] == quote, bytes[index + 2] == quote, bytes[index + 3] == quote
                {
                    index += 4
                } else if bytes[index] == quote, bytes[index + 1] == quote,
                    bytes[index + 2] == quote
                {
                    index += 3
                    return Token(kind: .blockString, range: start..<index, byte: quote)
                } else {
                    index += 1
                }
            }
            throw SDLFault(
                start, "a text in \"\"\" is never closed", hint: "close it with \"\"\"")
        }
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
            if bytes[index] == quote {
                index += 1
                return Token(kind: .string, range: start..<index, byte: quote)
            }
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        throw SDLFault(
            start, "a text is not closed on its line",
            hint: "close it with \", or use \"\"\" for several lines")
    }

    private func unexpectedCharacter() -> SDLFault {
        let bytes = source.bytes
        var end = index + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        let byte = bytes[index]
        if byte == UInt8(ascii: "'") {
            return SDLFault(index, "texts stand in double quotes", hint: "write \"...\"")
        }
        if byte < 0x20 || byte == 0x7F {
            return SDLFault(index, "a control character (byte \(byte))", hint: "remove it")
        }
        return SDLFault(
            index, "unexpected \"\(source.text(index..<end))\"",
            hint: "names are letters a-z A-Z, digits and _")
    }
}

func isNameStart(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
}

func isNamePart(_ byte: UInt8) -> Bool {
    isNameStart(byte) || byte &- UInt8(ascii: "0") < 10
}

private func isNumberPart(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "+")
        || byte == UInt8(ascii: "-") || (byte | 0x20) == UInt8(ascii: "e")
}
