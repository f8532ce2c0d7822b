/// A number by which equal texts are found without comparing each with all others.
///
/// The bytes are the coefficients of a polynomial over the integers modulo 2^61 - 1, and the digest
/// is its value at a place that only this store knows. Different texts of n bytes agree at n of the
/// 2^61 places at most: whoever chooses the texts cannot choose many of one digest.
enum TextDigest {
    static func of(_ text: UnsafeRawBufferPointer, key: Int64) -> Int64 {
        let modulus: UInt64 = (1 << 61) - 1
        let place = UInt64(bitPattern: key) & modulus
        // A first coefficient of one, for texts that begin with zeros.
        var digest: UInt64 = 1
        for byte in text {
            let product = digest.multipliedFullWidth(by: place)
            // 2^61 counts as one.
            let sum =
                (product.low & modulus) + (product.high << 3 | product.low >> 61) + UInt64(byte)
            digest = (sum & modulus) + (sum >> 61)
        }
        return Int64(bitPattern: digest)
    }
}
