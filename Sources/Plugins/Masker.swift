internal import JSON
internal import Synchronization

/// Keeps secret values out of everything a plugin says.
package final class Masker: Sendable {
    private static let mask = Array("••••••".utf8)

    private struct State {
        var spellings: Set<[UInt8]> = []
        /// Of all spellings; nil since there is another one.
        var index: PrefixIndex?
    }

    private let state = Mutex(State())

    package init(_ secrets: [String] = []) {
        for secret in secrets { add(secret) }
    }

    /// Masks `secret` from now on, also where it is escaped for JSON, in whichever way, or for a URL, or
    /// stands in base64 by itself.
    package func add(_ secret: String) {
        guard !secret.isEmpty else { return }
        var escaped: [UInt8] = []
        JSONWriter.appendString(secret, to: &escaped)
        let json = Array(escaped.dropFirst().dropLast())
        var spellings = [
            Array(secret.utf8), json,
            json.flatMap { $0 == UInt8(ascii: "/") ? [UInt8(ascii: "\\"), $0] : [$0] },
        ]
        for digits in ["0123456789abcdef", "0123456789ABCDEF"] {
            spellings += [percent(secret, digits: digits), ascii(secret, digits: digits)]
        }
        // Of fewer bytes it is so short that it would hide words of anybody.
        if secret.utf8.count > 3 {
            spellings += ["+/", "-_"].flatMap { ending in
                let whole = base64(secret, ending)
                return [whole, Array(whole.prefix { $0 != UInt8(ascii: "=") })]
            }
        }
        state.withLock { state in
            state.spellings.formUnion(spellings)
            state.index = nil
        }
    }

    package func mask(_ text: String) -> String {
        guard let masked = masked(text.utf8) else { return text }
        return String(decoding: masked, as: UTF8.self)
    }

    func mask(_ bytes: [UInt8]) -> [UInt8] { masked(bytes) ?? bytes }

    /// Nil when there was nothing to mask.
    private func masked(_ bytes: some Collection<UInt8>) -> [UInt8]? {
        let secrets = state.withLock { state in
            let index = state.index ?? PrefixIndex(state.spellings)
            state.index = index
            return index
        }
        guard !secrets.isEmpty else { return nil }
        return Array(bytes).withUnsafeBytes { bytes in
            var result: [UInt8] = []
            var found = false
            var index = 0
            while index < bytes.count {
                // The longest, so that a secret within another leaves nothing of the other one.
                if let count = secrets.longest(
                    at: UnsafeRawBufferPointer(rebasing: bytes[index...]))
                {
                    found = true
                    result += Self.mask
                    index += count
                } else {
                    result.append(bytes[index])
                    index += 1
                }
            }
            return found ? result : nil
        }
    }

    /// As JSON that is all ASCII writes it.
    private func ascii(_ text: String, digits: String) -> [UInt8] {
        let digits = Array(digits.utf8)
        var result: [UInt8] = []
        for unit in text.utf16 {
            if unit < 0x7F {
                var escaped: [UInt8] = []
                JSONWriter.appendString(String(UnicodeScalar(UInt8(unit))), to: &escaped)
                result += escaped.dropFirst().dropLast()
            } else {
                result += Array("\\u".utf8)
                result += [12, 8, 4, 0].map { digits[Int(unit >> $0 & 15)] }
            }
        }
        return result
    }

    /// Padded; `ending` has the last two signs of the alphabet.
    private func base64(_ text: String, _ ending: String) -> [UInt8] {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        let signs = Array((letters + letters.lowercased() + "0123456789" + ending).utf8)
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                let sign = signs[bits >> (18 - 6 * place) & 63]
                result.append(place <= group.count ? sign : UInt8(ascii: "="))
            }
        }
        return result
    }

    private func percent(_ text: String, digits: String) -> [UInt8] {
        let digits = Array(digits.utf8)
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.append(byte)
            default:
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return result
    }
}
