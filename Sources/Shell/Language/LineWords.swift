/// The words of one REPL or script line, read as the parser asks for them.
///
/// `'..'` is literal; `".."` knows `\n \t \" \\ \uXXXX`; `\x` stands for the one character x; a `#`
/// at a word's start begins a comment. The bytes must outlive the value.
package struct LineWords: WordSource {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var scratch: [UInt8] = []

    /// - Parameter bytes: A whole command, its continued lines joined by LF as they were read.
    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package mutating func next() throws(ShellError) -> Word? {
        skipSpace()
        guard position < bytes.count, bytes[position] != UInt8(ascii: "#") else {
            position = bytes.count
            return nil
        }
        let start = position
        while position < bytes.count, bytes[position].isPlain { position += 1 }
        if position == bytes.count || bytes[position].isSpace {
            return Word(try text(start..<position), at: start..<position)
        }
        return try quotedWord(from: start)
    }

    package mutating func filter(optionsEnded: Bool) throws(ShellError) -> String {
        skipSpace()
        let start = position
        var end = position
        var isContinued = false
        while position < bytes.count, bytes[position] != UInt8(ascii: "#") {
            let wordStart = position
            let isPlain = try skipRawWord(&isContinued)
            if isPlain, try endsFilter(wordStart..<position, optionsEnded) {
                position = wordStart
                break
            }
            end = position
            skipSpace(&isContinued)
        }
        guard isContinued else { return try text(start..<end) }
        return try withoutContinuations(start..<end)
    }
}

extension LineWords {
    /// All the words of a line, as far as it can be read; filters are words like any other here.
    package static func words(of line: String) throws(ShellError) -> [Word] {
        try line.utf8Span.span.withUnsafeBytes { (bytes) throws(ShellError) in
            var source = LineWords(bytes)
            var words: [Word] = []
            while let word = try source.next() { words.append(word) }
            return words
        }
    }
}

