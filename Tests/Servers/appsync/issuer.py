"""Those who give tokens for refresh tokens: Cognito's endpoint, and one of OAuth 2."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from .srp import Handshake, User
from .tokens import POOL, Tokens


@dataclass
class Grant:
    """What a refresh token is good for; with `rotate` the next answer brings another in its place."""

    user: str
    client_id: str
    expires_in: float
    rotate: str | None


class Issuer:
    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.grants: dict[str, Grant] = {}
        self.asked = 0
        self.users: dict[str, User] = {}
        # Logins under way, by the block that a client gives back.
        self.handshakes: dict[str, tuple[Handshake, str]] = {}

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/cognito", self.cognito), web.post("/oauth/token", self.oauth)]

    async def cognito(self, request: web.Request) -> web.Response:
        """https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_InitiateAuth.html"""
        target = request.headers.get("X-Amz-Target")
        question = json.loads(await request.read())
        if question.get("AuthFlow") == "USER_SRP_AUTH":
            return self._begin(question)
        if target == "AWSCognitoIdentityProviderService.RespondToAuthChallenge":
            return self._end(question)
        if target != "AWSCognitoIdentityProviderService.InitiateAuth" or question.get(
                "AuthFlow") not in ("REFRESH_TOKEN_AUTH", "REFRESH_TOKEN"):
            return self._json(400, {"__type": "InvalidParameterException", "message": "Bad call."})
        found = self._grant(question["AuthParameters"].get("REFRESH_TOKEN"), question["ClientId"])
        if found is None:
            return self._json(400, {"__type": "NotAuthorizedException",
                                    "message": "Refresh Token has expired"})
        access, identity, refresh, lifetime = self._mint(found, "userPools")
        result = {"AccessToken": access, "IdToken": identity, "ExpiresIn": lifetime,
                  "TokenType": "Bearer"} | ({"RefreshToken": refresh} if refresh else {})
        return self._json(200, {"AuthenticationResult": result, "ChallengeParameters": {}})

    def _begin(self, question: dict[str, Any]) -> web.Response:
        """Answers a name and a number with a challenge, as it does for names nobody has."""
        given = question["AuthParameters"]
        user = self.users.get(given["USERNAME"]) or User(given["USERNAME"], "", "")
        handshake = Handshake(user, int(given["SRP_A"], 16))
        challenge = handshake.challenge()
        self.handshakes[challenge["SECRET_BLOCK"]] = handshake, question["ClientId"]
        return self._json(200, {"ChallengeName": "PASSWORD_VERIFIER",
                                "ChallengeParameters": challenge})

    def _end(self, question: dict[str, Any]) -> web.Response:
        self.asked += 1
        given = question["ChallengeResponses"]
        handshake, client = self.handshakes.pop(given["PASSWORD_CLAIM_SECRET_BLOCK"])
        user = handshake.user
        proves = given["USERNAME"] == user.id and handshake.proves(
            given["PASSWORD_CLAIM_SIGNATURE"], given["TIMESTAMP"])
        if not proves or user.name not in self.users or client != question["ClientId"]:
            return self._json(400, {"__type": "NotAuthorizedException",
                                    "message": "Incorrect username or password."})
        if user.wants:
            return self._json(200, {"ChallengeName": user.wants, "Session": "s",
                                    "ChallengeParameters": {}})
        refresh = f"refresh-{user.name}-{len(self.grants)}"
        self.grants[refresh] = Grant(user.name, client, 3_600, None)
        access, identity, _, lifetime = self._mint(self.grants[refresh], "userPools")
        return self._json(200, {"ChallengeParameters": {}, "AuthenticationResult": {
            "AccessToken": access, "IdToken": identity, "ExpiresIn": lifetime,
            "RefreshToken": refresh, "TokenType": "Bearer"}})

    async def oauth(self, request: web.Request) -> web.Response:
        """https://www.rfc-editor.org/rfc/rfc6749#section-6"""
        form = await request.post()
        found = self._grant(str(form.get("refresh_token")), str(form.get("client_id")))
        if form.get("grant_type") != "refresh_token" or found is None:
            return self._json(400, {"error": "invalid_grant"})
        access, identity, refresh, lifetime = self._mint(found, "oidc")
        return self._json(200, {"access_token": access, "id_token": identity,
                                "expires_in": lifetime, "token_type": "Bearer"} | (
                                    {"refresh_token": refresh} if refresh else {}))

    def _grant(self, token: str | None, client_id: str) -> Grant | None:
        self.asked += 1
        grant = self.grants.get(token or "")
        return grant if grant and grant.client_id == client_id else None

    def _mint(self, grant: Grant, mode: str) -> tuple[str, str, str | None, int]:
        if grant.rotate:
            self.grants = {grant.rotate: Grant(grant.user, grant.client_id, grant.expires_in, None)}
        access = self.tokens.mint(grant.user, mode, grant.expires_in)
        identity = self.tokens.mint(grant.user, mode, grant.expires_in,
                                    claims={"token_use": "id"})
        return access, identity, grant.rotate, int(grant.expires_in)

    @staticmethod
    def _json(status: int, body: dict[str, Any]) -> web.Response:
        return web.Response(status=status, body=json.dumps(body).encode(),
                            content_type="application/json")

    def let_in(self, name: str, password: str, wants: str | None) -> None:
        """Makes a user; `wants` is a challenge that follows the password."""
        self.users[name] = User(name, POOL.rpartition("_")[2], password, wants)
