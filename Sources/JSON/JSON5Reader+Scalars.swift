extension JSON5Reader {
    mutating func scalar() throws(JSONFault) -> JSONValue {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string())
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "+"),
            UInt8(ascii: "-"):
            return try number()
        default: break
        }
        let start = index
        guard let word = try identifier() else { throw JSONFault(.expectedValue, at: start) }
        switch word {
        case "null": return .null
        case "true": return true
        case "false": return false
        default: throw JSONFault(.badLiteral, at: start)
        }
    }

    /// A key: a string or an identifier.
    mutating func key() throws(JSONFault) -> String {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return try string() }
        guard let name = try identifier() else { throw JSONFault(.expectedKey, at: index) }
        return name
    }

    private mutating func identifier() throws(JSONFault) -> String? {
        var name = String.UnicodeScalarView()
        while index < bytes.count {
            if byte == UInt8(ascii: "\\") {
                guard byte(at: 1) == UInt8(ascii: "u") else {
                    throw JSONFault(.badEscape, at: index)
                }
                let start = index
                index += 2
                let scalar = try scalar(escapedAt: start)
                guard isIdentifierPart(scalar, first: name.isEmpty) else {
                    throw JSONFault(.badEscape, at: start)
                }
                name.append(scalar)
            } else {
                let (scalar, width) = scalarAhead()
                guard isIdentifierPart(scalar, first: name.isEmpty) else { break }
                name.append(scalar)
                index += width
            }
        }
        return name.isEmpty ? nil : String(name)
    }

    private func isIdentifierPart(_ scalar: UnicodeScalar, first: Bool) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "$", "_": true
        case "0"..."9", "\u{200C}", "\u{200D}": !first
        case "\u{80}"...:
            first ? scalar.properties.isIDStart : scalar.properties.isIDContinue
        default: false
        }
    }

    private mutating func string() throws(JSONFault) -> String {
        let start = index
        let quote = byte
        var text: [UInt8] = []
        index += 1
        while !take(quote) {
            guard index < bytes.count, byte != 0x0A, byte != 0x0D else {
                throw JSONFault(.unclosedString, at: start)
            }
            if byte == UInt8(ascii: "\\") {
                try escape(into: &text)
            } else {
                text.append(byte)
                index += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONFault) {
        let start = index
        index += 1
        let letter = byte
        if index < bytes.count, isLineEnd {
            // A line continued: the backslash and the line end stand for nothing.
            index += letter == 0xE2 ? 3 : letter == 0x0D && byte(at: 1) == 0x0A ? 2 : 1
            return
        }
        index += 1
        switch letter {
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "v"): text.append(0x0B)
        case UInt8(ascii: "0") where !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte):
            text.append(0x00)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): throw JSONFault(.badEscape, at: start)
        case UInt8(ascii: "x"):
            guard let high = hexDigit(byte), let low = hexDigit(byte(at: 1)) else {
                throw JSONFault(.badEscape, at: start)
            }
            index += 2
            text.append(contentsOf: String(UnicodeScalar(high << 4 | low)).utf8)
        case UInt8(ascii: "u"):
            text.append(contentsOf: String(try scalar(escapedAt: start)).utf8)
        default:
            // Any other character stands for itself; at the end, the string is left unclosed.
            if start + 1 < bytes.count { text.append(letter) }
        }
    }

    /// The character of `\uXXXX`, or of two such escapes for a surrogate pair.
    ///
    /// `index` stands after the first `u`; `start` is where a fault is reported.
    private mutating func scalar(escapedAt start: Int) throws(JSONFault) -> UnicodeScalar {
        let unit = try hexUnit(start)
        if let scalar = UnicodeScalar(unit) { return scalar }
        guard unit < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw JSONFault(.loneSurrogate, at: start)
        }
        let low = try hexUnit(start)
        guard 0xDC00...0xDFFF ~= low,
            let scalar = UnicodeScalar(
                0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
        else { throw JSONFault(.loneSurrogate, at: start) }
        return scalar
    }

    private mutating func hexUnit(_ start: Int) throws(JSONFault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = hexDigit(byte) else { throw JSONFault(.badEscape, at: start) }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }
}
