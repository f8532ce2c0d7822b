"""JSON web tokens that the server mints for tests, and checks."""

from __future__ import annotations

import secrets
from functools import cached_property
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from .clock import Clock
from .errors import unauthorized_exception

POOL = "https://cognito-idp.us-east-1.amazonaws.com/us-east-1_TESTPOOL1"
ISSUERS = {"userPools": POOL, "oidc": "https://login.example.com"}


class Tokens:
    """Mints and checks tokens with keys made at the start: no network, none in the repository."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.secret = secrets.token_hex(32)
        self._minted: set[str] = set()
        self._expired: set[str] = set()

    @cached_property
    def _key(self) -> rsa.RSAPrivateKey:
        return rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def mint(self, user: str = "alice", mode: str = "userPools", expires_in: float = 3_600,
             algorithm: str = "RS256", groups: list[str] | None = None,
             claims: dict[str, Any] | None = None) -> str:
        """Returns a token of a user; `expires_in` is in seconds and may be negative."""
        now = self.clock.now()
        content: dict[str, Any] = {
            "sub": f"sub-{user}", "iss": ISSUERS[mode], "iat": int(now),
            "exp": int(now + expires_in), "jti": secrets.token_hex(8),
        }
        if mode == "userPools":
            content |= {"username": user, "token_use": "access", "client_id": "testclient"}
        if groups:
            content["cognito:groups"] = groups
        content |= claims or {}
        self._minted.add(content["jti"])
        key: Any = self.secret if algorithm == "HS256" else self._key
        return jwt.encode(content, key, algorithm=algorithm, headers={"kid": "test-key"})

    def expire_now(self) -> None:
        """Makes every token minted so far count as expired."""
        self._expired |= self._minted

    def check(self, token: str) -> tuple[str, dict[str, Any]]:
        """Returns the mode and the claims of a good token."""
        try:
            algorithm = jwt.get_unverified_header(token).get("alg")
            key: Any = self.secret if algorithm == "HS256" else self._key.public_key()
            claims = jwt.decode(token, key, algorithms=["HS256", "RS256"], options={
                "verify_exp": False, "verify_iat": False, "verify_nbf": False,
                "verify_aud": False, "verify_sub": False})
        except jwt.InvalidTokenError as error:
            raise unauthorized_exception("Unable to parse JWT token.") from error
        if claims.get("exp", 0) <= self.clock.now() or claims.get("jti") in self._expired:
            raise unauthorized_exception("Token has expired.")
        for mode, issuer in ISSUERS.items():
            if claims.get("iss") == issuer:
                return mode, claims
        raise unauthorized_exception("Invalid JWT token issuer.")
