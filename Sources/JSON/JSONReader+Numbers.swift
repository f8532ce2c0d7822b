/// 10^n for the places after a decimal point that 15 digits leave room for.
private let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
]

/// The least mantissa that, with n places, is written without an exponent: 0.0001 and up.
private let smallestPlain: [Int64] = [
    0, 0, 0, 0, 1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000,
    1_000_000_000, 10_000_000_000, 100_000_000_000,
]

extension JSONReader {
    /// The number that starts at `start`, and the offset after it.
    ///
    /// A number becomes `.int` or `.double` only if the writer prints the text it was read from;
    /// every other spelling (`1.50`, `1E3`, `-0`, 23 digits) is kept as `.big`. So a value that is
    /// read and written again has the numbers it came with, byte for byte.
    func number(from start: Int) throws(JSONFault) -> (JSONValue, stop: Int) {
        let isNegative = base[start] == UInt8(ascii: "-")
        let digits = start + (isNegative ? 1 : 0)
        var index = digits
        // Eighteen digits never overflow; more are read again below.
        var mantissa: Int64 = 0
        while index < count, isDigit(base[index]) {
            mantissa = mantissa &* 10 &+ Int64(base[index] & 0x0F)
            index += 1
        }
        let whole = index - digits
        guard whole > 0, whole == 1 || base[digits] != UInt8(ascii: "0") else {
            throw JSONFault(.badNumber, at: start)
        }
        let mark = index < count ? base[index] : 0
        guard mark == UInt8(ascii: ".") || mark | 0x20 == UInt8(ascii: "e") else {
            if whole <= 18, !(isNegative && mantissa == 0) {
                return (.int(isNegative ? -mantissa : mantissa), index)
            }
            let text = text(from: start, to: index)
            if whole == 19, let value = Int64(text) { return (.int(value), index) }
            return (.big(text), index)
        }
        if mark == UInt8(ascii: ".") {
            index += 1
            let fraction = index
            while index < count, isDigit(base[index]) {
                mantissa = mantissa &* 10 &+ Int64(base[index] & 0x0F)
                index += 1
            }
            let places = index - fraction
            guard places > 0 else { throw JSONFault(.badNumber, at: start) }
            if index == count || base[index] | 0x20 != UInt8(ascii: "e") {
                if whole + places <= 15, mantissa != 0,
                    base[index - 1] != UInt8(ascii: "0") || places == 1,
                    mantissa >= smallestPlain[places]
                {
                    // Both are exact in a double, so the quotient is the double nearest to the
                    // text; and up to 15 digits come back from a double as they went in.
                    let value = Double(mantissa) / powers[places]
                    return (.double(isNegative ? -value : value), index)
                }
                return (written(from: start, to: index), index)
            }
        }
        index += 1
        if index < count, base[index] == UInt8(ascii: "+") || base[index] == UInt8(ascii: "-") {
            index += 1
        }
        let exponent = index
        while index < count, isDigit(base[index]) { index += 1 }
        guard index > exponent else { throw JSONFault(.badNumber, at: start) }
        return (written(from: start, to: index), index)
    }

    private func written(from start: Int, to stop: Int) -> JSONValue {
        JSONValue.number(spelled: text(from: start, to: stop))
    }

    private func text(from start: Int, to stop: Int) -> String {
        String(validUTF8: UnsafeBufferPointer(start: base + start, count: stop - start))
    }

    @inline(__always)
    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
