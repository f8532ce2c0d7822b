extension JSON5Document {
    /// The edits that put a new member at the end of an object, laid out like its siblings.
    func insertion(of key: String, _ value: JSONValue, into object: JSON5Node) -> [JSON5Edit] {
        guard let last = object.members.last else {
            return insertion(of: key, value, first: object)
        }
        let end = last.node.range.upperBound
        let comma = commaEnd(after: end, in: object)
        let lineStart = lineStart(of: last.keyRange.lowerBound)
        guard lineStart > object.range.lowerBound else {
            let member = member(key, value, indent: indent(ofLineAt: end), in: object)
            if let comma { return [(comma..<comma, " \(member),")] }
            return [(end..<end, ", \(member)")]
        }
        let indent = indent(ofLineAt: last.keyRange.lowerBound)
        let member = newline + indent + member(key, value, indent: indent, in: object)
        let place = endOfRemarks(after: comma ?? end)
        if comma != nil { return [(place..<place, member + ",")] }
        // Two edits at one place would not know their order.
        if place == end { return [(end..<end, "," + member)] }
        return [(end..<end, ","), (place..<place, member)]
    }

    private func insertion(
        of key: String, _ value: JSONValue, first object: JSON5Node
    ) -> [JSON5Edit] {
        let outer = indent(ofLineAt: object.range.lowerBound)
        let brace = object.range.upperBound - 1
        let member = member(key, value, indent: outer + unit, in: root)
        let inside = object.range.lowerBound + 1..<brace
        if bytes[inside].allSatisfy(isSpace) {
            return [(inside, newline + outer + unit + member + newline + outer)]
        }
        // Only comments: the member goes below them, on a line of its own.
        var place = brace
        while isSpace(bytes[place - 1]), bytes[place - 1] != 0x0A { place -= 1 }
        if bytes[place - 1] == 0x0A { place -= bytes[place - 2] == 0x0D ? 2 : 1 }
        return [(place..<brace, newline + outer + unit + member + newline + outer)]
    }

    /// The edits that take a member out, with its line if it has one of its own.
    func removal(of index: Int, from object: JSON5Node) -> [JSON5Edit] {
        let member = object.members[index]
        let end = member.node.range.upperBound
        let comma = commaEnd(after: end, in: object)
        var edits: [JSON5Edit] = []
        if comma == nil, index > 0 {
            let before = object.members[index - 1].node.range.upperBound
            if let comma = commaEnd(after: before, in: object) {
                let gap = bytes[comma..<member.keyRange.lowerBound]
                if !gap.contains(0x0A), gap.allSatisfy(isSpace) {
                    return [(comma - 1..<end, "")]
                }
                edits.append((comma - 1..<comma, ""))
            }
        }
        let start = lineStart(of: member.keyRange.lowerBound)
        let lineEnd = endOfRemarks(after: comma ?? end)
        let ownsLine =
            bytes[start..<member.keyRange.lowerBound].allSatisfy(isSpace)
            && (lineEnd == bytes.count || bytes[lineEnd] == 0x0A || bytes[lineEnd] == 0x0D)
        if ownsLine {
            edits.append((start..<lineAfter(lineEnd), ""))
        } else {
            var stop = comma ?? end
            if comma != nil { while stop < bytes.count, bytes[stop] == 0x20 { stop += 1 } }
            edits.append((member.keyRange.lowerBound..<stop, ""))
        }
        return edits
    }

    /// `value` as JSON text, its lines after the first standing in by `indent`.
    func rendered(_ value: JSONValue, indent: String) -> String {
        let lines = value.prettyPrinted().split(separator: "\n", omittingEmptySubsequences: false)
        return lines.enumerated().map { index, line in
            let spaces = line.prefix { $0 == " " }.count
            let stands = index == 0 ? "" : indent + String(repeating: unit, count: spaces / 2)
            return stands + line.dropFirst(spaces)
        }.joined(separator: newline)
    }

    /// The white space the line of `offset` starts with.
    func indent(ofLineAt offset: Int) -> String {
        let start = lineStart(of: offset)
        let end = bytes[start...].firstIndex { $0 != 0x20 && $0 != 0x09 } ?? bytes.count
        return String(decoding: bytes[start..<min(end, offset)], as: UTF8.self)
    }

    private func member(
        _ key: String, _ value: JSONValue, indent: String, in object: JSON5Node
    ) -> String {
        let sibling = object.members.first ?? root.members.first
        let isBare = sibling.map { member in
            let first = bytes[member.keyRange.lowerBound]
            return first != UInt8(ascii: "\"") && first != UInt8(ascii: "'")
        }
        let name = isBare == true && isPlainName(key) ? key : JSONValue.string(key).serialized()
        return name + ": " + rendered(value, indent: indent)
    }

    private func isPlainName(_ key: String) -> Bool {
        guard let first = key.utf8.first, !(0x30...0x39 ~= first) else { return false }
        return key.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "$"): true
            default: false
            }
        }
    }

    /// What one level stands in by: as much as the first member of the text, else two spaces.
    private var unit: String {
        guard let first = root.members.first else { return "  " }
        let start = lineStart(of: first.keyRange.lowerBound)
        guard start > root.range.lowerBound else { return "  " }
        let indent = indent(ofLineAt: first.keyRange.lowerBound)
        return indent.isEmpty ? "  " : indent
    }

    private var newline: String {
        guard let feed = bytes.firstIndex(of: 0x0A), feed > 0 else { return "\n" }
        return bytes[feed - 1] == 0x0D ? "\r\n" : "\n"
    }

    private func isSpace(_ byte: UInt8) -> Bool { 0x09...0x0D ~= byte || byte == 0x20 }

    private func lineStart(of offset: Int) -> Int {
        bytes[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    }

    private func lineAfter(_ offset: Int) -> Int {
        bytes[offset...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
    }

    /// The offset after the comma that follows a value of `object`; nil when none does.
    private func commaEnd(after offset: Int, in object: JSON5Node) -> Int? {
        let next = bytes.span.bytes.withUnsafeBytes { bytes in
            var reader = JSON5Reader(bytes)
            reader.index = offset
            // The text has been read once: its comments are whole.
            do { try reader.skipSpace() } catch { return object.range.upperBound - 1 }
            return reader.index
        }
        return bytes[next] == UInt8(ascii: ",") ? next + 1 : nil
    }

    /// The end of the spaces and comments that follow on the line of `offset`.
    ///
    /// `offset` itself if something else follows, or a comment that goes on below.
    private func endOfRemarks(after offset: Int) -> Int {
        var index = offset
        while index < bytes.count {
            let rest = bytes[index...]
            if rest.starts(with: "//".utf8) {
                let stop = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
                // U+2028 and U+2029 end the comment, yet no editor shows a new line there.
                let hasSeparator = bytes[index..<stop].indices.contains {
                    bytes[$0...].starts(with: "\u{2028}".utf8)
                        || bytes[$0...].starts(with: "\u{2029}".utf8)
                }
                return hasSeparator ? offset : stop
            } else if rest.starts(with: "/*".utf8) {
                var close = index + 2
                while !bytes[close...].starts(with: "*/".utf8) {
                    if bytes[close] == 0x0A { return offset }
                    close += 1
                }
                index = close + 2
            } else if bytes[index] == 0x0A || bytes[index] == 0x0D {
                return index
            } else if isSpace(bytes[index]) {
                index += 1
            } else {
                return offset
            }
        }
        return index
    }
}
