extension JSONReader {
    mutating func object(from start: Int) throws(JSONFault) -> JSONValue {
        try enter(at: start)
        defer { depth -= 1 }
        if take(UInt8(ascii: "}")) { return .object(JSONObject()) }
        var members = JSONMembers(shapes, depth: depth, keyring.openObject())
        repeat {
            let key = try key(of: &members)
            guard take(UInt8(ascii: ":")) else { throw JSONFault(.expectedColon, at: offset) }
            members.pairs.append((key: key, value: try value()))
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw JSONFault(.expectedCommaOrBrace, at: offset) }
        if !members.isFamiliar { keyring.closeObject(members.mark) }
        shapes.close(members)
        return .object(JSONObject(unchecked: members.pairs))
    }

    /// The next key of an object, which none of its members has.
    ///
    /// The keys that come as they did in an object before differ from each other as they did there.
    @inline(__always)
    mutating func key(of members: inout JSONMembers) throws(JSONFault) -> String {
        let quote = offset
        guard next < end, base[quote] == UInt8(ascii: "\"") else {
            throw JSONFault(.expectedKey, at: quote)
        }
        if members.isFamiliar {
            if let key = shapes.key(at: quote + 1, of: base, count, &members) {
                next += 1
                return key
            }
            members.isFamiliar = false
            for pair in members.pairs { keyring.note(pair.key) }
        }
        return try newKey(from: quote, among: members.pairs, since: members.mark)
    }

    /// The key that opens at `quote`, compared with each of the object's members so far.
    mutating func newKey(
        from quote: Int, among pairs: [JSONObject.Member], since mark: JSONKeyring.Mark
    ) throws(JSONFault) -> String {
        next += 1
        let stop = try closingQuote(of: quote)
        let key: String
        let isNew: Bool
        if hasEscape(from: quote + 1, to: stop) {
            key = try string(from: quote + 1, to: stop)
            isNew = keyring.insert(key, among: pairs, since: mark)
            shapes.noteEscapedKey()
        } else {
            (key, isNew) = keyring.insert(from: quote + 1, to: stop, among: pairs, since: mark)
            shapes.noteKey(at: quote + 1)
        }
        guard isNew else {
            duplicateKey = key
            throw JSONFault(.duplicateKey, at: quote)
        }
        return key
    }
}

/// A text that is likely to come again: where it stands and what it is.
struct JSONSharedText {
    private(set) var count = -1
    private var start = 0
    private var text = ""

    init() {}

    /// Takes a text that fills the bytes between two offsets, its quotes aside.
    init(_ text: String, from start: Int, to stop: Int) {
        self.text = text
        self.start = start
        count = stop - start
    }

    /// The text, if as many bytes at `other` are the same.
    @inline(__always)
    func text(at other: Int, of base: UnsafePointer<UInt8>) -> String? {
        let mine = UnsafeRawBufferPointer(start: base + start, count: count)
        let theirs = UnsafeRawBufferPointer(start: base + other, count: count)
        return mine.sameBytes(as: theirs) ? text : nil
    }
}
