/// Tells after each line whether the command goes on with the next.
///
/// Reads exactly the quotes, escapes and comments that `LineWords` reads.
package struct QuoteScanner: Sendable {
    /// What a line left open.
    package enum State: Sendable, Equatable {
        case complete
        /// Inside `'..'` or `".."`.
        case openQuote(UInt8)
        /// A backslash at the line's end.
        case continued
    }

    package private(set) var state = State.complete
    /// True where a word would begin, so that `#` begins a comment.
    private var atWordStart = true

    package init() {}

    /// Reads one line, without its LF.
    package mutating func scan(_ line: UnsafeRawBufferPointer) -> State {
        if state != .continued, !isQuoted { atWordStart = true }
        if state == .continued { state = .complete }
        var index = 0
        while index < line.count {
            if case .openQuote(let quote) = state {
                index = end(of: quote, in: line, from: index)
                if index < line.count { state = .complete }
                index += 1
                continue
            }
            let byte = line[index]
            // Letters, digits and most signs: no space, quote, backslash or #.
            if byte > UInt8(ascii: "'"), byte != UInt8(ascii: "\\") {
                atWordStart = false
                index += 1
                continue
            }
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                state = .openQuote(byte)
                atWordStart = false
            case UInt8(ascii: "\\"):
                if line.isLastBeforeLineEnd(index) {
                    state = .continued
                    return state
                }
                atWordStart = false
                index += 1
            case UInt8(ascii: "#") where atWordStart: return state
            default: atWordStart = byte.isSpace
            }
            index += 1
        }
        return state
    }

    /// Where the quote is closed; the line's count, or past it, when it is not.
    private func end(of quote: UInt8, in line: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index < line.count, line[index] != quote {
            let isEscape = line[index] == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"")
            index += isEscape ? 2 : 1
        }
        return index
    }

    private var isQuoted: Bool { if case .openQuote = state { true } else { false } }
}
