"""What a context tells of its tap: `config`, `secrets`, and how to ask for them."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
from dataclasses import dataclass, field
from typing import Any, Mapping
from urllib.parse import quote

from satchel_protocol.failure import Failure

# Settings of taps that say how much to read, not from where.
HARMLESS = {
    "start_date", "end_date", "user_agent", "page_size", "batch_size", "request_timeout",
    "log_level",
}
NAMES = re.compile(r"[\s,]+")


@dataclass(frozen=True)
class Settings:
    """Which tap to run, and how."""

    # The program and its arguments.
    tap: tuple[str, ...]
    # Without the secrets.
    tap_config: Mapping[str, Any] = field(default_factory=dict)
    # By the key of the tap's config, a path of names with dots.
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    # The option that hands over a catalog, and the catalog where it need not be discovered.
    catalog_option: str = "--catalog"
    catalog: Mapping[str, Any] | None = None
    # Whether a run is told what to read; some taps take no catalog.
    selects: bool = True
    # None: all that the workspace has models for.
    streams: frozenset[str] | None = None
    # Where the first pull begins.
    state: Any = None
    # Models by stream, and the fields of the key by stream, where the tap's own will not do.
    models: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    source: str | None = None

    @classmethod
    def read(cls, config: Mapping[str, Any], secrets: Mapping[str, Any]) -> Settings:
        """Raises `Failure` of the kind `permanent` that names the key to mend."""
        catalog, properties = config.get("catalog"), config.get("properties")
        if catalog and properties:
            raise _wrong("catalog", "and properties are the same under two names: set one")
        given = catalog or properties
        streams = config.get("streams")
        return cls(
            tap=_command(config.get("tap")),
            tap_config=_object("tap_config", config.get("tap_config")) or {},
            secrets={key: str(value) for key, value in secrets.items() if value},
            catalog_option="--properties" if properties else "--catalog",
            catalog=_object("properties" if properties else "catalog", given) if given else None,
            selects=config.get("select") not in (False, "false", "no", "0"),
            streams=frozenset(_names("streams", streams)) if streams else None,
            state=_object("state", config.get("state")),
            models={stream: names[0] for stream, names in _map(config, "models").items()},
            keys=_map(config, "keys"),
            source=str(config["source"]) if config.get("source") else None,
        )

    @property
    def name(self) -> str:
        """The tap, for people."""
        return os.path.basename(self.tap[0])

    @property
    def program(self) -> str:
        """Where the tap's program is; raises `Failure`."""
        found = shutil.which(self.tap[0])
        if found is None:
            raise Failure(
                "permanent", f"there is no program {self.tap[0]}: install it, or set the config "
                "key tap to where it is")
        return found

    @property
    def identity(self) -> str:
        """Names the data set: the tap and what it reads, or what the user calls it."""
        if self.source is not None:
            return f"singer:{self.name}:{self.source}"
        config = {key: value for key, value in self.tap_config.items() if key not in HARMLESS}
        text = json.dumps([self.tap[1:], config], sort_keys=True)
        return f"singer:{self.name}:{hashlib.sha256(text.encode()).hexdigest()[:16]}"

    def whole_config(self) -> dict[str, Any]:
        """The tap's config with the secrets in it: for a private file alone."""
        config: dict[str, Any] = json.loads(json.dumps(self.tap_config))
        for path, value in self.secrets.items():
            *names, last = path.split(".")
            place = config
            for name in names:
                inner = place.get(name)
                place[name] = inner if isinstance(inner, dict) else {}
                place = place[name]
            place[last] = value
        return config

    def masked(self, text: str) -> str:
        """The text without secrets, in whatever way a log may write them."""
        for secret in self.secrets.values():
            for form in (secret, json.dumps(secret)[1:-1], quote(secret, safe="")):
                text = text.replace(form, "***")
        return text


def question(answers: Mapping[str, Any]) -> dict[str, Any]:
    """The next question of `configure`; without any left, the settings."""
    questions: list[tuple[str, str, bool, dict[str, Any]]] = [
        ("tap", "Command of the tap", False, {"help": "such as tap-csv, installed with pipx"}),
        ("tap_config", "The tap's configuration", False, {
            "default": "{}", "help": "a JSON file, or JSON; without passwords"}),
        ("secrets", "Names of its secret settings", False, {
            "default": "none", "help": "such as password or api_key; several with commas"}),
    ]
    for key, label, secret, more in questions:
        if not answers.get(key):
            return {"key": key, "label": label, "secret": secret, **more}
    wanted = secret_names(answers)
    for name in wanted:
        if not answers.get(name):
            return {"key": name, "label": f"The tap's {name}", "secret": True}
    return {"done": True, "config": {k: v for k, v in answers.items() if k not in wanted}}


def secret_names(config: Mapping[str, Any]) -> list[str]:
    return [name for name in _names("secrets", config.get("secrets")) if name != "none"]


def _wrong(key: str, rule: str) -> Failure:
    return Failure("permanent", f"the config key {key} {rule}")


def _command(value: Any) -> tuple[str, ...]:
    rule = "is the command of a tap: a text such as tap-csv, or a list of texts"
    words = value
    if isinstance(value, str):
        try:
            words = json.loads(value) if value.lstrip().startswith("[") else shlex.split(value)
        except ValueError:
            raise _wrong("tap", rule) from None
    if not isinstance(words, list) or not words or not all(isinstance(w, str) for w in words):
        raise _wrong("tap", rule)
    if not words[0] or any("\0" in word for word in words):
        raise _wrong("tap", rule)
    return tuple(words)


def _object(key: str, value: Any) -> dict[str, Any] | None:
    """An object, or a text that is JSON or names a file with it."""
    if value is None or value == "":
        return None
    if isinstance(value, str) and not value.lstrip().startswith("{"):
        try:
            with open(os.path.expanduser(value), encoding="utf-8") as file:
                value = file.read()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it cannot be read"
            raise _wrong(key, f"names {value}: {reason}") from None
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise _wrong(key, "is no JSON") from None
    if not isinstance(value, dict):
        raise _wrong(key, "is a JSON object, or a file with one")
    return value


def _names(key: str, value: Any) -> list[str]:
    if isinstance(value, str):
        value = [name for name in NAMES.split(value) if name]
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise _wrong(key, "is a list of names")
    return value


def _map(config: Mapping[str, Any], key: str) -> dict[str, tuple[str, ...]]:
    """Names by stream: an object, or a text such as `people=Person,pets=Pet`."""
    rule = "is a list such as STREAM=NAME,STREAM=NAME, or an object"
    value = config.get(key)
    if isinstance(value, str):
        pairs = [part.split("=") for part in value.split(",") if part.strip()]
        if any(len(pair) != 2 for pair in pairs):
            raise _wrong(key, rule)
        value = {stream.strip(): names for stream, names in pairs}
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _wrong(key, rule)
    found: dict[str, tuple[str, ...]] = {}
    for stream, names in value.items():
        several = re.split(r"[\s+]+", names.strip()) if isinstance(names, str) else names
        if not isinstance(several, list) or not several:
            raise _wrong(key, rule)
        if not all(isinstance(name, str) and name for name in several):
            raise _wrong(key, rule)
        found[stream] = tuple(several)
    return found
