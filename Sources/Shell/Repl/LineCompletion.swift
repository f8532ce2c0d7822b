/// Candidates for the word at the cursor of a line, in the words of readline.
///
/// The engine speaks of whole words without quotes; readline replaces a part of the line, after an
/// opening quote if there is one. This translates.
package struct LineCompletion {
    package let candidates: [Candidate]
    package let goesOn: Bool
    /// The line up to the cursor.
    private let before: [UInt8]
    /// Where the word at the cursor begins.
    private let wordStart: Int

    /// The words before the cursor's, and what of the cursor's word is before the cursor.
    package static func context(
        _ before: [UInt8]
    ) -> (words: [String], current: String, start: Int) {
        let start = wordStart(before)
        return (
            decoded(Array(before[..<start])).words,
            decoded(Array(before[start...])).words.first ?? "", start
        )
    }

    package init(_ completions: Completions, before: [UInt8]) {
        candidates = completions.candidates
        goesOn = completions.goesOn
        self.before = before
        wordStart = Self.wordStart(before)
    }

    /// What to put in the place of the text that begins at `start`, for each candidate that can
    /// stand there.
    package func replacements(from start: Int, typed: String) -> [String] {
        // What precedes the text within the word, such as `title="`, stays as it is.
        let kept = before[min(wordStart, start)..<min(start, before.count)]
        let quote = Self.openQuote(before[..<min(start, before.count)])
        let prefix = Self.decoded(Array(kept)).words.first ?? ""
        return candidates.compactMap { candidate in
            guard candidate.value.utf8.starts(with: prefix.utf8) else {
                // A candidate found by its label replaces the word; that works from its start only.
                return nil
            }
            // The terminal would act on it as it is put into the line.
            guard !candidate.value.unicodeScalars.contains(where: Sanitizer.isDangerous) else {
                return nil
            }
            let rest = String(
                decoding: candidate.value.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
            return Self.quoted(rest, in: quote, atStart: kept.isEmpty)
        }
    }

    /// What all matches begin with; what was typed when they share no more than that.
    package static func common(_ matches: [String], typed: String) -> String {
        guard var shared = matches.first else { return typed }
        for match in matches { shared = String(shared.commonPrefix(with: match)) }
        return shared.utf8.starts(with: typed.utf8) ? shared : typed
    }

    /// Lines of candidates and their help, at most a screenful.
    package static func listing(_ candidates: [Candidate]) -> String {
        let shown = candidates.prefix(60)
        let width = min(shown.map { $0.value.displayWidth }.max() ?? 0, 40)
        var text = ""
        for candidate in shown {
            let value = Sanitizer.show(candidate.value)
            let padding = String(repeating: " ", count: max(0, width - value.displayWidth))
            let help = Sanitizer.show(candidate.help).cut(toWidth: 60)
            text += help.isEmpty ? "\(value)\n" : "\(value)\(padding)  \(help)\n"
        }
        let more = candidates.count - shown.count
        return more > 0 ? text + "... and \(more) more\n" : text
    }
}

// MARK: - Quotes

extension LineCompletion {
    /// True when the character after these bytes is inside quotes or escaped.
    package static func isInsideQuotes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        scan(bytes).quote != nil || scan(bytes).isEscaped
    }

    private static func openQuote(_ bytes: ArraySlice<UInt8>) -> UInt8? {
        bytes.withUnsafeBytes { scan($0).quote }
    }

    private static func wordStart(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { scan($0).wordStart }
    }

    private static func scan(
        _ bytes: UnsafeRawBufferPointer
    ) -> (quote: UInt8?, isEscaped: Bool, wordStart: Int) {
        var quote: UInt8?
        var isEscaped = false
        var wordStart = 0
        for (index, byte) in bytes.enumerated() {
            if isEscaped {
                isEscaped = false
            } else if let open = quote {
                if byte == open { quote = nil }
                isEscaped = byte == UInt8(ascii: "\\") && open == UInt8(ascii: "\"")
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte.isSpace {
                wordStart = index + 1
            }
        }
        return (quote, isEscaped, wordStart)
    }

    /// The words of an unfinished line: an open quote is closed, a dangling backslash dropped.
    private static func decoded(_ bytes: [UInt8]) -> (words: [String], isClean: Bool) {
        let state = bytes.withUnsafeBytes { scan($0) }
        var bytes = bytes
        if state.isEscaped { bytes.removeLast() }
        if let quote = state.quote { bytes.append(quote) }
        do throws(ShellError) {
            let line = String(decoding: bytes, as: UTF8.self)
            return (try LineWords.words(of: line).map(\.text), true)
        } catch {
            return ([], false)
        }
    }

    /// A text as it is written inside `quote`, or without quotes; nil when that cannot be.
    private static func quoted(_ text: String, in quote: UInt8?, atStart: Bool) -> String? {
        switch quote {
        case UInt8(ascii: "'"): return text.utf8.contains(UInt8(ascii: "'")) ? nil : text
        case UInt8(ascii: "\""): return escaped(text) { $0 == 0x22 || $0 == 0x5C }
        default:
            if text.isEmpty, atStart { return "''" }
            let escaped = escaped(text) { !$0.isPlain }
            return atStart && text.utf8.first == UInt8(ascii: "#") ? "\\" + escaped : escaped
        }
    }

    private static func escaped(_ text: String, where isSpecial: (UInt8) -> Bool) -> String {
        guard text.utf8.contains(where: isSpecial) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isSpecial(byte) { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    fileprivate func commonPrefix(with other: String) -> Substring {
        var (left, right) = (startIndex, other.startIndex)
        while left < endIndex, right < other.endIndex, self[left] == other[right] {
            left = index(after: left)
            right = other.index(after: right)
        }
        return self[..<left]
    }
}
