internal import CSystem
internal import Glibc

/// Bytes from the kernel's generator.
package enum RandomBytes {
    package static func make(count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = getrandom(
                    buffer.baseAddress.unsafelyUnwrapped + filled, count - filled, 0)
                if got > 0 { filled += got }
            }
        }
    }

    package static func word() -> UInt64 {
        make(count: 8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Twice as many lower-case digits as `count` bytes.
    package static func hexadecimal(count: Int) -> String {
        ContentHash.hexadecimal(make(count: count))
    }
}
