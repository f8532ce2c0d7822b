extension JSON5Reader {
    /// A number, spelled the JSON way: without `+`, with digits around the point, in decimal.
    mutating func number() throws(JSONFault) -> JSONValue {
        let start = index
        var text = ""
        if take(UInt8(ascii: "-")) { text = "-" } else { _ = take(UInt8(ascii: "+")) }
        if byte == UInt8(ascii: "0"), byte(at: 1) | 0x20 == UInt8(ascii: "x") {
            index += 2
            text += try hexadecimal(from: start)
        } else {
            text += try decimal(from: start)
        }
        // A letter or digit that sticks to a number belongs to no token.
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "$"):
            throw JSONFault(.badNumber, at: start)
        default: break
        }
        return JSONValue.number(spelled: text)
    }

    private mutating func hexadecimal(from start: Int) throws(JSONFault) -> String {
        var value: UInt64 = 0
        let first = index
        while let digit = hexDigit(byte) {
            guard value >> 60 == 0 else { throw JSONFault(.badNumber, at: start) }
            value = value << 4 | UInt64(digit)
            index += 1
        }
        if index == first { throw JSONFault(.badNumber, at: start) }
        return value.description
    }

    private mutating func decimal(from start: Int) throws(JSONFault) -> String {
        let whole = digits()
        var text = whole.isEmpty ? "0" : whole
        var fraction = ""
        if take(UInt8(ascii: ".")) {
            fraction = digits()
            if !fraction.isEmpty { text += "." + fraction }
        }
        guard !whole.isEmpty || !fraction.isEmpty,
            whole.utf8.count < 2 || whole.utf8.first != UInt8(ascii: "0")
        else { throw JSONFault(.badNumber, at: start) }
        if byte | 0x20 == UInt8(ascii: "e") {
            text += byte == UInt8(ascii: "e") ? "e" : "E"
            index += 1
            if take(UInt8(ascii: "-")) {
                text += "-"
            } else if take(UInt8(ascii: "+")) {
                text += "+"
            }
            let exponent = digits()
            if exponent.isEmpty { throw JSONFault(.badNumber, at: start) }
            text += exponent
        }
        return text
    }

    private mutating func digits() -> String {
        let start = index
        while UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }
}
