/// Writes the parts of JSON texts as bytes, for callers that have no value in hand.
package enum JSONWriter {
    /// Appends `text` as a JSON string, in quotes.
    ///
    /// Quotes, backslashes and control characters are escaped; everything else stays UTF-8.
    package static func appendString(_ text: String, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { appendString(UnsafeRawBufferPointer($0), to: &output) }
    }

    /// Appends UTF-8 bytes as a JSON string, in quotes.
    package static func appendString(_ utf8: RawSpan, to output: inout [UInt8]) {
        utf8.withUnsafeBytes { appendString($0, to: &output) }
    }

    /// Appends UTF-8 bytes as a JSON string, in quotes.
    package static func appendString(_ utf8: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        var stop = firstEscaped(in: utf8, from: 0)
        guard stop < utf8.count else { return appendQuoted(utf8, to: &output) }
        var start = 0
        output.append(UInt8(ascii: "\""))
        while true {
            output.append(contentsOf: UnsafeRawBufferPointer(rebasing: utf8[start..<stop]))
            if stop == utf8.count { break }
            appendEscape(of: utf8[stop], to: &output)
            start = stop + 1
            stop = firstEscaped(in: utf8, from: start)
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Appends bytes that need no escapes: most texts, so in one step.
    @inline(__always)
    private static func appendQuoted(_ utf8: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        output.append(addingCapacity: utf8.count + 2) { span in
            span.withUnsafeMutableBufferPointer { buffer, written in
                buffer[0] = UInt8(ascii: "\"")
                UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[1...])
                    .copyMemory(from: utf8)
                buffer[utf8.count + 1] = UInt8(ascii: "\"")
                written = utf8.count + 2
            }
        }
    }

    package static func append(_ value: Int64, to output: inout [UInt8]) {
        var rest = value.magnitude
        guard rest > 9 || value < 0 else { return output.append(0x30 | UInt8(rest)) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var index = 20
            repeat {
                index -= 1
                digits[index] = 0x30 | UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if value < 0 {
                index -= 1
                digits[index] = UInt8(ascii: "-")
            }
            output.append(contentsOf: UnsafeBufferPointer(rebasing: digits[index...]))
        }
    }

    /// Appends the shortest text that reads back as the same double, which must be finite.
    package static func append(_ value: Double, to output: inout [UInt8]) {
        precondition(value.isFinite, "JSON has no infinity and no NaN")
        output.append(contentsOf: value.description.utf8)
    }

    /// The offset of the first byte that needs an escape; the count when there is none.
    private static func firstEscaped(in utf8: UnsafeRawBufferPointer, from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        var index = start
        while utf8.count - index >= 8 {
            let word = utf8.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let quote = word ^ 0x2222_2222_2222_2222
            let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
            // The lowest marked byte is exact in each test: borrows only travel upwards.
            let control = (word &- ones &* 0x20) & ~word
            let marked =
                (control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash)
                & highs
            if marked != 0 { return index + marked.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < utf8.count, !needsEscape(utf8[index]) { index += 1 }
        return index
    }

    @inline(__always)
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func appendEscape(of byte: UInt8, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        default:
            let digits = Array("0123456789abcdef".utf8)
            output.append(contentsOf: "u00".utf8)
            output.append(digits[Int(byte >> 4)])
            output.append(digits[Int(byte & 0x0F)])
        }
    }
}
