"""What streams and their properties are called in a workspace."""

from __future__ import annotations

import re
from typing import Any, Collection, Mapping

# Names that begin with `_` are Satchel's own.
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def model_name(stream: str, chosen: Mapping[str, str], known: Collection[str]) -> str:
    """The model of a stream: the chosen one, the one of its name, or its name in camel case.

    `public-user_accounts` becomes `PublicUserAccounts`.
    """
    if stream in chosen:
        return chosen[stream]
    if stream in known:
        return stream
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", stream) if part]
    name = "".join(part[0].upper() + part[1:] for part in parts) or "Stream"
    return name if NAME.fullmatch(name) else "S" + name


def field_name(property_name: str) -> str:
    """The field of a property: its name, with `_` for what no name may have.

    `_sdc_path` becomes `sdc_path`, `First name` `First_name`, `2020` `f2020`.
    """
    if NAME.fullmatch(property_name):
        return property_name
    name = re.sub(r"[^A-Za-z0-9]+", "_", property_name).strip("_") or "field"
    return name if NAME.fullmatch(name) else "f" + name


def is_enum_value(value: Any) -> bool:
    return (
        isinstance(value, str) and NAME.fullmatch(value) is not None
        and value not in ("true", "false", "null"))
