// What can be told of a value that cannot be read.

extension JSONReader {
    /// Steps over one value by its brackets alone; false when they tell no end.
    mutating func skip() -> Bool {
        var open: [UInt8] = []
        while next < end {
            let byte = base[offset]
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): open.append(byte)
            // The closing bracket comes two after the opening one in ASCII.
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard let last = open.popLast(), last + 2 == byte else { return false }
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                if open.isEmpty { return false }
            default: break
            }
            next += 1
            if open.isEmpty { return true }
        }
        return false
    }

    /// Reads each member asked for by itself, in an object that as a whole cannot be read.
    ///
    /// A member that is there twice is not told: nobody knows which was meant.
    ///
    /// - Returns: The one member asked for that cannot be read; nil when there is none or several.
    mutating func readableMembers(
        _ row: inout JSONRow, _ names: [[UInt8]], within stop: UnsafePointer<UInt32>
    ) -> (place: Int, text: String)? {
        guard take(UInt8(ascii: "{")) else { return nil }
        var broken: [(place: Int, text: String)] = []
        var seen: Set<Int> = []
        repeat {
            guard let key = skippedKey(), take(UInt8(ascii: ":")) else { break }
            let (first, start) = (next, offset)
            guard skip(), next < stop else { break }
            let after = next
            let bytes = original(from: start, to: valueEnd(from: start))
            if let place = names.firstIndex(where: { key.utf8.elementsEqual($0) }) {
                if !seen.insert(place).inserted {
                    row.values[place] = .none
                } else if let value = valueAlone(from: first, to: after) {
                    row.values[place] = value
                } else {
                    broken.append((place, String(decoding: bytes, as: UTF8.self)))
                }
            }
            next = after
        } while take(UInt8(ascii: ","))
        return broken.count == 1 ? broken[0] : nil
    }

    private mutating func skippedKey() -> String? {
        let quote = offset
        guard next < end, base[quote] == UInt8(ascii: "\"") else { return nil }
        next += 1
        do throws(JSONFault) {
            return try string(from: quote + 1, to: closingQuote(of: quote))
        } catch {
            return nil
        }
    }

    /// The value between two tokens, if it is one.
    private mutating func valueAlone(
        from first: UnsafePointer<UInt32>, to after: UnsafePointer<UInt32>
    ) -> JSONValue? {
        let (outer, keys, mark) = (depth, shapes.openKeys, keyring.openObject())
        defer {
            depth = outer
            keyring.rewind(to: mark)
            shapes.forget(to: keys)
        }
        next = first
        let range = offset..<Int(after.pointee)
        if marks.contains(where: { range.contains($0.offset) }) { return nil }
        let known = duplicateKey
        do throws(JSONFault) {
            // Within the element, which is a level of its own.
            depth += 1
            let value = try value()
            return next == after ? value : nil
        } catch {
            duplicateKey = known
            return nil
        }
    }

    /// The offset after the value from `start` whose last token was just stepped over.
    func valueEnd(from start: Int) -> Int {
        var stop = min(offset, count)
        while stop > start, isSpace(base[stop - 1]) { stop -= 1 }
        return stop
    }

    /// The bytes as they came.
    func original(from start: Int, to stop: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text[start..<max(start, stop)])
    }
}
