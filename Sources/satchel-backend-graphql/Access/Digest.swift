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
        let bytes = Array(text.utf8)
        return [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
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
