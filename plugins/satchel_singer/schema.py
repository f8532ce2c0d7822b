"""The models that JSON schemas of streams describe."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterable, Mapping

from satchel_protocol.failure import Failure

from .names import NAME, field_name, is_enum_value

SCALARS = {"string": "String", "integer": "Int", "number": "Float", "boolean": "Boolean"}
FORMATS = {"date": "AWSDate", "time": "AWSTime", "date-time": "AWSDateTime"}
# The key of streams without one: a digest of the whole record.
MADE_KEY = "satchel_id"
DEEPEST = 5


@dataclass
class Stream:
    """What is known of a stream."""

    name: str
    schema: Mapping[str, Any] = field(default_factory=dict)
    key: tuple[str, ...] = ()


class Models:
    """Builds `models`, `enums` and `types` as the protocol writes them."""

    def __init__(self, log: Any) -> None:
        self._log = log
        self._models: dict[str, dict[str, Any]] = {}
        self._streams: dict[str, str] = {}
        self._enums: dict[str, list[str]] = {}
        self._types: dict[str, list[dict[str, Any]]] = {}

    def add(self, model: str, stream: Stream) -> None:
        """Raises `Failure` where two streams would be one model."""
        if model in self._models:
            other = self._streams[model]
            if other == stream.name:
                return
            raise Failure(
                "permanent", f"the streams {other} and {stream.name} would both be {model}: set "
                f"models to {stream.name}=NAME")
        if not NAME.fullmatch(model):
            raise Failure("permanent", f"{model} is no name for a model: set the config key models")
        reader = _Reader(stream.schema, self._enums, self._types)
        fields = reader.fields(model, stream.schema, 0, self._note(stream.name))
        by_name = {each["name"]: each for each in fields}
        key = [field_name(name) for name in stream.key]
        if not key:
            key = [MADE_KEY]
            by_name = {MADE_KEY: {"name": MADE_KEY, "type": "ID"}, **by_name}
        for name in key:
            named = by_name.setdefault(name, {"name": name, "type": "String"})
            if named["type"] not in ("ID", "Int", "AWSDate", "AWSTime", "AWSDateTime"):
                named["type"] = "ID" if len(key) == 1 else "String"
            named.pop("list", None)
            named["required"] = True
        first = [by_name[name] for name in key]
        rest = [each for name, each in by_name.items() if name not in key]
        self._streams[model] = stream.name
        self._models[model] = {
            "name": model, "key": key, "fields": first + rest, "relations": [],
        }

    def description(self) -> dict[str, Any]:
        return {
            "models": list(self._models.values()), "enums": self._enums, "types": self._types,
        }

    def _note(self, stream: str) -> Any:
        def note(name: str) -> None:
            self._log("warning", f"{stream}: {name[:100]} is left out, another has its name")
        return note


class _Reader:
    """Reads the properties of one stream."""

    def __init__(
        self, root: Mapping[str, Any], enums: dict[str, list[str]],
        types: dict[str, list[dict[str, Any]]],
    ) -> None:
        self._root = root
        self._enums = enums
        self._types = types

    def fields(
        self, owner: str, described: Mapping[str, Any], depth: int, note: Any
    ) -> list[dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        properties = self._whole(described, 0).get("properties")
        for key, value in (properties if isinstance(properties, dict) else {}).items():
            name = field_name(key)
            if name in found:
                note(key)
            elif isinstance(value, dict):
                found[name] = {"name": name, **self._type(owner, name, value, depth)}
        return list(found.values())

    def _type(
        self, owner: str, name: str, described: Mapping[str, Any], depth: int
    ) -> dict[str, Any]:
        whole = self._whole(described, 0)
        kinds = _kinds(whole)
        if kinds == {"array"}:
            items = whole.get("items")
            element = self._whole(items, 0) if isinstance(items, dict) else {}
            type = "AWSJSON"
            if _kinds(element) != {"array"}:
                type = self._single(owner, name, element, depth)
            return {"type": type} if type == "AWSJSON" else {"type": type, "list": True}
        return {"type": self._single(owner, name, whole, depth)}

    def _single(self, owner: str, name: str, whole: Mapping[str, Any], depth: int) -> str:
        kinds = _kinds(whole)
        values = whole.get("enum")
        values = [each for each in values if each is not None] if isinstance(values, list) else []
        own = f"{owner}{name[:1].upper()}{name[1:]}"
        if values and all(is_enum_value(value) for value in values) and own not in self._types:
            self._enums[own] = list(dict.fromkeys(values))
            return own
        if kinds == {"object"}:
            return self._object(own, whole, depth)
        if kinds == {"string"}:
            return FORMATS.get(str(whole.get("format")), "String")
        if kinds == {"integer", "number"}:
            return "Float"
        if len(kinds) == 1:
            return SCALARS.get(next(iter(kinds)), "AWSJSON")
        # Several kinds of simple values are texts of them.
        return "String" if kinds and kinds <= set(SCALARS) else "AWSJSON"

    def _object(self, own: str, whole: Mapping[str, Any], depth: int) -> str:
        properties = whole.get("properties")
        is_plain = (
            isinstance(properties, dict) and properties and depth < DEEPEST
            and all(field_name(key) == key for key in properties)
            and own not in self._enums and own not in self._types)
        if not is_plain:
            return "AWSJSON"
        self._types[own] = []
        self._types[own] = self.fields(own, whole, depth + 1, lambda name: None)
        if not self._types[own]:
            del self._types[own]
            return "AWSJSON"
        return own

    def _whole(self, described: Any, depth: int) -> Mapping[str, Any]:
        """The description with references followed and alternatives put together."""
        if not isinstance(described, dict) or depth > DEEPEST:
            return {}
        reference = described.get("$ref")
        if isinstance(reference, str):
            return self._whole(self._referred(reference), depth + 1)
        choices = described.get("anyOf") or described.get("oneOf")
        if isinstance(choices, list):
            return _joined([self._whole(choice, depth + 1) for choice in choices])
        parts = described.get("allOf")
        if isinstance(parts, list):
            whole: dict[str, Any] = {}
            for part in [*parts, {k: v for k, v in described.items() if k != "allOf"}]:
                part = self._whole(part, depth + 1)
                properties = {**whole.get("properties", {}), **part.get("properties", {})}
                whole = {**whole, **part, **({"properties": properties} if properties else {})}
            return whole
        return described

    def _referred(self, reference: str) -> Any:
        place: Any = self._root
        for name in reference.lstrip("#").strip("/").split("/"):
            place = place.get(name) if isinstance(place, dict) else None
        return place


def _joined(choices: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    real = [choice for choice in choices if _kinds(choice)]
    if len(real) == 1:
        return real[0]
    kinds = set().union(*(_kinds(choice) for choice in real))
    formats = {str(choice.get("format")) for choice in real}
    joined: dict[str, Any] = {"type": sorted(kinds)}
    if len(formats) == 1 and "None" not in formats:
        joined["format"] = formats.pop()
    return joined


def _kinds(described: Mapping[str, Any]) -> set[str]:
    """The types but for null; an object by its properties where no type is told."""
    kinds = described.get("type")
    if kinds is None and isinstance(described.get("properties"), dict):
        kinds = "object"
    if kinds is None and isinstance(described.get("enum"), list):
        is_text = all(isinstance(each, (str, type(None))) for each in described["enum"])
        kinds = "string" if is_text else None
    kinds = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
    return {kind for kind in kinds if isinstance(kind, str) and kind != "null"}
