"""What a context tells of its Kinto server: `config`, `secrets`, and how to ask for them."""

from __future__ import annotations

import base64
import ipaddress
import re
from dataclasses import dataclass, field
from typing import Any, Mapping
from urllib.parse import SplitResult, urlsplit

from satchel_protocol.failure import Failure


# What Kinto takes as the name of a bucket or a collection (kinto.views.NameGenerator).
NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_-]*")
DEFAULT_TIMEOUT = 20.0


@dataclass(frozen=True)
class Settings:
    """Where the records are, and who we are there."""

    scheme: str
    host: str
    port: int
    # The path of the API's root, such as `/v1`.
    root: str
    bucket: str
    collections: Mapping[str, str] = field(default_factory=dict)
    user: str | None = None
    authorization: str | None = field(default=None, repr=False)
    # Said when `authorization` is missing and should not be.
    missing: str | None = None
    timeout: float = DEFAULT_TIMEOUT
    ca_file: str | None = None
    hidden: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def read(cls, config: Mapping[str, Any], secrets: Mapping[str, Any]) -> Settings:
        """Raises `Failure` of the kind `permanent` that names the key to mend."""
        place = _place(config)
        authorization, missing, hidden = _credentials(config, secrets)
        bucket = _text(config, "bucket") or ""
        if bucket == "default":
            raise _wrong("bucket", "names the bucket itself: `default` is each user's own")
        if not NAME.fullmatch(bucket):
            raise _wrong("bucket", "is the name of a bucket: letters, digits, - and _")
        host = (place.hostname or "").lower()
        is_plain = place.scheme == "http" and not _is_loopback(host)
        if is_plain and authorization and not _flag(config, "plain_http"):
            raise _wrong(
                "url", "is http:, which shows the password to the network: use https:, or set "
                "plain_http to true")
        path = place.path.rstrip("/")
        return cls(
            scheme=place.scheme,
            host=host,
            port=place.port or (443 if place.scheme == "https" else 80),
            root=path if path.endswith("/v1") else path + "/v1",
            bucket=bucket,
            collections=_collections(config.get("collections")),
            user=_text(config, "user"),
            authorization=authorization,
            missing=missing,
            timeout=_timeout(config.get("timeout")),
            ca_file=_text(config, "ca_file"),
            hidden=hidden,
        )

    @property
    def place(self) -> str:
        """The server, for people."""
        return f"{self.host}:{self.port}"

    @property
    def identity(self) -> str:
        """Names the data set; the same for everybody who uses it."""
        return f"{self.scheme}://{self.host}:{self.port}{self.root}/buckets/{self.bucket}"

    def collection(self, model: str) -> str:
        name = self.collections.get(model, model)
        if not NAME.fullmatch(name):
            raise Failure(
                "permanent",
                f"{model} is no name of a Kinto collection: set collections to {model}=NAME")
        return name

    def masked(self, text: str) -> str:
        """The text without secrets: a server may repeat what it was sent."""
        for secret in self.hidden:
            text = text.replace(secret, "***")
        return text


def question(answers: Mapping[str, Any]) -> dict[str, Any]:
    """The next question of `configure`; without any left, the settings."""
    way = answers.get("auth") or ("password" if answers.get("user") else None)
    questions: list[tuple[str, str, bool, dict[str, Any]]] = [
        ("url", "Address of the server", False, {"help": "such as https://kinto.example.com/v1"}),
        ("bucket", "Bucket", False, {"help": "made with the first record where it is missing"}),
    ]
    if way is None:
        choices = ["password", "token", "none"]
        questions.append(
            ("auth", "Log in by", False, {"choices": choices, "default": "password"}))
    if way == "password":
        questions.append(("user", "User", False, {}))
        questions.append(("password", "Password", True, {}))
    if way == "token":
        questions.append(("token", "Bearer token", True, {}))
    for key, label, secret, more in questions:
        if not answers.get(key):
            return {"key": key, "label": label, "secret": secret, **more}
    secrets = ("password", "token")
    return {"done": True, "config": {k: v for k, v in answers.items() if k not in secrets}}


def _wrong(key: str, rule: str) -> Failure:
    return Failure("permanent", f"the config key {key} {rule}")


def _text(config: Mapping[str, Any], key: str) -> str | None:
    value = config.get(key)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise _wrong(key, "is a text")
    return value


def _flag(config: Mapping[str, Any], key: str) -> bool:
    return config.get(key) in (True, "true", "yes", "1")


def _place(config: Mapping[str, Any]) -> SplitResult:
    rule = "is the address of a Kinto server, such as https://kinto.example.com/v1"
    try:
        place = urlsplit(_text(config, "url") or "")
        _ = place.port
    except ValueError:
        raise _wrong("url", rule) from None
    if place.scheme not in ("http", "https") or not place.hostname:
        raise _wrong("url", rule)
    if not place.geturl().isascii() or any(c <= " " for c in place.geturl()):
        raise _wrong("url", "is written in ASCII, without spaces")
    if place.username is not None or place.password is not None:
        raise _wrong("url", "holds no user and password: they belong to `satchel auth login`")
    if place.query or place.fragment:
        raise _wrong("url", "ends with the server's path: no ? and no #")
    return place


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _credentials(
    config: Mapping[str, Any], secrets: Mapping[str, Any]
) -> tuple[str | None, str | None, tuple[str, ...]]:
    """The header `Authorization`, what is missing for it, and what no message may show."""
    user, way = _text(config, "user"), _text(config, "auth")
    password, token = _text(secrets, "password"), _text(secrets, "token")
    if way not in (None, "password", "token", "none"):
        raise _wrong("auth", "is password, token or none")
    if way == "none":
        return None, None, ()
    if token and way != "password":
        if not token.isascii() or any(c <= " " for c in token):
            raise Failure("auth", "the token has characters that no token has")
        return f"Bearer {token}", None, (token,)
    if way == "token":
        return None, "there is no token", ()
    if not user:
        missing = "there is no user: set the config key user" if way == "password" else None
        return None, missing, ()
    if ":" in user:
        raise _wrong("user", "has no colon")
    if not password:
        return None, f"there is no password of {user}", ()
    basic = base64.b64encode(f"{user}:{password}".encode()).decode("ascii")
    return f"Basic {basic}", None, (basic, password)


def _collections(value: Any) -> Mapping[str, str]:
    """The collections of models: an object, or a text such as `Post=posts,Comment=comments`."""
    rule = "maps models to collections, such as Post=posts,Comment=comments"
    if isinstance(value, str):
        pairs = [part.split("=") for part in value.split(",") if part.strip()]
        if any(len(pair) != 2 for pair in pairs):
            raise _wrong("collections", rule)
        value = {model.strip(): name.strip() for model, name in pairs}
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value.values()):
        raise _wrong("collections", rule)
    if len(set(value.values())) < len(value):
        raise _wrong("collections", "maps two models to one collection")
    return value


def _timeout(value: Any) -> float:
    if value is None or value == "":
        return DEFAULT_TIMEOUT
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        seconds = 0.0
    if not 0.1 <= seconds <= 300:
        raise _wrong("timeout", "is a number of seconds, 300 at most")
    return seconds
