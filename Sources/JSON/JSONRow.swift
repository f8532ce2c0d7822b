/// One element of a list that is read element by element: of its members those that were asked for.
package struct JSONRow {
    /// The members asked for, in the order of their names; nil for one that is not there, or that
    /// cannot be read.
    package var values: [JSONValue?]
    /// The element, where no members were asked for.
    package internal(set) var whole: JSONValue?
    /// The place of the one member asked for that cannot be read, and its text.
    package private(set) var broken: (place: Int, text: String)?
    /// Why the element is no JSON to be taken; nil when it is.
    package private(set) var fault: JSONError?
    /// The element as it came, valid while it is looked at.
    package private(set) var bytes: UnsafeRawBufferPointer

    /// The element as a text, U+FFFD where it is no UTF-8.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    init(members: Int) {
        values = Array(repeating: .none, count: members)
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    func has(_ place: Int) -> Bool { if case .some = values[place] { true } else { false } }

    /// The same row for the next element.
    mutating func clear() {
        for place in values.indices { values[place] = .none }
        whole = .none
        broken = nil
        fault = nil
    }

    mutating func end(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func fail(_ fault: JSONError, broken: (place: Int, text: String)?) {
        self.fault = fault
        self.broken = broken
    }
}

/// A list somewhere in a text that is taken element by element.
///
/// An element that is no JSON, has a key twice, or nests too deep spoils only itself, as long as its
/// brackets tell where it ends.
package struct JSONRows {
    /// The keys that lead from the outermost object to the list; nil stands for any key.
    let path: [String?]
    let names: [[UInt8]]
    let maxDepth: Int
    let take: (inout JSONRow) -> JSONValue?

    /// - Parameters:
    ///   - path: The keys that lead to the list; nil stands for any.
    ///   - names: The keys of the members that are wanted of each element; none for all of it.
    ///   - maxDepth: How deep an element may nest, itself included.
    ///   - take: Called for each element in order; what it returns stands in the list then. It must
    ///     not read other JSON, for one text is read at a time.
    package init(
        _ path: [String?], of names: [String], maxDepth: Int,
        take: @escaping (inout JSONRow) -> JSONValue?
    ) {
        self.path = path
        self.names = names.map { Array($0.utf8) }
        self.maxDepth = maxDepth
        self.take = take
    }

    func leads(through key: String, at depth: Int) -> Bool {
        depth < path.count && (path[depth].map { $0.sameBytes(as: key) } ?? true)
    }
}
