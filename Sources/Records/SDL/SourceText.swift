/// The bytes of a schema file, and where in it things are.
struct SourceText {
    let bytes: UnsafeBufferPointer<UInt8>
    let file: String

    /// A place in the text, both numbers from 1; a column is a Unicode scalar, not a byte.
    struct Position {
        var line = 1
        var column = 1
        private var offset = 0

        /// Moves forward to a byte.
        mutating func advance(to end: Int, in source: SourceText) {
            let bytes = source.bytes
            if offset == 0, bytes.starts(with: SourceText.byteOrderMark) { offset = 3 }
            while offset < min(end, bytes.count) {
                let byte = bytes[offset]
                offset += 1
                if byte == UInt8(ascii: "\n") {
                    line += 1
                    column = 1
                } else if byte & 0xC0 != 0x80 {
                    column += 1
                }
            }
        }
    }

    /// `FILE:LINE:COL` of a byte.
    func position(of offset: Int) -> String {
        var position = Position()
        position.advance(to: offset, in: self)
        return "\(file):\(position.line):\(position.column)"
    }

    func line(of offset: Int) -> Int {
        1 + bytes[..<min(offset, bytes.count)].count { $0 == UInt8(ascii: "\n") }
    }

    func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    func error(_ fault: SDLFault) -> RecordsError {
        RecordsError(
            .schema, "\(position(of: fault.offset)): \(fault.message)", hint: fault.hint)
    }

    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}

/// A mistake at a byte of the schema file.
struct SDLFault: Error {
    var offset: Int
    var message: String
    var hint: String?

    init(_ offset: Int, _ message: String, hint: String? = nil) {
        self.offset = offset
        self.message = message
        self.hint = hint
    }
}
