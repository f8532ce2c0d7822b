/// A JSON5 text a person keeps, changed one member at a time.
///
/// A change leaves every byte alone that it need not touch: comments, blank lines, quotes and the
/// order of members stay. The comment behind a removed member, on its line, goes with it.
package struct JSON5Document: Sendable {
    let bytes: [UInt8]
    let root: JSON5Node

    /// Reads a text.
    ///
    /// - Throws: What `JSONValue.parseJSON5` throws.
    package init(_ bytes: [UInt8]) throws(JSONError) {
        self.bytes = bytes
        self.root = try bytes.span.bytes.withUnsafeBytes { (bytes) throws(JSONError) in
            var reader = JSON5Reader(bytes)
            do throws(JSONFault) {
                return try reader.document()
            } catch {
                throw error.error(
                    in: bytes, maxDepth: JSON5Reader.maxDepth, key: reader.duplicateKey)
            }
        }
    }

    package init(_ text: String) throws(JSONError) { try self.init(Array(text.utf8)) }

    package var value: JSONValue { root.value }

    /// The text with the member at `path` set; members missing on the way are made.
    ///
    /// - Throws: Kind `.notAnObject` when something on the way is no object.
    package func setting(_ path: [String], to value: JSONValue) throws(JSONError) -> String {
        var node = root
        for (depth, key) in path.enumerated() {
            guard node.value.members != nil else { throw notAnObject(path.prefix(depth)) }
            guard let member = node.members.first(where: { $0.key.sameBytes(as: key) }) else {
                let nested = path[(depth + 1)...].reversed().reduce(value) { inner, key in
                    .object(JSONObject([(key, inner)]))
                }
                return text(edits: insertion(of: key, nested, into: node))
            }
            node = member.node
        }
        let new = rendered(value, indent: indent(ofLineAt: node.range.lowerBound))
        return text(edits: [(node.range, new)])
    }

    /// The text without the member at `path`; the same text when there is none.
    package func removing(_ path: [String]) -> String {
        var node = root
        for (depth, key) in path.enumerated() {
            guard let index = node.members.firstIndex(where: { $0.key.sameBytes(as: key) }) else {
                break
            }
            if depth == path.count - 1 { return text(edits: removal(of: index, from: node)) }
            node = node.members[index].node
        }
        return text(edits: [])
    }

    private func notAnObject(_ path: ArraySlice<String>) -> JSONError {
        let place = path.isEmpty ? "the whole text" : "\"\(path.joined(separator: "."))\""
        return JSONError(.notAnObject, "\(place) is not an object")
    }

    private func text(edits: [JSON5Edit]) -> String {
        var result = bytes
        for (range, new) in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            result.replaceSubrange(range, with: new.utf8)
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// What takes the place of a range of bytes.
typealias JSON5Edit = (range: Range<Int>, text: String)
