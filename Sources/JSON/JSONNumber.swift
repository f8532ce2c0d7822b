extension JSONValue {
    /// The number with this JSON spelling: `.int` or `.double` if the writer spells it so.
    static func number(spelled text: String) -> JSONValue {
        if let value = Int64(text), value != 0 || text.utf8.count == 1 { return .int(value) }
        guard let value = Double(text), value.isFinite, value.description.sameBytes(as: text) else {
            return .big(text)
        }
        return .double(value)
    }

    /// The double nearest to a number; nil for other kinds and for a number beyond every double.
    package var doubleValue: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        case .big(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    /// The same number as `.int` or `.double` if one holds it exactly; other values as they are.
    ///
    /// `1.50` becomes 1.5, `1E3` and 1000.0 become 1000, `-0` becomes the double, and a number of
    /// 23 digits stays. A spelling is lost, so nothing that must be given back verbatim
    /// may pass through here.
    package var canonicalNumber: JSONValue {
        switch self {
        case .double(let value):
            guard value.magnitude < 0x1p63, value != 0 || value.sign == .plus else { return self }
            let whole = Int64(value)
            return Double(whole) == value ? .int(whole) : self
        case .big(let text):
            let decimal = JSONDecimal(text)
            if let value = decimal.integer, value != 0 || text.utf8.first != UInt8(ascii: "-") {
                return .int(value)
            }
            guard let value = Double(text), value.isFinite,
                JSONDecimal(value.description) == decimal
            else { return self }
            return .double(value)
        default: return self
        }
    }
}

/// A decimal number in one form a number: its digits without outer zeros, and a power of ten.
///
/// Unlike a double it is exact, and unlike a text it is the same for `1.50` and `15e-1`. Zero has
/// no sign.
struct JSONDecimal: Hashable {
    private var isNegative = false
    private var digits: [UInt8] = []
    /// The power of ten of the last digit; zero for zero.
    private var exponent = 0

    /// Takes a number as JSON spells it.
    init(_ text: String) {
        var text = text
        text.withUTF8 { read($0) }
    }

    /// The number, if it is an integer of 64 bits.
    var integer: Int64? {
        guard exponent >= 0, digits.count + exponent <= 19 else { return nil }
        let text =
            (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self)
            + String(repeating: "0", count: exponent)
        return digits.isEmpty ? 0 : Int64(text)
    }

    private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) {
        var places = 0
        var isFraction = false
        loop: for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                exponent = Self.clampedExponent(bytes[(index + 1)...])
                break loop
            default:
                if isFraction { places += 1 }
                if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
            }
        }
        exponent -= places
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty {
            exponent = 0
            isNegative = false
        }
    }

    /// An exponent no text could reach stands for all beyond it: both are equally far off.
    private static func clampedExponent(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        let limit = 1 << 40
        var value = 0
        for byte in bytes where byte != UInt8(ascii: "+") && byte != UInt8(ascii: "-") {
            value = min(value * 10 + Int(byte & 0x0F), limit)
        }
        return bytes.first == UInt8(ascii: "-") ? -value : value
    }
}
