internal import CSimdJSON

extension JSONValue {
    /// Reads one JSON value that fills the text, white space around it aside.
    ///
    /// Numbers keep their spelling and objects the order of their members, so writing the value
    /// gives the text back but for white space and the choice of escapes.
    ///
    /// - Parameters:
    ///   - bytes: The text; it needs no padding and is not kept.
    ///   - maxDepth: How deep arrays and objects may nest; at most 1,024, for the stack.
    /// - Returns: The value; numbers are `.int` or `.double` where those are written the same way.
    /// - Throws: Kind `.duplicateKey` when an object has a key twice, `.tooDeep`, `.invalidUTF8`,
    ///   `.tooLarge` from 4 GiB, and `.syntax` for everything else that is no JSON.
    package static func parse(
        _ bytes: UnsafeRawBufferPointer, maxDepth: Int = 512
    ) throws(JSONError) -> JSONValue {
        precondition(maxDepth <= 1024, "nesting this deep could exhaust the stack")
        var key: String?
        do throws(JSONFault) {
            return try read(bytes, maxDepth: maxDepth, duplicateKey: &key)
        } catch {
            throw error.error(in: bytes, maxDepth: maxDepth, key: key)
        }
    }

    package static func parse(
        _ bytes: [UInt8], maxDepth: Int = 512
    ) throws(JSONError) -> JSONValue {
        try parse(bytes.span.bytes, maxDepth: maxDepth)
    }

    package static func parse(
        _ bytes: ArraySlice<UInt8>, maxDepth: Int = 512
    ) throws(JSONError) -> JSONValue {
        try parse(bytes.span.bytes, maxDepth: maxDepth)
    }

    package static func parse(
        _ bytes: RawSpan, maxDepth: Int = 512
    ) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBytes { (bytes) throws(JSONError) in
            try parse(bytes, maxDepth: maxDepth)
        }
    }

    package static func parse(_ text: String, maxDepth: Int = 512) throws(JSONError) -> JSONValue {
        try parse(text.utf8Span.span.bytes, maxDepth: maxDepth)
    }

    private static func read(
        _ bytes: UnsafeRawBufferPointer, maxDepth: Int, duplicateKey: inout String?
    ) throws(JSONFault) -> JSONValue {
        try indexed(bytes, maxDepth: maxDepth, duplicateKey: &duplicateKey) {
            (reader) throws(JSONFault) in try reader.document()
        }
    }

    /// Makes the index of a text and has `body` read it.
    static func indexed<Result>(
        _ bytes: UnsafeRawBufferPointer, maxDepth: Int, duplicateKey: inout String?,
        _ body: (inout JSONReader) throws(JSONFault) -> Result
    ) throws(JSONFault) -> Result {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress, !bytes.isEmpty else {
            throw JSONFault(.empty, at: 0)
        }
        var offsets: UnsafePointer<UInt32>?
        var offsetCount = 0
        let status = satchel_json_index(base, bytes.count, &offsets, &offsetCount)
        guard status == SATCHEL_JSON_OK.rawValue, let offsets else {
            throw JSONFault(scan: status, of: bytes)
        }
        defer { satchel_json_trim() }
        var reader = JSONReader(
            base: base, count: bytes.count, offsets: offsets, offsetCount: offsetCount,
            maxDepth: maxDepth)
        do throws(JSONFault) {
            return try body(&reader)
        } catch {
            duplicateKey = reader.duplicateKey
            throw error
        }
    }
}

extension JSONFault {
    /// What the scan refused: it says what, the text is searched for where.
    fileprivate init(scan status: Int32, of bytes: UnsafeRawBufferPointer) {
        // The scan may stop at another fault first, but what is no text has no quotes to mend.
        if let offset = bytes.firstInvalidUTF8 {
            self.init(.invalidUTF8, at: offset)
            return
        }
        switch UInt32(bitPattern: status) {
        case SATCHEL_JSON_EMPTY.rawValue: self.init(.empty, at: 0)
        case SATCHEL_JSON_CONTROL_CHARACTER.rawValue:
            self.init(.controlCharacter, at: bytes.badString.control ?? 0)
        case SATCHEL_JSON_UNCLOSED_STRING.rawValue:
            self.init(.unclosedString, at: bytes.badString.open ?? 0)
        case SATCHEL_JSON_TOO_LARGE.rawValue: self.init(.tooLarge, at: 0)
        default: self.init(.noMemory, at: 0)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The offset of the first byte that is not part of well-formed UTF-8.
    var firstInvalidUTF8: Int? {
        var decoder = UTF8()
        var bytes = makeIterator()
        var offset = 0
        while true {
            switch decoder.decode(&bytes) {
            case .scalarValue(let scalar): offset += UTF8.width(scalar)
            case .emptyInput: return nil
            case .error: return offset
            }
        }
    }

    /// The first control character in a string, and the last quote that opens a string.
    fileprivate var badString: (control: Int?, open: Int?) {
        var open: Int?
        var index = 0
        while index < count {
            switch self[index] {
            case UInt8(ascii: "\\"): index += 1
            case UInt8(ascii: "\""): open = open == nil ? index : nil
            case 0..<0x20 where open != nil: return (index, open)
            default: break
            }
            index += 1
        }
        return (nil, open)
    }
}
