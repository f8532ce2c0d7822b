internal import CSystem
internal import Glibc

/// Names of contents, as lower-case hexadecimal digits.
package enum ContentHash {
    /// Tells changed content from unchanged (FNV-1a, 128 bits); no defence against a forger.
    package static func fast(_ bytes: some Sequence<UInt8>) -> String {
        let prime = UInt128(1) << 88 | 0x13B
        var hash = UInt128(0x6c62_272e_07bb_0142) << 64 | 0x62b8_2175_6295_c58d
        for byte in bytes { hash = (hash ^ UInt128(byte)) &* prime }
        return hexadecimal((0..<16).map { UInt8(truncatingIfNeeded: hash >> (120 - 8 * $0)) })
    }

    /// SHA-256, for content that must not be forged.
    ///
    /// OpenSSL's libcrypto is loaded on the first call only: linking it would slow every start.
    ///
    /// - Throws: When libcrypto is not installed.
    package static func sha256(_ bytes: [UInt8]) throws(SystemError) -> String {
        guard let library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL) else {
            throw SystemError(
                code: ENOENT,
                message: "cannot compute a SHA-256: libcrypto.so.3 is missing; install libssl3")
        }
        guard let function = dlsym(library, "SHA256") else {
            throw SystemError("compute a SHA-256 with libcrypto.so.3", code: ENOSYS)
        }
        var digest = [UInt8](repeating: 0, count: 32)
        let result = bytes.withUnsafeBytes { input in
            satchel_sha256(function, input.baseAddress, input.count, &digest)
        }
        guard result == 0 else { throw SystemError("compute a SHA-256", code: EIO) }
        return hexadecimal(digest)
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits: [UInt8] = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
