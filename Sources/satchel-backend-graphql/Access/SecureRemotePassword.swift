internal import CCrypto

/// The client's side of the password protocol of Cognito's user pools, in which the password itself never
/// travels: SRP-6a over the group of 3072 bits.
///
/// https://www.rfc-editor.org/rfc/rfc5054 and, for what AWS makes of it,
/// https://github.com/aws-amplify/amplify-js/tree/main/packages/auth/src/providers/cognito/utils/srp
package struct SecureRemotePassword: Sendable {
    /// The client's secret number.
    private let secret: [UInt8]
    /// The client's public number, as hexadecimal digits.
    package let publicNumber: String

    /// What a user pool answers to the public number.
    package struct Challenge: Sendable {
        /// The name that the user has within the pool.
        package var user: String
        package var salt: [UInt8]
        package var publicNumber: [UInt8]
        package var block: [UInt8]

        /// Nil for what is none: a number of the server's that is zero would give the password away.
        package init?(user: String, salt: [UInt8], publicNumber: [UInt8], block: [UInt8]) {
            guard publicNumber.contains(where: { $0 != 0 }), salt.count <= 1_024,
                block.count <= 65_536, publicNumber.count <= SecureRemotePassword.modulus.count,
                publicNumber != SecureRemotePassword.modulus
            else { return nil }
            self.user = user
            self.salt = salt
            self.publicNumber = publicNumber
            self.block = block
        }
    }

    /// Begins with a secret number of 128 random bytes; nil where libcrypto cannot count.
    package init?(secret: [UInt8]) {
        self.secret = secret
        // Without a challenge yet, the rest of the sum is of no matter.
        guard let sums = Self.sums(secret: secret, server: [1], scramble: [1], identity: [1]) else {
            return nil
        }
        publicNumber = Digest.hexadecimal(Array(sums.publicNumber.drop { $0 == 0 }))
    }

    /// The proof that the user knows the password, in base64; nil where libcrypto cannot count.
    ///
    /// `pool` is the user pool's name, without its region; `time` goes with the proof.
    package func proof(
        _ challenge: Challenge, password: String, pool: String, time: String
    ) -> String? {
        guard let ours = Digest.bytes(hexadecimal: publicNumber) else { return nil }
        let scramble = Digest.sha256(Self.padded(ours) + Self.padded(challenge.publicNumber))
        let inner = Digest.sha256(Array("\(pool)\(challenge.user):\(password)".utf8))
        let identity = Digest.sha256(Self.padded(challenge.salt) + inner)
        let sums = Self.sums(
            secret: secret, server: challenge.publicNumber, scramble: scramble, identity: identity)
        guard let sums else { return nil }
        let extracted = Digest.hmac(key: Self.padded(scramble), Self.padded(sums.shared))
        let key = Digest.hmac(key: extracted, Array("Caldera Derived Key".utf8) + [1]).prefix(16)
        let message =
            Array("\(pool)\(challenge.user)".utf8) + challenge.block + Array(time.utf8)
        return Base64URL.padded(Digest.hmac(key: Array(key), message))
    }

    /// As a number that is never negative, in as few bytes as that takes.
    private static func padded(_ number: [UInt8]) -> [UInt8] {
        let bytes = Array(number.drop { $0 == 0 })
        return bytes.first.map { $0 >= 0x80 } ?? true ? [0] + bytes : bytes
    }

    private static func sums(
        secret: [UInt8], server: [UInt8], scramble: [UInt8], identity: [UInt8]
    ) -> (publicNumber: [UInt8], shared: [UInt8])? {
        let generator: [UInt8] = [2]
        let factor = Digest.sha256(padded(modulus) + padded(generator))
        let numbers = [modulus, generator, factor, secret, server, scramble, identity]
        let ends = numbers.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
        let size = modulus.count
        var results = [UInt8](repeating: 0, count: size * 2)
        let isDone = numbers.flatMap { $0 }.withUnsafeBufferPointer { bytes in
            let number = { (place: Int) in
                satchel_number(
                    bytes: bytes.baseAddress.map { $0 + ends[place] }, count: numbers[place].count)
            }
            return results.withUnsafeMutableBufferPointer { results in
                satchel_srp(
                    number(0), number(1), number(2), number(3), number(4), number(5), number(6),
                    results.baseAddress, results.baseAddress.map { $0 + size })
            }
        }
        guard isDone != 0 else { return nil }
        return (Array(results.prefix(size)), Array(results.suffix(size)))
    }

    /// The group's prime.
    ///
    /// https://www.rfc-editor.org/rfc/rfc3526#section-4
    fileprivate static let modulus: [UInt8] =
        Digest.bytes(
            hexadecimal: """
                FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD\
                EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED\
                EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F\
                83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B\
                E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA0510\
                15728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7DB3970F85A6E1E4C7\
                ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C\
                BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF
                """) ?? []
}
