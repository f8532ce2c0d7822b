/// Finds duplicate keys while objects are read, and gives equal keys one text.
///
/// A key has a print of 64 bits. The prints of the objects being read lie on one stack, so most
/// keys are told apart by comparing words; only equal prints compare texts.
struct JSONKeyring {
    /// Where an open object's keys start.
    struct Mark {
        fileprivate let base: Int
    }

    private struct Known {
        var print: UInt64 = 0
        var start = 0
        var count = -1
        var text = ""
    }

    /// Past this many members an object's keys go into a set, lest a long object take square time.
    private static let scanned = 48
    private static let slots = 64

    private let base: UnsafePointer<UInt8>
    private let count: Int
    private var prints: [UInt64] = []
    private var known: [Known]
    /// The keys of open objects that outgrew scanning, by mark.
    private var large: [Int: Set<ByteText>] = [:]

    init(base: UnsafePointer<UInt8>, count: Int) {
        self.base = base
        self.count = count
        // A short text has no rows that repeat their keys.
        known = count < 1024 ? [] : Array(repeating: Known(), count: Self.slots)
        prints.reserveCapacity(32)
    }

    func openObject() -> Mark { Mark(base: prints.count) }

    mutating func closeObject(_ mark: Mark) {
        if prints.count - mark.base > Self.scanned { large[mark.base] = nil }
        prints.removeSubrange(mark.base...)
    }

    /// Forgets the objects opened since `mark`, which were not read to their ends.
    mutating func rewind(to mark: Mark) {
        if prints.count > mark.base { prints.removeSubrange(mark.base...) }
        if !large.isEmpty { large = large.filter { $0.key < mark.base } }
    }

    /// Adds a key that is known to be new.
    mutating func note(_ key: String) {
        var key = key
        prints.append(Self.print(of: &key))
    }

    /// Adds the key between two offsets, which has no escapes, to the object opened at `mark`.
    ///
    /// `pairs` are the object's members so far. Gives the key's text, and false when the object
    /// has that key already.
    mutating func insert(
        from start: Int, to stop: Int, among pairs: [JSONObject.Member], since mark: Mark
    ) -> (String, isNew: Bool) {
        let length = stop - start
        let print = Self.fingerprint(base + start, length, readable: count - start)
        let text = text(print, start, length)
        return (text, isNew(text, print, pairs, mark.base))
    }

    /// The same for a key with escapes, already decoded.
    mutating func insert(
        _ key: String, among pairs: [JSONObject.Member], since mark: Mark
    ) -> Bool {
        var key = key
        let print = Self.print(of: &key)
        return isNew(key, print, pairs, mark.base)
    }

    private mutating func isNew(
        _ key: String, _ print: UInt64, _ pairs: [JSONObject.Member], _ mark: Int
    ) -> Bool {
        let earlier = prints.count - mark
        prints.append(print)
        guard earlier >= Self.scanned else {
            for index in 0..<earlier where prints[mark + index] == print {
                if pairs[index].key.sameBytes(as: key) { return false }
            }
            return true
        }
        return large[mark, default: Set(pairs.lazy.map { ByteText($0.key) })]
            .insert(ByteText(key)).inserted
    }

    private mutating func text(_ print: UInt64, _ start: Int, _ length: Int) -> String {
        guard !known.isEmpty else { return makeText(start, length) }
        let slot = Int(truncatingIfNeeded: (print ^ print >> 29) % UInt64(Self.slots))
        if known[slot].print == print, known[slot].count == length,
            raw(known[slot].start, length).sameBytes(as: raw(start, length))
        {
            return known[slot].text
        }
        let text = makeText(start, length)
        known[slot] = Known(print: print, start: start, count: length, text: text)
        return text
    }

    private func makeText(_ start: Int, _ length: Int) -> String {
        String(validUTF8: UnsafeBufferPointer(start: base + start, count: length))
    }

    private static func print(of key: inout String) -> UInt64 {
        key.withUTF8 { bytes in
            bytes.baseAddress.map { fingerprint($0, bytes.count, readable: bytes.count) } ?? 0
        }
    }

    /// Words from the ends and the length, mixed; `readable` bytes may be touched.
    @inline(__always)
    private static func fingerprint(
        _ bytes: UnsafePointer<UInt8>, _ length: Int, readable: Int
    ) -> UInt64 {
        let raw = UnsafeRawPointer(bytes)
        var print = UInt64(truncatingIfNeeded: length) &* 0x9E37_79B9_7F4A_7C15
        if length >= 8 {
            print ^= raw.loadUnaligned(as: UInt64.self)
            print = (print ^ print >> 32) &* 0xD6E8_FEB8_6659_FD93
            print ^= raw.loadUnaligned(fromByteOffset: length - 8, as: UInt64.self)
        } else if readable >= 8 {
            let shift = UInt64(truncatingIfNeeded: (8 - length) * 8)
            print ^= (raw.loadUnaligned(as: UInt64.self) << shift) >> shift
        } else {
            for index in 0..<length { print ^= UInt64(bytes[index]) << UInt64(index * 8) }
        }
        return (print ^ print >> 31) &* 0xD6E8_FEB8_6659_FD93
    }

    private func raw(_ start: Int, _ length: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + start, count: length)
    }
}

/// A text as a set's element: equal when its bytes are.
private struct ByteText: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ByteText, right: ByteText) -> Bool { left.text.sameBytes(as: right.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
