extension JSONValue {
    /// Reads a JSON value of which some lists are taken element by element.
    ///
    /// Bytes that are no UTF-8 and control characters spoil the elements they are in, no others.
    ///
    /// - Parameters:
    ///   - bytes: The text; it needs no padding and is not kept.
    ///   - maxDepth: As for `parse(_:maxDepth:)`.
    ///   - rows: The lists.
    /// - Returns: The value, its lists with what was made of their elements.
    /// - Throws: As `parse(_:maxDepth:)`, for a fault outside of those lists or one that does not
    ///   tell where its element ends. Elements may have been taken by then.
    package static func parse(
        _ bytes: UnsafeRawBufferPointer, maxDepth: Int = 512, rows: [JSONRows]
    ) throws(JSONError) -> JSONValue {
        try tolerant(bytes, maxDepth: maxDepth) { (reader) throws(JSONFault) in
            try reader.document(rows)
        }
    }

    /// Of an object that cannot be read, those members named `names` that can; of any other text none.
    package static func members(
        _ names: [String], ofUnreadable bytes: UnsafeRawBufferPointer, maxDepth: Int = 512
    ) -> [JSONValue?] {
        let rows = JSONRows([], of: names, maxDepth: maxDepth) { _ in .none }
        do throws(JSONError) {
            return try tolerant(bytes, maxDepth: maxDepth) { (reader) throws(JSONFault) in
                var row = JSONRow(members: names.count)
                try reader.element(&row, rows)
                return row.values
            }
        } catch {
            return Array(repeating: .none, count: names.count)
        }
    }

    private static func tolerant<Result>(
        _ bytes: UnsafeRawBufferPointer, maxDepth: Int,
        _ body: (inout JSONReader) throws(JSONFault) -> Result
    ) throws(JSONError) -> Result {
        precondition(maxDepth <= 1024, "nesting this deep could exhaust the stack")
        var key: String?
        var fault: JSONFault
        do throws(JSONFault) {
            return try indexed(bytes, maxDepth: maxDepth, duplicateKey: &key, body)
        } catch {
            fault = error
        }
        if fault.reason == .invalidUTF8 || fault.reason == .controlCharacter,
            let mended = MendedText(bytes)
        {
            do throws(JSONFault) {
                return try mended.bytes.span.bytes.withUnsafeBytes { (copy) throws(JSONFault) in
                    try indexed(copy, maxDepth: maxDepth, duplicateKey: &key) {
                        (reader) throws(JSONFault) in
                        reader.text = bytes
                        reader.marks = mended.faults[...]
                        return try body(&reader)
                    }
                }
            } catch {
                fault = error
            }
        }
        throw fault.error(in: bytes, maxDepth: maxDepth, key: key)
    }
}

/// A text with as many bytes, of which those that no JSON text has are replaced.
private struct MendedText {
    /// More than these are not the slip of one record.
    private static let mostFaults = 1_000

    private(set) var bytes: [UInt8]
    /// What was replaced, by offset.
    private(set) var faults: [JSONFault] = []

    /// Nil when there is too much to replace, or nothing.
    init?(_ text: UnsafeRawBufferPointer) {
        bytes = Array(text)
        var parser = Unicode.UTF8.ForwardParser()
        var rest = text.makeIterator()
        var offset = 0
        var (isString, isEscaped) = (false, false)
        while true {
            switch parser.parseScalar(from: &rest) {
            case .emptyInput:
                if faults.isEmpty { return nil }
                return
            case .error(let length):
                replace(offset..<offset + length, .invalidUTF8)
                offset += length
                isEscaped = false
            case .valid(let scalar):
                let byte = scalar.count == 1 ? text[offset] : 0x80
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\"") {
                    isString.toggle()
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = isString
                }
                if isString, byte < 0x20 { replace(offset..<offset + 1, .controlCharacter) }
                offset += scalar.count
            }
            if faults.count > Self.mostFaults { return nil }
        }
    }

    private mutating func replace(_ range: Range<Int>, _ reason: JSONFault.Reason) {
        for offset in range { bytes[offset] = UInt8(ascii: "?") }
        faults.append(JSONFault(reason, at: range.lowerBound))
    }
}
