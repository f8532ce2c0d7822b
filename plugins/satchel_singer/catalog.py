"""Catalogs: what a tap has, and what of it is read."""

from __future__ import annotations

import copy
import json
from typing import Any, Callable, Mapping

from .schema import Stream


def parsed(output: bytes) -> dict[str, Any] | None:
    """The catalog in what a discovery printed; None where there is none."""
    start = output.find(b"{")
    while start >= 0:
        try:
            found, _ = json.JSONDecoder().raw_decode(output[start:].decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict) and isinstance(found.get("streams"), list):
            return found
        # A banner stood before it.
        line = output.find(b"\n", start)
        start = output.find(b"{", line) if line >= 0 else -1
    return None


def streams(catalog: Mapping[str, Any]) -> list[Stream]:
    """The streams of a catalog."""
    found = []
    for entry in catalog.get("streams") or []:
        if isinstance(entry, dict) and name_of(entry):
            schema = entry.get("schema")
            found.append(Stream(
                name_of(entry), schema if isinstance(schema, dict) else {}, _key(entry)))
    return found


def name_of(entry: Mapping[str, Any]) -> str:
    """The name that the stream's messages have."""
    name = entry.get("stream_alias") or entry.get("stream") or entry.get("tap_stream_id")
    return name if isinstance(name, str) else ""


def selected(
    catalog: Mapping[str, Any], is_wanted: Callable[[str], bool],
    keys: Mapping[str, tuple[str, ...]],
) -> dict[str, Any]:
    """The catalog with the wanted streams chosen, in all the ways that taps look for it."""
    result = copy.deepcopy(dict(catalog))
    for entry in result.get("streams") or []:
        if not isinstance(entry, dict):
            continue
        choice = is_wanted(name_of(entry))
        entry["selected"] = choice
        schema = entry.get("schema")
        if isinstance(schema, dict):
            schema["selected"] = choice
        metadata = entry.get("metadata")
        metadata = metadata if isinstance(metadata, list) else []
        entry["metadata"] = metadata
        own = _at(metadata, [])
        own["selected"] = choice
        key = keys.get(name_of(entry))
        if key and not _key(entry):
            entry["key_properties"] = list(key)
            own["table-key-properties"] = list(key)
        properties = schema.get("properties") if isinstance(schema, dict) else None
        for name in properties if choice and isinstance(properties, dict) else {}:
            inner = _at(metadata, ["properties", name])
            is_free = inner.get("inclusion", "available") == "available"
            if is_free and "selected" not in inner:
                inner["selected"] = inner.get("selected-by-default", True) is not False
    return result


def is_whole(entry: Mapping[str, Any]) -> bool:
    """Whether the tap gives all of the stream each time."""
    metadata = entry.get("metadata")
    own = _at(list(metadata) if isinstance(metadata, list) else [], [])
    method = (
        own.get("replication-method") or own.get("forced-replication-method")
        or entry.get("replication_method"))
    return method == "FULL_TABLE"


def _key(entry: Mapping[str, Any]) -> tuple[str, ...]:
    metadata = entry.get("metadata")
    own = _at(list(metadata) if isinstance(metadata, list) else [], [])
    key = (
        entry.get("key_properties") or own.get("table-key-properties")
        or own.get("view-key-properties") or [])
    return tuple(name for name in key if isinstance(name, str)) if isinstance(key, list) else ()


def _at(metadata: list[Any], breadcrumb: list[str]) -> dict[str, Any]:
    """The metadata of a place; made where there is none."""
    for each in metadata:
        if isinstance(each, dict) and list(each.get("breadcrumb") or []) == breadcrumb:
            inner = each.get("metadata")
            if isinstance(inner, dict):
                return inner
    made: dict[str, Any] = {}
    metadata.append({"breadcrumb": breadcrumb, "metadata": made})
    return made
