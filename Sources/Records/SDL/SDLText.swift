/// The value of a quoted GraphQL text.
enum SDLText {
    /// Of `"..."` with escapes; `range` includes the quotes.
    static func unescaped(_ source: SourceText, _ range: Range<Int>) throws(SDLFault) -> String {
        let inner = range.lowerBound + 1..<range.upperBound - 1
        let bytes = source.bytes
        guard let first = bytes[inner].firstIndex(of: UInt8(ascii: "\\")) else {
            return source.text(inner)
        }
        var result = Array(bytes[inner.lowerBound..<first])
        var index = first
        while index < inner.upperBound {
            guard bytes[index] == UInt8(ascii: "\\") else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let escape = index
            index += 2
            switch bytes[escape + 1] {
            case UInt8(ascii: "n"): result.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "t"): result.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "r"): result.append(UInt8(ascii: "\r"))
            case UInt8(ascii: "b"): result.append(8)
            case UInt8(ascii: "f"): result.append(12)
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
                result.append(bytes[escape + 1])
            case UInt8(ascii: "u"):
                let scalar = try scalar(source, at: &index, end: inner.upperBound, escape: escape)
                result.append(contentsOf: Array(String(Character(scalar)).utf8))
            default:
                throw SDLFault(
                    escape, "an unknown escape \"\(source.text(escape..<index))\"",
                    hint: "known are \\n \\t \\r \\b \\f \\\" \\\\ \\/ \\uXXXX")
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func scalar(
        _ source: SourceText, at index: inout Int, end: Int, escape: Int
    ) throws(SDLFault) -> Unicode.Scalar {
        func digits() -> UInt32? {
            guard index + 4 <= end, source.bytes[index..<index + 4].allSatisfy(isHexadecimal) else {
                return nil
            }
            defer { index += 4 }
            return UInt32(source.text(index..<index + 4), radix: 16)
        }
        guard var code = digits() else { throw bad(escape) }
        if (0xD800..<0xDC00).contains(code), index + 2 <= end,
            source.bytes[index] == UInt8(ascii: "\\"), source.bytes[index + 1] == UInt8(ascii: "u")
        {
            index += 2
            guard let low = digits(), (0xDC00..<0xE000).contains(low) else { throw bad(escape) }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw bad(escape) }
        return scalar
    }

    private static func bad(_ offset: Int) -> SDLFault {
        SDLFault(offset, "\\u needs four hexadecimal digits of a character", hint: "as in \\u00e9")
    }

    /// `text` as GraphQL writes it, quotes included.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Of `"""..."""`: the common indentation and the blank lines at both ends are left out.
    static func block(_ source: SourceText, _ range: Range<Int>) -> String {
        let raw = source.bytes[range.lowerBound + 3..<range.upperBound - 3]
        var lines = raw.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
        let isBlank: (Slice<UnsafeBufferPointer<UInt8>>) -> Bool = {
            $0.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        }
        let indents = lines.dropFirst().filter { !isBlank($0) }.map {
            $0.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count
        }
        if let indent = indents.min() {
            for index in lines.indices.dropFirst() { lines[index] = lines[index].dropFirst(indent) }
        }
        while let line = lines.first, isBlank(line) { lines.removeFirst() }
        while let line = lines.last, isBlank(line) { lines.removeLast() }
        var text: [UInt8] = []
        for (index, line) in lines.enumerated() {
            if index > 0 { text.append(UInt8(ascii: "\n")) }
            text.append(contentsOf: line)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
