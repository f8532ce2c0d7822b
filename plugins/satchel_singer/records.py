"""Records of a tap as the protocol writes them."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, Callable, Mapping, Optional, Sequence

from .names import field_name
from .schema import MADE_KEY

# What the host takes in a line, less the frame: a larger record is told of, not brought.
LARGEST_ITEM = (16 << 20) - (64 << 10)
SHOWN = 1000
NAIVE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?")

Converter = Optional[Callable[[Any], Any]]


class Model:
    """A model of the workspace; makes items of `records` of what a tap brings."""

    def __init__(self, told: Mapping[str, Any], types: Mapping[str, Any]) -> None:
        self.name: str = told["name"]
        self.key: tuple[str, ...] = tuple(told.get("key") or ["id"])
        fields = told.get("fields") or []
        self._fields = {
            each["name"] for each in fields
            if isinstance(each, dict) and isinstance(each.get("name"), str)
        }
        self._types = types
        self._converters = self._of_fields(fields, 0)
        self._names: dict[str, str] = {}

    def item(self, record: Any) -> bytes:
        """The item of `records` as a line of JSON."""
        if not isinstance(record, dict):
            return unreadable(record)
        try:
            record = {self._named(name): value for name, value in record.items()}
            if MADE_KEY in self.key and MADE_KEY not in record:
                record = {MADE_KEY: _digest(record), **record}
            for name, convert in self._converters.items():
                value = record.get(name)
                if value is not None:
                    record[name] = convert(value)
            id = self._id(record)
            # ASCII, so that half a character is seen below and not by the host.
            line = json.dumps(
                {"id": id, "record": record}, separators=(",", ":"), allow_nan=False,
            ).encode("ascii")
        except (ValueError, RecursionError):
            return unreadable(record)
        if id is None or len(line) > LARGEST_ITEM or b"\\ud" in line and _is_torn(record):
            return unreadable(record)
        return line

    def _named(self, name: str) -> str:
        known = self._names.get(name)
        if known is None:
            sane = field_name(name)
            known = name if name in self._fields or sane not in self._fields else sane
            if len(self._names) < 10_000:
                self._names[name] = known
        return known

    def _id(self, record: Mapping[str, Any]) -> str | None:
        values = [_key_value(record.get(name)) for name in self.key]
        if any(value is None or value == "" for value in values):
            return None
        if len(values) == 1:
            return str(values[0])
        return json.dumps(values, separators=(",", ":"), ensure_ascii=False)

    def _of_fields(self, fields: Sequence[Any], depth: int) -> dict[str, Callable[[Any], Any]]:
        found: dict[str, Callable[[Any], Any]] = {}
        for each in fields:
            if not isinstance(each, dict) or not isinstance(each.get("name"), str):
                continue
            convert = self._of_type(str(each.get("type")), depth)
            if convert is not None and each.get("list"):
                convert = _each(convert)
            if convert is not None:
                found[each["name"]] = convert
        return found

    def _of_type(self, type: str, depth: int) -> Converter:
        if type == "AWSJSON":
            return _json
        if type in ("ID", "String"):
            return _text
        if type == "AWSDateTime":
            return _with_zone
        inner = self._types.get(type)
        if not isinstance(inner, list) or depth > 8:
            return None
        converters = self._of_fields(inner, depth + 1)
        return _members(converters) if converters else None


def unreadable(content: Any, id: str | None = None) -> bytes:
    """An item that the host keeps aside and shows: its record is a text."""
    if isinstance(content, bytes):
        text = content[:SHOWN].decode("utf-8", "replace")
    else:
        try:
            text = json.dumps(content)[:SHOWN]
        except (ValueError, TypeError, RecursionError):
            text = str(type(content).__name__)
    return json.dumps({"id": id, "record": text}).encode("ascii")


def _each(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def all_of(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return [None if each is None else convert(each) for each in value]
    return all_of


def _members(converters: Mapping[str, Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def all_of(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {
            name: converters[name](inner) if inner is not None and name in converters else inner
            for name, inner in value.items()
        }
    return all_of


def _json(value: Any) -> str:
    """Raises `ValueError` for a number that is none."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _text(value: Any) -> Any:
    """Numbers and truth values of a field that holds texts too."""
    return _json(value) if isinstance(value, (bool, int, float)) else value


def _with_zone(value: Any) -> Any:
    """Singer's times without a zone are of UTC."""
    if isinstance(value, str) and NAIVE.fullmatch(value):
        return value.replace(" ", "T") + "Z"
    return value


def _key_value(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, (str, int)) and not isinstance(value, bool) else None


def _digest(record: Mapping[str, Any]) -> str:
    text = json.dumps(record, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode("ascii"), digest_size=16).hexdigest()


def _is_torn(record: Any) -> bool:
    """Whether a text holds half a character, which no UTF-8 can write."""
    try:
        json.dumps(record, ensure_ascii=False).encode("utf-8")
        return False
    except UnicodeEncodeError:
        return True