extension LineWords {
    private mutating func quotedWord(from start: Int) throws(ShellError) -> Word {
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: bytes[start..<position])
        scanning: while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "'"): try takeLiteral()
            case UInt8(ascii: "\""): try takeEscaped()
            case UInt8(ascii: "\\"):
                if skipContinuation() { continue }
                if bytes.isLastBeforeLineEnd(position) { throw Self.danglingBackslash }
                scratch.append(bytes[position + 1])
                position += 2
            default:
                if byte.isSpace { break scanning }
                scratch.append(byte)
                position += 1
            }
        }
        let word = scratch.withUnsafeBytes { String(checking: $0) }
        guard let word else { throw invalid(start) }
        return Word(word, at: start..<position)
    }

    /// Takes `'..'`, from its opening quote on.
    private mutating func takeLiteral() throws(ShellError) {
        let open = position
        position += 1
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "'") { position += 1 }
        guard position < bytes.count else { throw Self.unclosed(bytes[open], at: open) }
        scratch.append(contentsOf: bytes[start..<position])
        position += 1
    }

    /// Takes `".."`, from its opening quote on.
    private mutating func takeEscaped() throws(ShellError) {
        let open = position
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            if bytes[position] != UInt8(ascii: "\\") {
                let start = position
                while position < bytes.count, bytes[position] != UInt8(ascii: "\\"),
                    bytes[position] != UInt8(ascii: "\"")
                {
                    position += 1
                }
                scratch.append(contentsOf: bytes[start..<position])
            } else if !skipContinuation() {
                position += 1
                try takeEscape()
            }
        }
        guard position < bytes.count else { throw Self.unclosed(bytes[open], at: open) }
        position += 1
    }

    /// Takes what follows a backslash inside double quotes.
    private mutating func takeEscape() throws(ShellError) {
        guard position < bytes.count else { throw Self.danglingBackslash }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "n"): scratch.append(0x0A)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): scratch.append(byte)
        case UInt8(ascii: "u"): try takeUnicode()
        default:
            let name = byte < 0x80 ? String(UnicodeScalar(byte)) : "…"
            throw .usage(
                "\\\(name) means nothing inside \"..\"",
                hint: #"there is \n \t \" \\ \uXXXX; write \\ for a backslash, or use '..'"#)
        }
    }

    /// Takes the four digits after `\u`, and the second half of a surrogate pair.
    private mutating func takeUnicode() throws(ShellError) {
        var code = try hexadecimal()
        if (0xD800..<0xDC00).contains(code), position + 1 < bytes.count,
            bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
        {
            position += 2
            let low = try hexadecimal()
            if (0xDC00..<0xE000).contains(low) {
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
        }
        guard let scalar = UnicodeScalar(code) else {
            throw .usage(#"\u\#(String(code, radix: 16)) is half a surrogate pair, no character"#)
        }
        scratch.append(contentsOf: Character(scalar).utf8)
    }

    private mutating func hexadecimal() throws(ShellError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard position < bytes.count,
                let digit = Character(UnicodeScalar(bytes[position])).hexDigitValue
            else { throw .usage(#"\u takes four hexadecimal digits, such as \u00e9"#) }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }
}

extension LineWords {
    private mutating func skipSpace() {
        var isContinued = false
        skipSpace(&isContinued)
    }

    private mutating func skipSpace(_ isContinued: inout Bool) {
        while position < bytes.count {
            if bytes[position].isSpace {
                position += 1
            } else if skipContinuation() {
                isContinued = true
            } else {
                return
            }
        }
    }

    /// Skips a backslash and the end of line it takes away.
    private mutating func skipContinuation() -> Bool {
        guard bytes[position] == UInt8(ascii: "\\") else { return false }
        let length = bytes.continuationLength(at: position)
        position += length
        return length > 0
    }

    /// Skips a word of a filter, whose quotes and escapes are the filter's own.
    ///
    /// - Returns: True for a word without quotes and escapes.
    private mutating func skipRawWord(_ isContinued: inout Bool) throws(ShellError) -> Bool {
        var isPlain = true
        while position < bytes.count, !bytes[position].isSpace {
            let byte = bytes[position]
            if byte.isPlain {
                position += 1
                continue
            }
            isPlain = false
            switch byte {
            case UInt8(ascii: "\\"):
                if skipContinuation() {
                    isContinued = true
                } else {
                    position = min(position + 2, bytes.count)
                }
            default: try skipRawQuote(byte, &isContinued)
            }
        }
        return isPlain
    }

    private mutating func skipRawQuote(
        _ quote: UInt8, _ isContinued: inout Bool
    ) throws(ShellError) {
        let open = position
        position += 1
        while position < bytes.count, bytes[position] != quote {
            if quote == UInt8(ascii: "\""), bytes[position] == UInt8(ascii: "\\") {
                if skipContinuation() { isContinued = true } else { position += 2 }
            } else {
                position += 1
            }
        }
        guard position < bytes.count else { throw Self.unclosed(quote, at: open) }
        position += 1
    }

    private func endsFilter(_ range: Range<Int>, _ optionsEnded: Bool) throws(ShellError) -> Bool {
        let isDash = bytes[range.lowerBound] == UInt8(ascii: "-")
        guard isDash || (3...7).contains(range.count) else { return false }
        let word = try text(range)
        return ClauseWord.endsFilter(word) || (!optionsEnded && word.isOption)
    }

    /// The bytes of a filter without the ends of line that a backslash takes away.
    private func withoutContinuations(_ range: Range<Int>) throws(ShellError) -> String {
        var kept: [UInt8] = []
        var isLiteral = false
        var isQuoted = false
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            if byte == UInt8(ascii: "'"), !isQuoted { isLiteral.toggle() }
            if byte == UInt8(ascii: "\""), !isLiteral { isQuoted.toggle() }
            let skipped =
                byte == UInt8(ascii: "\\") && !isLiteral ? bytes.continuationLength(at: index) : 0
            if skipped > 0 {
                index += skipped
            } else {
                let length = byte == UInt8(ascii: "\\") && !isLiteral ? 2 : 1
                let end = min(index + length, range.upperBound)
                kept.append(contentsOf: bytes[index..<end])
                index = end
            }
        }
        guard let text = String(validating: kept, as: UTF8.self) else {
            throw invalid(range.lowerBound)
        }
        return text
    }

    private func text(_ range: Range<Int>) throws(ShellError) -> String {
        let word = UnsafeRawBufferPointer(rebasing: bytes[range])
        guard let text = String(checking: word) else { throw invalid(range.lowerBound) }
        return text
    }

    private func invalid(_ start: Int) -> ShellError {
        .usage("not UTF-8: \(InvalidUTF8.description(in: bytes, from: start)) of the line")
    }

    static func unclosed(_ quote: UInt8, at offset: Int) -> ShellError {
        let sign = String(UnicodeScalar(quote))
        return .usage(
            "the quote \(sign) at position \(offset + 1) is never closed",
            hint: "close it, or write \\\(sign) for the character itself")
    }

    static var danglingBackslash: ShellError {
        .usage(
            "the command ends in a backslash, and no line follows",
            hint: "write \\\\ for a backslash itself")
    }
}

extension UInt8 {
    var isSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

    /// True for a byte that stands for itself in the middle of a word.
    var isPlain: Bool {
        // Spaces and quotes all come before the letters.
        if self > UInt8(ascii: "'") { return self != UInt8(ascii: "\\") }
        return !isSpace && self != UInt8(ascii: "'") && self != UInt8(ascii: "\"")
    }
}

extension UnsafeRawBufferPointer {
    /// True when nothing but a carriage return follows the byte at `index`.
    func isLastBeforeLineEnd(_ index: Int) -> Bool {
        index + 1 == count || (index + 2 == count && self[index + 1] == 0x0D)
    }

    /// How many bytes a backslash at `index` and the end of line after it take; 0 if none follows.
    func continuationLength(at index: Int) -> Int {
        guard index + 1 < count else { return 0 }
        if self[index + 1] == 0x0A { return 2 }
        guard index + 2 < count, self[index + 1] == 0x0D, self[index + 2] == 0x0A else { return 0 }
        return 3
    }
}
