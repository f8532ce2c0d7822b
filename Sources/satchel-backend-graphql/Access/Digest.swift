internal import CCrypto

/// SHA-256 and its keyed form, by libcrypto.
package enum Digest {
    /// The 32 bytes of a SHA-256.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            // It fails only where libcrypto has no SHA-256 at all.
            let isMade = bytes.withUnsafeBytes { bytes in
                satchel_sha256(bytes.baseAddress, bytes.count, digest.baseAddress)
            }
            precondition(isMade != 0, "libcrypto has no SHA-256")
            count = 32
        }
    }

    package static func hmac(key: [UInt8], _ text: String) -> [UInt8] {
        hmac(key: key, Array(text.utf8))
    }

    package static func hmac(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            let isMade = key.withUnsafeBytes { key in
                bytes.withUnsafeBytes { bytes in
                    satchel_hmac_sha256(
                        key.baseAddress, key.count, bytes.baseAddress, bytes.count,
                        digest.baseAddress)
                }
            }
            precondition(isMade != 0, "libcrypto has no HMAC of SHA-256")
            count = 32
        }
    }

    /// The bytes of hexadecimal digits, a leading one alone for a byte; nil for other characters.
    package static func bytes(hexadecimal text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array((text.utf8.count % 2 == 0 ? text : "0\(text)").utf8)[...]
        while let first = rest.popFirst(), let second = rest.popFirst() {
            guard let high = Self.value(first), let low = Self.value(second) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }

    /// Two digits of lower case a byte.
    package static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
