"""Finds out who sends a request, in each of AppSync's five ways."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .clock import Clock
from .errors import HTTPFailure, unauthorized_exception
from .identity import Identity
from .settings import Settings
from .sigv4 import ALGORITHM, Credentials, SignedRequest, verify
from .tokens import Tokens

SERVICE = "appsync"
MODES = ("apiKey", "userPools", "oidc", "iam", "function")


@dataclass
class Registry:
    """The credentials the server takes."""

    modes: tuple[str, ...] = MODES
    api_keys: set[str] = field(default_factory=lambda: {"da2-testapikey000000000000000"})
    lambda_tokens: dict[str, dict[str, Any]] = field(default_factory=dict)
    credentials: dict[str, Credentials] = field(default_factory=dict)
    region: str = "us-east-1"


class Authorizer:
    """Checks the credentials of requests and of real-time messages."""

    def __init__(self, registry: Registry, settings: Settings, clock: Clock) -> None:
        self.registry = registry
        self.settings = settings
        self.clock = clock
        self.tokens = Tokens(clock)

    def identify(self, request: SignedRequest) -> Identity:
        """Returns the caller of a request.

        Raises a 401 for a key or token that is missing or refused, a 403 for a signature.
        """
        headers = request.headers
        authorization = headers.get("authorization")
        if authorization and authorization.startswith(ALGORITHM):
            return self._allowed(self._signed(request))
        if authorization:
            return self._allowed(self._token(authorization))
        key = headers.get("x-api-key")
        if key is None:
            raise unauthorized_exception("Valid authorization header not provided.")
        expires = self.settings.api_key_expires_ms
        if key not in self.registry.api_keys or (
                expires is not None and expires <= self.clock.now_ms()):
            raise unauthorized_exception()
        return self._allowed(Identity("apiKey"))

    def _allowed(self, identity: Identity) -> Identity:
        if identity.mode not in self.registry.modes:
            raise unauthorized_exception()
        return identity

    def _token(self, token: str) -> Identity:
        if token in self.registry.lambda_tokens:
            return Identity("function", self.registry.lambda_tokens[token])
        if token.count(".") != 2:
            # `Bearer x` too: AppSync takes the bare token.
            raise unauthorized_exception("Unable to parse JWT token."
                                         if "function" not in self.registry.modes
                                         else "You are not authorized to make this call.")
        mode, claims = self.tokens.check(token)
        return Identity(mode, claims)

    def _signed(self, request: SignedRequest) -> Identity:
        access_key = verify(request, self.registry.credentials, self.registry.region, SERVICE,
                            self.clock.now(), self.settings.clock_skew_ms / 1000)
        return Identity("iam", {"accessKey": access_key, "sub": access_key,
                                "username": access_key})


def message_request(header: Mapping[str, Any], path: str, body: str) -> SignedRequest:
    """Returns what a real-time `authorization` object stands for: a POST to the API."""
    headers = {name.lower(): str(value) for name, value in header.items()}
    return SignedRequest("POST", path, "", headers, body.encode())


def decode_header(text: str) -> dict[str, Any]:
    """Reads the base64 of a handshake's authorization, in either alphabet, padded or not.

    Raises AppSync's 400 where it is not JSON.
    """
    try:
        padded = text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4)
        values = json.loads(base64.b64decode(padded, validate=True))
    except ValueError as error:
        raise HTTPFailure(400, "BadRequestException", "Invalid header") from error
    if not isinstance(values, dict):
        raise HTTPFailure(400, "BadRequestException", "Invalid header")
    return values
