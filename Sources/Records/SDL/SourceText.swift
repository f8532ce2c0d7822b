/// The bytes of a schema file, and where in it things are.
struct SourceText {
    let bytes: UnsafeBufferPointer<UInt8>
    let file: String

    /// `FILE:LINE:COL`, both from 1; a column is a Unicode scalar, not a byte.
    func position(of offset: Int) -> String {
        var line = 1
        var column = 1
        var index = 0
        let end = min(offset, bytes.count)
        if bytes.starts(with: SourceText.byteOrderMark) { index = 3 }
        while index < end {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return "\(file):\(line):\(column)"
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
