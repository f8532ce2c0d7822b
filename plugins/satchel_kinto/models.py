"""The workspace's models, and records as Satchel and as Kinto write them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Mapping

from satchel_protocol.failure import Failure

from .reply import parsed

# Kinto's own members of a record; `schema` is one where the server checks a JSON schema.
RESERVED = ("id", "last_modified", "deleted", "schema")


@dataclass(frozen=True)
class Model:
    """A model of the workspace and the collection its records are in."""

    name: str
    collection: str
    # The one field of the key; None where the key has several, which Kinto has no id for.
    key: str | None
    fields: Mapping[str, Mapping[str, Any]]

    def is_json(self, name: str) -> bool:
        field = self.fields.get(name, {})
        return field.get("type") == "AWSJSON" and not field.get("list")

    def record(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """A record as Satchel has it, out of Kinto's `data`."""
        record = {
            name: value for name, value in data.items()
            if name in self.fields or name not in RESERVED
        }
        for name, value in record.items():
            # Kinto holds JSON as such, Satchel as a text.
            if self.is_json(name) and value is not None and not isinstance(value, str):
                record[name] = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        if self.key and self.key not in data and isinstance(data.get("id"), str):
            record[self.key] = self._key_value(data["id"])
        return record

    def data(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Kinto's `data` of a record, or of some fields of it."""
        return {
            name: self._stored(name, value) for name, value in record.items()
            if name not in RESERVED
        }

    def item(self, data: Any) -> dict[str, Any]:
        """An element of the protocol's `records`."""
        if not isinstance(data, dict) or not isinstance(data.get("id"), str):
            return {"id": None, "record": json.dumps(data)[:4000]}
        item: dict[str, Any] = {"id": data["id"], "version": data.get("last_modified")}
        if is_tombstone(data):
            item["deleted"] = True
        elif has_lone_surrogate(data):
            # No text of UTF-8 can hold it: it is handed over as it is written in JSON.
            item["record"] = json.dumps(data)
        else:
            item["record"] = self.record(data)
        return item

    def _stored(self, name: str, value: Any) -> Any:
        if self.is_json(name) and isinstance(value, str):
            content = parsed(value.encode("utf-8", "replace"))
            if isinstance(content, (dict, list)):
                return content
        return value

    def _key_value(self, id: str) -> Any:
        is_number = self.fields.get(self.key or "", {}).get("type") == "Int"
        return int(id) if is_number and id.isascii() and id.isdigit() else id


class Models:
    """The models by name."""

    def __init__(self, models: Any, collection: Any) -> None:
        """`collection` gives the collection of a model's name, or raises `Failure`."""
        self._collection = collection
        self._told: dict[str, dict[str, Any]] = {}
        for model in models if isinstance(models, list) else []:
            if isinstance(model, dict) and isinstance(model.get("name"), str):
                self._told[model["name"]] = model
        self._made: dict[str, Model] = {}

    def model(self, name: Any) -> Model:
        """Raises `Failure` of the kind `permanent` for a model nobody told of."""
        if name not in self._made:
            told = self._told.get(name) if isinstance(name, str) else None
            if told is None:
                raise Failure("permanent", f"there is no model {str(name)[:100]}")
            key = told.get("key") or ["id"]
            fields = {
                field["name"]: field for field in told.get("fields") or []
                if isinstance(field, dict) and isinstance(field.get("name"), str)
            }
            self._made[name] = Model(
                name, self._collection(name), key[0] if len(key) == 1 else None, fields)
        return self._made[name]


def is_tombstone(data: Mapping[str, Any]) -> bool:
    """Whether this is all that Kinto keeps of a record that was deleted."""
    return data.get("deleted") is True and set(data) <= {"id", "last_modified", "deleted"}


def has_lone_surrogate(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
        return False
    except UnicodeEncodeError:
        return True
