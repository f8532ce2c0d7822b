/// Tells a text from a damaged or another one; no defence against a forger.
package enum Checksum {
    /// A hash as 16 hexadecimal digits.
    package static func of(_ bytes: UnsafeRawBufferPointer) -> String {
        let digits = String(word(bytes), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    package static func of(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { of($0) } }

    /// A hash of 64 bits, eight bytes a step.
    package static func word(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(bytes.count)
        var index = 0
        while bytes.count - index >= 8 {
            hash = mix(hash, bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        while index < bytes.count {
            hash = mix(hash, UInt64(bytes[index]))
            index += 1
        }
        return mix(hash, 0xD6E8_FEB8_6659_FD93)
    }

    private static func mix(_ hash: UInt64, _ value: UInt64) -> UInt64 {
        let product = (hash ^ value).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        return product.high ^ product.low &+ 0x2545_F491_4F6C_DD1D
    }
}
