/// Text of a plugin made fit to be shown: masked, no control characters, bounded.
struct ForeignText: Sendable {
    let masker: Masker

    func shown(_ text: String, limit: Int = 2_000) -> String {
        shown(Array(text.utf8), limit: limit)
    }

    /// Bytes that are no UTF-8 and characters that could steer a terminal become visible escapes.
    func shown(_ bytes: [UInt8], limit: Int = 2_000) -> String {
        // Masked before it is cut: half a secret would no longer be found.
        let masked = masker.mask(bytes)
        var result = ""
        var used = 0
        for scalar in String(decoding: masked, as: UTF8.self).unicodeScalars {
            used += UTF8.width(scalar)
            if used > limit { return result + "…" }
            if Self.steersTerminals(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func steersTerminals(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09: false
        case 0x00..<0x20, 0x7F..<0xA0: true
        // Marks that turn the direction of writing can make text read as what it is not.
        // and what some terminals break lines at.
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
