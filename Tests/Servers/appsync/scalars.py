"""The scalars of AppSync, and what each takes."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from graphql import GraphQLError, GraphQLScalarType, GraphQLSchema

OFFSET = r"(?:Z|[+-]\d{2}:\d{2}(?::\d{2})?)"
TIME = r"(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?"
DATE = r"(\d{4}-\d{2}-\d{2})"
DATE_PATTERN = re.compile(rf"{DATE}{OFFSET}?")
TIME_PATTERN = re.compile(rf"{TIME}{OFFSET}?")
DATE_TIME_PATTERN = re.compile(rf"{DATE}T{TIME}{OFFSET}")
EMAIL_PATTERN = re.compile(r"[^@\s]+@[^@\s.]+(?:\.[^@\s.]+)*")
PHONE_PATTERN = re.compile(r"\+?\d[\d\s-]{5,}")


def _real_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _real_time(hour: str, minute: str, second: str | None) -> bool:
    return int(hour) < 24 and int(minute) < 60 and int(second or 0) < 60


def is_date(text: str) -> bool:
    found = DATE_PATTERN.fullmatch(text)
    return bool(found) and _real_date(text[:10])


def is_time(text: str) -> bool:
    found = TIME_PATTERN.fullmatch(text)
    return found is not None and _real_time(found[1], found[2], found[3])


def is_date_time(text: str) -> bool:
    found = DATE_TIME_PATTERN.fullmatch(text)
    return found is not None and _real_date(found[1]) and _real_time(found[2], found[3], found[4])


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def is_url(text: str) -> bool:
    parts = urlsplit(text)
    return bool(parts.scheme) and "//" not in parts.path and (
        bool(parts.netloc) or parts.scheme in ("mailto", "data", "urn"))


def is_address(text: str) -> bool:
    try:
        ipaddress.ip_interface(text)
    except ValueError:
        return False
    return True


TEXTS: dict[str, Callable[[str], bool]] = {
    "AWSDate": is_date,
    "AWSTime": is_time,
    "AWSDateTime": is_date_time,
    "AWSEmail": lambda text: EMAIL_PATTERN.fullmatch(text) is not None,
    "AWSJSON": is_json,
    "AWSURL": is_url,
    "AWSPhone": lambda text: PHONE_PATTERN.fullmatch(text) is not None,
    "AWSIPAddress": is_address,
}


def _refuse(name: str, value: Any) -> GraphQLError:
    return GraphQLError(f"Unable to parse `{value}` as a valid {name}")


def _reader(name: str) -> Callable[[Any], Any]:
    def timestamp(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise _refuse(name, value)
        return value

    def text(value: Any) -> str:
        if not isinstance(value, str) or not TEXTS[name](value):
            raise _refuse(name, value)
        return value

    return timestamp if name == "AWSTimestamp" else text


def install(schema: GraphQLSchema) -> None:
    """Gives the AWS scalars of a built schema their checks; they are served as stored."""
    for name in (*TEXTS, "AWSTimestamp"):
        scalar = schema.type_map[name]
        assert isinstance(scalar, GraphQLScalarType)
        scalar.coerce_input_value = _reader(name)
