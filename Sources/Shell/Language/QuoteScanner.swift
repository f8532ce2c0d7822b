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
        var index = 0
        if state != .continued, !isQuoted { atWordStart = true }
        if state == .continued { state = .complete }
        while index < line.count {
            let byte = line[index]
            if case .openQuote(let quote) = state {
                if byte == quote {
                    state = .complete
                } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                    index += 1
                }
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

    private var isQuoted: Bool { if case .openQuote = state { true } else { false } }
}
