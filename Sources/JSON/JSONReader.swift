/// Builds a value from a text and the index of its tokens in one pass.
///
/// The index tells where tokens start, never that they follow each other rightly: every byte the
/// reader steps on is checked here. Its two gifts are speed and that a string's end is known: only
/// white space can stand between a closing quote and the next token.
struct JSONReader {
    let base: UnsafePointer<UInt8>
    let count: Int
    /// The text as it came; `base` may have bytes replaced, by as many.
    var text: UnsafeRawBufferPointer
    var next: UnsafePointer<UInt32>
    let end: UnsafePointer<UInt32>
    var maxDepth: Int
    var depth = 0
    var keyring: JSONKeyring
    var shapes: JSONShapes
    /// The key of a `.duplicateKey` fault.
    var duplicateKey: String?
    /// A text that the values to come may have once more.
    var shared = JSONSharedText()
    /// Bytes that no JSON has, which were replaced for the index to be made; by offset.
    var marks: ArraySlice<JSONFault> = []
    /// How many elements the last list had at a depth (modulo 8): rows of a list look alike.
    private var elementHints = SIMD8<UInt8>(repeating: 4)

    /// Takes `offsets` with one entry more than `offsetCount`, equal to `count`.
    init(
        base: UnsafePointer<UInt8>, count: Int, offsets: UnsafePointer<UInt32>, offsetCount: Int,
        maxDepth: Int
    ) {
        self.base = base
        self.count = count
        self.text = UnsafeRawBufferPointer(start: base, count: count)
        self.next = offsets
        self.end = offsets + offsetCount
        self.maxDepth = maxDepth
        self.keyring = JSONKeyring(base: base, count: count)
        self.shapes = JSONShapes(count: count)
    }

    mutating func document() throws(JSONFault) -> JSONValue {
        let value = try value()
        guard next == end else { throw JSONFault(.trailing, at: offset) }
        return value
    }

    /// The offset of the token to read next; `count` when there is none.
    var offset: Int { Int(next.pointee) }

    mutating func value() throws(JSONFault) -> JSONValue {
        let start = offset
        guard next < end else { throw JSONFault(.expectedValue, at: count) }
        next += 1
        switch base[start] {
        case UInt8(ascii: "\""):
            let stop = try closingQuote(of: start)
            if shared.count == stop - start - 1, let text = shared.text(at: start + 1, of: base) {
                return .string(text)
            }
            return .string(try string(from: start + 1, to: stop))
        case UInt8(ascii: "{"): return try object(from: start)
        case UInt8(ascii: "["): return try array(from: start)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let (value, stop) = try number(from: start)
            guard endsToken(stop) else { throw JSONFault(.badNumber, at: start) }
            return value
        case UInt8(ascii: "t"): return try literal("true", .bool(true), from: start)
        case UInt8(ascii: "f"): return try literal("false", .bool(false), from: start)
        case UInt8(ascii: "n"): return try literal("null", .null, from: start)
        default: throw JSONFault(.expectedValue, at: start)
        }
    }

    private mutating func array(from start: Int) throws(JSONFault) -> JSONValue {
        try enter(at: start)
        defer { depth -= 1 }
        if take(UInt8(ascii: "]")) { return .array([]) }
        var elements: [JSONValue] = []
        elements.reserveCapacity(Int(elementHints[depth & 7]))
        repeat { elements.append(try value()) } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw JSONFault(.expectedCommaOrBracket, at: offset) }
        elementHints[depth & 7] = UInt8(min(elements.count, 64))
        return .array(elements)
    }

    mutating func enter(at start: Int) throws(JSONFault) {
        depth += 1
        if depth > maxDepth { throw JSONFault(.tooDeep, at: start) }
    }

    /// Steps over the next token if it is `byte`.
    ///
    /// The index takes some control characters for operators, so the byte itself is compared.
    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard next < end, base[offset] == byte else { return false }
        next += 1
        return true
    }

    /// The offset of the quote that closes the string opened at `quote`, the token just stepped over.
    @inline(__always)
    func closingQuote(of quote: Int) throws(JSONFault) -> Int {
        var last = offset - 1
        while last > quote, isSpace(base[last]) { last -= 1 }
        guard last > quote, base[last] == UInt8(ascii: "\"") else {
            throw JSONFault(.unclosedString, at: quote)
        }
        return last
    }

    private func literal(
        _ word: StaticString, _ value: JSONValue, from start: Int
    ) throws(JSONFault) -> JSONValue {
        let stop = start + word.utf8CodeUnitCount
        guard stop <= count else { throw JSONFault(.badLiteral, at: start) }
        for index in start..<stop where base[index] != word.utf8Start[index - start] {
            throw JSONFault(.badLiteral, at: start)
        }
        guard endsToken(stop) else { throw JSONFault(.badLiteral, at: start) }
        return value
    }

    /// True when a number or literal may end before `stop`.
    @inline(__always)
    private func endsToken(_ stop: Int) -> Bool { stop == offset || isSpace(base[stop]) }

    @inline(__always)
    func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
