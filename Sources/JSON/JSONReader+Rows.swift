// Lists that are read element by element, so that a bad element spoils only itself.

extension JSONReader {
    /// A document of which the lists that `rows` lead to are taken element by element.
    mutating func document(_ rows: [JSONRows]) throws(JSONFault) -> JSONValue {
        let value = try value(rows)
        guard next == end else { throw JSONFault(.trailing, at: offset) }
        if let mark = marks.first { throw mark }
        return value
    }

    /// A value on the way to `rows`, of whose paths `depth` keys are passed.
    private mutating func value(_ rows: [JSONRows], _ passed: Int = 0) throws(JSONFault)
        -> JSONValue
    {
        let start = offset
        guard next < end, !rows.isEmpty else { return try value() }
        if base[start] == UInt8(ascii: "["),
            let list = rows.first(where: { $0.path.count == passed })
        {
            next += 1
            return try self.list(list, from: start)
        }
        guard base[start] == UInt8(ascii: "{") else { return try value() }
        next += 1
        try enter(at: start)
        defer { depth -= 1 }
        if take(UInt8(ascii: "}")) { return .object(JSONObject()) }
        var pairs: [JSONObject.Member] = []
        let mark = keyring.openObject()
        repeat {
            let quote = offset
            guard next < end, base[quote] == UInt8(ascii: "\"") else {
                throw JSONFault(.expectedKey, at: quote)
            }
            let key = try newKey(from: quote, among: pairs, since: mark)
            guard take(UInt8(ascii: ":")) else { throw JSONFault(.expectedColon, at: offset) }
            let leading = rows.filter { $0.leads(through: key, at: passed) }
            pairs.append((key: key, value: try value(leading, passed + 1)))
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw JSONFault(.expectedCommaOrBrace, at: offset) }
        keyring.closeObject(mark)
        return .object(JSONObject(unchecked: pairs))
    }

    private mutating func list(_ rows: JSONRows, from start: Int) throws(JSONFault) -> JSONValue {
        try enter(at: start)
        defer { depth -= 1 }
        if take(UInt8(ascii: "]")) { return .array([]) }
        var elements: [JSONValue] = []
        var row = JSONRow(members: rows.names.count)
        repeat {
            try element(&row, rows)
            if let element = rows.take(&row) { elements.append(element) }
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw JSONFault(.expectedCommaOrBracket, at: offset) }
        return .array(elements)
    }

    /// Reads one element, or what can be read of it.
    mutating func element(_ row: inout JSONRow, _ rows: JSONRows) throws(JSONFault) {
        let (first, start, outer) = (next, offset, (depth: depth, limit: maxDepth))
        let (keys, mark) = (shapes.openKeys, keyring.openObject())
        if let mark = marks.first, mark.offset < start { throw mark }
        row.clear()
        shared = JSONSharedText()
        maxDepth = min(outer.limit, depth + rows.maxDepth)
        defer { maxDepth = outer.limit }
        do throws(JSONFault) {
            try members(&row, rows.names)
            if let mark = marks.first, mark.offset < offset { throw mark }
            row.end(original(from: start, to: valueEnd(from: start)))
        } catch {
            next = first
            depth = outer.depth
            keyring.rewind(to: mark)
            shapes.forget(to: keys)
            guard skip() else { throw error }
            let after = next
            let bytes = original(from: start, to: valueEnd(from: start))
            row.clear()
            row.end(bytes)
            next = first
            let broken = readableMembers(&row, rows.names, within: after)
            var fault = error
            fault.offset -= start
            row.fail(
                fault.error(in: bytes, maxDepth: rows.maxDepth, key: duplicateKey), broken: broken)
            next = after
            depth = outer.depth
            marks = marks.drop { $0.offset < offset }
        }
        keyring.rewind(to: mark)
        shapes.forget(to: keys)
    }

    /// The members asked for of an object; anything else has none.
    private mutating func members(_ row: inout JSONRow, _ names: [[UInt8]]) throws(JSONFault) {
        if names.isEmpty {
            row.whole = try value()
            return
        }
        let start = offset
        guard next < end, base[start] == UInt8(ascii: "{") else {
            _ = try value()
            return
        }
        next += 1
        try enter(at: start)
        if take(UInt8(ascii: "}")) { return depth -= 1 }
        var others: [JSONObject.Member] = []
        let mark = keyring.openObject()
        var place = 0
        repeat {
            let quote = offset
            guard next < end, base[quote] == UInt8(ascii: "\"") else {
                throw JSONFault(.expectedKey, at: quote)
            }
            if isKey(at: quote, names, &place) {
                next += 1
                guard !row.has(place) else {
                    duplicateKey = String(decoding: names[place], as: UTF8.self)
                    throw JSONFault(.duplicateKey, at: quote)
                }
                guard take(UInt8(ascii: ":")) else { throw JSONFault(.expectedColon, at: offset) }
                let start = offset + 1
                row.values[place] = try value()
                if place == 0, case .string(let text)? = row.values[0], text.utf8.count > 15 {
                    shared = JSONSharedText(text, from: start, to: valueEnd(from: start) - 1)
                }
                place += 1
            } else {
                let key = try newKey(from: quote, among: others, since: mark)
                guard take(UInt8(ascii: ":")) else { throw JSONFault(.expectedColon, at: offset) }
                if let place = names.firstIndex(where: { key.utf8.elementsEqual($0) }) {
                    guard !row.has(place) else {
                        duplicateKey = key
                        throw JSONFault(.duplicateKey, at: quote)
                    }
                    row.values[place] = try value()
                    others.append((key: key, value: .null))
                } else {
                    others.append((key: key, value: try value()))
                }
            }
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw JSONFault(.expectedCommaOrBrace, at: offset) }
        depth -= 1
    }

    /// True when a key that has no escapes is one of `names`: at `place`, or else there from now on.
    @inline(__always)
    private func isKey(at quote: Int, _ names: [[UInt8]], _ place: inout Int) -> Bool {
        for index in names.indices {
            var candidate = place + index
            if candidate >= names.count { candidate -= names.count }
            let length = names[candidate].count
            guard quote + 1 + length < count, base[quote + 1 + length] == UInt8(ascii: "\"")
            else { continue }
            let key = UnsafeRawBufferPointer(start: base + quote + 1, count: length)
            if names[candidate].withUnsafeBytes({ $0.sameBytes(as: key) }) {
                place = candidate
                return true
            }
        }
        return false
    }
}
