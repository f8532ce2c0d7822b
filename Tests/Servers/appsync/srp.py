"""The server's side of Cognito's password protocol, SRP-6a over the group of 3072 bits.

https://www.rfc-editor.org/rfc/rfc5054, and Amplify's clients for what AWS makes of it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field

# https://www.rfc-editor.org/rfc/rfc3526#section-4
N = int("""
FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD
EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED
EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F
83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B
E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA0510
15728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7DB3970F85A6E1E4C7
ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C
BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF
""".replace("\n", ""), 16)
G = 2


def signed(number: int) -> bytes:
    """Returns a number as Java's BigInteger does: never negative, in as few bytes as that takes."""
    return number.to_bytes(number.bit_length() // 8 + 1, "big")


def digest(*parts: bytes) -> int:
    return int.from_bytes(hashlib.sha256(b"".join(parts)).digest(), "big")


K = digest(signed(N), signed(G))


@dataclass
class User:
    """Of a password the server keeps the verifier alone; `wants` is what it asks for besides."""

    name: str
    pool: str
    password: str
    wants: str | None = None
    salt: int = field(default_factory=lambda: secrets.randbits(128))

    @property
    def id(self) -> str:
        return f"sub-{self.name}"

    @property
    def verifier(self) -> int:
        inner = hashlib.sha256(f"{self.pool}{self.id}:{self.password}".encode()).digest()
        return pow(G, digest(signed(self.salt), inner), N)


class Handshake:
    """One login under way."""

    def __init__(self, user: User, client_number: int) -> None:
        if client_number % N == 0:
            raise ValueError("the client's number is zero")
        self.user = user
        self.block = secrets.token_bytes(64)
        self._secret = secrets.randbits(1_024)
        self._theirs = client_number
        self.number = (K * user.verifier + pow(G, self._secret, N)) % N

    def challenge(self) -> dict[str, str]:
        return {"USER_ID_FOR_SRP": self.user.id, "USERNAME": self.user.id,
                "SRP_B": f"{self.number:x}", "SALT": f"{self.user.salt:x}",
                "SECRET_BLOCK": base64.b64encode(self.block).decode()}

    def proves(self, signature: str, timestamp: str) -> bool:
        scramble = digest(signed(self._theirs), signed(self.number))
        shared = pow(self._theirs * pow(self.user.verifier, scramble, N), self._secret, N)
        extracted = hmac.new(signed(scramble), signed(shared), hashlib.sha256).digest()
        key = hmac.new(extracted, b"Caldera Derived Key\x01", hashlib.sha256).digest()[:16]
        message = (self.user.pool + self.user.id).encode() + self.block + timestamp.encode()
        expected = hmac.new(key, message, hashlib.sha256).digest()
        return hmac.compare_digest(expected, base64.b64decode(signature))
