"""How AppSync settles a write that was made on an older version."""

from __future__ import annotations

from typing import Any

from .model import Record

OWN = ("_version", "_deleted", "_lastChangedAt")


def automerge(existing: Record, incoming: Record, key: tuple[str, ...]) -> Record:
    """Merges a stale update into the item, field by field.

    A scalar that differs keeps the server's value; what the server lacks is taken; lists are
    concatenated, duplicates kept; maps are merged by the same rules.
    """
    merged = dict(existing)
    for name, value in incoming.items():
        if name not in key and name not in OWN:
            merged[name] = _merge(existing.get(name), value)
    return merged


def _merge(existing: Any, incoming: Any) -> Any:
    if existing is None or incoming is None:
        return incoming if existing is None else existing
    if isinstance(existing, list) and isinstance(incoming, list):
        return existing + incoming
    if isinstance(existing, dict) and isinstance(incoming, dict):
        names = [*existing, *(name for name in incoming if name not in existing)]
        return {name: _merge(existing.get(name), incoming.get(name)) for name in names}
    return existing
