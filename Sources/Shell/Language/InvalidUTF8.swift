/// Words for bytes that are no UTF-8.
enum InvalidUTF8 {
    /// Such as `byte 0xff at position 4`, counted from 1.
    static func description(in bytes: UnsafeRawBufferPointer, from start: Int = 0) -> String {
        let offset = firstInvalid(in: bytes, from: start)
        let digits = String(bytes[offset], radix: 16)
        return "byte 0x\(digits.count < 2 ? "0" : "")\(digits) at position \(offset + 1)"
    }

    private static func firstInvalid(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var parser = UTF8.ForwardParser()
        var iterator = bytes[start...].makeIterator()
        var offset = start
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded): offset += encoded.count
            case .error: return min(offset, bytes.count - 1)
            case .emptyInput: return max(bytes.count - 1, 0)
            }
        }
    }
}

extension String {
    /// The text of bytes; nil when they are no UTF-8.
    ///
    /// A fifth of what `init(validating:as:)` takes: every word of a script passes here.
    init?(checking bytes: UnsafeRawBufferPointer) {
        do throws(UTF8.ValidationError) {
            let utf8 = bytes.bindMemory(to: UInt8.self).span
            self.init(copying: try UTF8Span(validating: utf8))
        } catch {
            return nil
        }
    }
}
