extension JSONReader {
    /// The text between two offsets, its escapes resolved.
    ///
    /// The index has checked that it is UTF-8, has no control characters and no open escape.
    func string(from start: Int, to stop: Int) throws(JSONFault) -> String {
        guard hasEscape(from: start, to: stop) else {
            return String(validUTF8: UnsafeBufferPointer(start: base + start, count: stop - start))
        }
        var fault: JSONFault?
        let text = String(unsafeUninitializedCapacity: stop - start) { buffer in
            do throws(JSONFault) {
                return try unescape(from: start, to: stop, into: buffer)
            } catch {
                fault = error
                return 0
            }
        }
        if let fault { throw fault }
        return text
    }

    @inline(__always)
    func hasEscape(from start: Int, to stop: Int) -> Bool {
        let raw = UnsafeRawPointer(base)
        var index = start
        while stop - index >= 8 {
            let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let marked = word ^ 0x5C5C_5C5C_5C5C_5C5C
            if (marked &- 0x0101_0101_0101_0101) & ~marked & 0x8080_8080_8080_8080 != 0 {
                return true
            }
            index += 8
        }
        while index < stop {
            if base[index] == UInt8(ascii: "\\") { return true }
            index += 1
        }
        return false
    }

    private func unescape(
        from start: Int, to stop: Int, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) throws(JSONFault) -> Int {
        var written = 0
        var index = start
        while index < stop {
            let byte = base[index]
            guard byte == UInt8(ascii: "\\") else {
                buffer[written] = byte
                written += 1
                index += 1
                continue
            }
            if base[index + 1] == UInt8(ascii: "u") {
                let (scalar, after) = try escapedScalar(at: index, stop: stop)
                // An escape is at least as long as the UTF-8 it stands for: the buffer suffices.
                for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                    buffer[written] = unit
                    written += 1
                }
                index = after
            } else {
                buffer[written] = try shortEscape(at: index)
                written += 1
                index += 2
            }
        }
        return written
    }

    private func shortEscape(at index: Int) throws(JSONFault) -> UInt8 {
        switch base[index + 1] {
        case UInt8(ascii: "\""): 0x22
        case UInt8(ascii: "\\"): 0x5C
        case UInt8(ascii: "/"): 0x2F
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: throw JSONFault(.badEscape, at: index)
        }
    }

    private func escapedScalar(
        at index: Int, stop: Int
    ) throws(JSONFault) -> (UnicodeScalar, after: Int) {
        guard let unit = hexUnit(at: index + 2, stop: stop) else {
            throw JSONFault(.badEscape, at: index)
        }
        if let scalar = UnicodeScalar(unit) { return (scalar, index + 6) }
        guard unit < 0xDC00, index + 7 < stop, base[index + 6] == UInt8(ascii: "\\"),
            base[index + 7] == UInt8(ascii: "u"), let low = hexUnit(at: index + 8, stop: stop),
            0xDC00...0xDFFF ~= low,
            let scalar = UnicodeScalar(
                0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
        else { throw JSONFault(.loneSurrogate, at: index) }
        return (scalar, index + 12)
    }

    private func hexUnit(at index: Int, stop: Int) -> UInt16? {
        guard index + 4 <= stop else { return nil }
        var unit: UInt16 = 0
        for position in index..<index + 4 {
            guard let digit = hexDigit(base[position]) else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}

/// The value of a hexadecimal digit.
func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}

extension String {
    /// A copy of bytes that are known to be UTF-8.
    @inline(__always)
    init(validUTF8 bytes: UnsafeBufferPointer<UInt8>) {
        self = String(decoding: bytes, as: UTF8.self)
    }
}
