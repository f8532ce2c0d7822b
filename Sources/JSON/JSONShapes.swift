/// The keys that objects had last, by how deep they stand: the rows of a list look alike.
///
/// An object whose keys come in the order of an earlier one needs no look for a key that it has
/// twice, and no text made for any.
struct JSONShapes {
    private struct Key {
        var start: Int
        var count: Int
        var text: String
    }

    private struct Shape {
        var keys: [Key] = []
        /// How often it was replaced since an object last had it.
        var replacements = 0
    }

    private static let depths = 8
    /// Objects that differ this often are not worth their shape.
    private static let patience = 16
    /// How many keys of the shape an object may leave out in one place.
    private static let stride = 8
    private static let longest = 256
    private static let escaped = -1

    /// Empty when the text is too short to have rows.
    private var shapes: [Shape] = []
    /// Where the keys of the objects being read start.
    private var starts: [Int] = []

    init(count: Int) {
        guard count >= 1024 else { return }
        shapes = Array(repeating: Shape(), count: Self.depths)
        starts.reserveCapacity(64)
    }

    var openKeys: Int { starts.count }

    fileprivate func keyCount(depth: Int) -> Int {
        shapes.isEmpty ? 0 : shapes[depth % Self.depths].keys.count
    }

    /// The key of the shape that stands at `start`; nil when it is none of those to come.
    @inline(__always)
    mutating func key(
        at start: Int, of base: UnsafePointer<UInt8>, _ count: Int, _ members: inout JSONMembers
    ) -> String? {
        let depth = members.depth % Self.depths
        let stop = min(members.place + Self.stride, shapes[depth].keys.count)
        for place in members.place..<max(stop, members.place) {
            let length = shapes[depth].keys[place].count
            let end = start + length
            guard end < count, base[end] == UInt8(ascii: "\"") else { continue }
            let known = UnsafeRawBufferPointer(
                start: base + shapes[depth].keys[place].start, count: length)
            guard known.sameBytes(as: UnsafeRawBufferPointer(start: base + start, count: length))
            else { continue }
            members.place = place + 1
            starts.append(start)
            return shapes[depth].keys[place].text
        }
        return nil
    }

    mutating func noteKey(at start: Int) { if !shapes.isEmpty { starts.append(start) } }
    mutating func noteEscapedKey() { noteKey(at: Self.escaped) }

    /// Ends an object; one that looked new becomes the shape of its depth.
    mutating func close(_ members: JSONMembers) {
        guard !shapes.isEmpty else { return }
        defer { forget(to: members.firstKey) }
        let depth = members.depth % Self.depths
        if members.isFamiliar {
            if shapes[depth].replacements > 0 { shapes[depth].replacements = 0 }
            return
        }
        guard shapes[depth].replacements < Self.patience, members.pairs.count <= Self.longest
        else { return }
        shapes[depth].replacements += 1
        shapes[depth].keys.removeAll(keepingCapacity: true)
        for (pair, start) in zip(members.pairs, starts[members.firstKey...]) {
            if start == Self.escaped { return shapes[depth].keys.removeAll() }
            shapes[depth].keys.append(
                Key(start: start, count: pair.key.utf8.count, text: pair.key))
        }
    }

    /// Goes back to where an object began that was not read to its end.
    mutating func forget(to openKeys: Int) {
        if starts.count > openKeys { starts.removeSubrange(openKeys...) }
    }
}

/// The members of an object that is being read.
struct JSONMembers {
    var pairs: [JSONObject.Member] = []
    /// All its keys so far come in the order of its depth's shape.
    var isFamiliar: Bool
    /// The key of the shape that is to come next.
    var place = 0
    let depth: Int
    let mark: JSONKeyring.Mark
    let firstKey: Int

    @inline(__always)
    init(_ shapes: JSONShapes, depth: Int, _ mark: JSONKeyring.Mark) {
        let known = shapes.keyCount(depth: depth)
        isFamiliar = known > 0
        self.depth = depth
        self.mark = mark
        firstKey = shapes.openKeys
        pairs.reserveCapacity(known > 0 ? known : 4)
    }
}
