/// A value in a JSON5 text, with where it stands.
struct JSON5Node: Sendable {
    struct Member: Sendable {
        var key: String
        var keyRange: Range<Int>
        var node: JSON5Node
    }

    var value: JSONValue
    var range: Range<Int>
    /// The members of an object, in their order; empty for other kinds.
    var members: [Member] = []
}

/// Reads JSON5 (https://spec.json5.org): JSON with comments and a lighter hand.
///
/// Infinity and NaN are refused, for JSON could not write them.
struct JSON5Reader {
    static let maxDepth = 128

    let bytes: UnsafeRawBufferPointer
    var index = 0
    private var depth = 0
    /// The key of a `.duplicateKey` fault.
    private(set) var duplicateKey: String?

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func document() throws(JSONFault) -> JSON5Node {
        if let offset = bytes.firstInvalidUTF8 { throw JSONFault(.invalidUTF8, at: offset) }
        try skipSpace()
        if index == bytes.count { throw JSONFault(.empty, at: index) }
        let node = try node()
        try skipSpace()
        if index < bytes.count { throw JSONFault(.trailing, at: index) }
        return node
    }

    /// The next byte; zero at the end, which no rule takes for anything.
    var byte: UInt8 { index < bytes.count ? bytes[index] : 0 }

    func byte(at offset: Int) -> UInt8 {
        index + offset < bytes.count ? bytes[index + offset] : 0
    }

    private mutating func node() throws(JSONFault) -> JSON5Node {
        let start = index
        switch byte {
        case UInt8(ascii: "{"):
            let members = try members()
            let pairs = members.map { (key: $0.key, value: $0.node.value) }
            return JSON5Node(
                value: .object(JSONObject(unchecked: pairs)), range: start..<index,
                members: members)
        case UInt8(ascii: "["):
            return JSON5Node(value: .array(try elements()), range: start..<index)
        default:
            return JSON5Node(value: try scalar(), range: start..<index)
        }
    }

    private mutating func members() throws(JSONFault) -> [JSON5Node.Member] {
        var members: [JSON5Node.Member] = []
        try enter()
        while byte != UInt8(ascii: "}") {
            let start = index
            let key = try key()
            if members.contains(where: { $0.key.sameBytes(as: key) }) {
                duplicateKey = key
                throw JSONFault(.duplicateKey, at: start)
            }
            let range = start..<index
            try skipSpace()
            guard take(UInt8(ascii: ":")) else { throw JSONFault(.expectedColon, at: index) }
            try skipSpace()
            members.append(JSON5Node.Member(key: key, keyRange: range, node: try node()))
            try skipSpace()
            guard take(UInt8(ascii: ",")) else { break }
            try skipSpace()
        }
        guard take(UInt8(ascii: "}")) else { throw JSONFault(.expectedCommaOrBrace, at: index) }
        depth -= 1
        return members
    }

    private mutating func elements() throws(JSONFault) -> [JSONValue] {
        var elements: [JSONValue] = []
        try enter()
        while byte != UInt8(ascii: "]") {
            elements.append(try node().value)
            try skipSpace()
            guard take(UInt8(ascii: ",")) else { break }
            try skipSpace()
        }
        guard take(UInt8(ascii: "]")) else { throw JSONFault(.expectedCommaOrBracket, at: index) }
        depth -= 1
        return elements
    }

    /// Steps into an array or object, up to its first token.
    private mutating func enter() throws(JSONFault) {
        depth += 1
        if depth > Self.maxDepth { throw JSONFault(.tooDeep, at: index) }
        index += 1
        try skipSpace()
    }

    mutating func take(_ expected: UInt8) -> Bool {
        guard index < bytes.count, byte == expected else { return false }
        index += 1
        return true
    }

    /// Steps over white space and comments.
    mutating func skipSpace() throws(JSONFault) {
        while index < bytes.count {
            switch byte {
            case 0x09...0x0D, 0x20: index += 1
            case UInt8(ascii: "/") where byte(at: 1) == UInt8(ascii: "/"):
                while index < bytes.count, !isLineEnd { index += 1 }
            case UInt8(ascii: "/") where byte(at: 1) == UInt8(ascii: "*"):
                let start = index
                index += 2
                while byte != UInt8(ascii: "*") || byte(at: 1) != UInt8(ascii: "/") {
                    index += 1
                    if index >= bytes.count { throw JSONFault(.unclosedComment, at: start) }
                }
                index += 2
            case 0x80...:
                let (scalar, width) = scalarAhead()
                guard isSpace(scalar) else { return }
                index += width
            default: return
            }
        }
    }

    private func isSpace(_ scalar: UnicodeScalar) -> Bool {
        switch scalar {
        case "\u{FEFF}", "\u{2028}", "\u{2029}": true
        default: scalar.properties.generalCategory == .spaceSeparator
        }
    }

    /// True at a line feed, a carriage return, U+2028 or U+2029.
    var isLineEnd: Bool {
        byte == 0x0A || byte == 0x0D
            || byte == 0xE2 && byte(at: 1) == 0x80 && byte(at: 2) & 0xFE == 0xA8
    }

    /// The character at `index`, which is not the end, and its width in bytes.
    func scalarAhead() -> (UnicodeScalar, width: Int) {
        var decoder = UTF8()
        var rest = bytes[index...].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&rest) else { return ("\u{FFFD}", 1) }
        return (scalar, UTF8.width(scalar))
    }
}
