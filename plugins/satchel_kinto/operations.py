"""Operations as the host gives them, and how each is said to Kinto."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Mapping

from satchel_protocol.failure import Failure

from .kinto import Kinto, fits_batch
from .models import RESERVED, Model, Models

# The ids Kinto takes (kinto.views.RelaxedUUID).
ID = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_-]*")

Verdict = dict[str, Any]


class Refused(Exception):
    """An operation that need not be sent: its verdict."""

    def __init__(self, message: str, code: str, field: str | None = None) -> None:
        super().__init__(message)
        self.verdict: Verdict = {"outcome": "rejected", "message": message, "code": code}
        if field is not None:
            self.verdict["field"] = field


@dataclass(frozen=True)
class Operation:
    """An operation and how it is said to Kinto."""

    key: str
    model: Model
    id: str
    kind: str
    # The record, or the fields of it, as they are to be; nothing for a delete.
    data: Mapping[str, Any]
    method: str
    path: str
    condition: Mapping[str, str]
    # Fields are taken away by a request of another type, which no batch can hold.
    clears: bool = False

    @property
    def is_alone(self) -> bool:
        return self.clears or not fits_batch(self.path)

    @property
    def request(self) -> dict[str, Any]:
        """An element of a batch."""
        request: dict[str, Any] = {
            "method": self.method, "path": self.path, "headers": dict(self.condition)}
        if self.method != "DELETE":
            request["body"] = {"data": dict(self.data)}
        return request

    def as_create(self) -> Operation:
        """The same where there is no record any more."""
        return Operation(
            self.key, self.model, self.id, "create", self.data, "PUT", self.path,
            {"If-None-Match": "*"})


def read_operation(op: Mapping[str, Any], models: Models, kinto: Kinto) -> Operation:
    """Raises `Refused` for what Kinto has no place for."""
    try:
        model = models.model(op.get("model"))
    except Failure as failure:
        raise Refused(failure.message, "model") from None
    id, kind, base = op.get("id"), op.get("kind"), op.get("base_version")
    if model.key is None:
        raise Refused(f"{model.name} has a key of several fields, Kinto ids have one", "key")
    if not isinstance(id, str) or not ID.fullmatch(id):
        raise Refused(
            "a Kinto id is made of letters, digits, - and _", "id", model.key)
    changed, record = _members(op.get("set")), _members(op.get("record"))
    fields = {"update": changed, "delete": {}}.get(str(kind), record)
    _check(fields, changed, model, str(kind))
    data = model.data(fields)
    path = kinto.record_path(model.collection, id)
    is_known = isinstance(base, int) and not isinstance(base, bool) and base > 0
    # Without a base it has to meet what is there: a version that nothing has. (0 is none to Kinto.)
    condition = {"If-Match": f'"{base if is_known else 1}"'}
    if kind == "delete":
        return Operation(op["key"], model, id, kind, {}, "DELETE", path, condition)
    if kind == "update":
        clears = None in data.values()
        # A merge goes into objects, where a change replaces them.
        clears = clears and not any(isinstance(value, dict) for value in data.values())
        return Operation(op["key"], model, id, kind, data, "PATCH", path, condition, clears)
    if kind not in ("create", "replace"):
        raise Refused(f"Kinto knows no operation {str(kind)[:50]}", "kind")
    data = {name: value for name, value in data.items() if value is not None}
    if kind == "create" or not is_known:
        condition = {"If-None-Match": "*"}
    return Operation(op["key"], model, id, kind, data, "PUT", path, condition)


def _members(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _check(
    fields: Mapping[str, Any], changed: Mapping[str, Any], model: Model, kind: str
) -> None:
    for name, value in changed.items():
        if name in RESERVED and name != model.key and value is not None:
            raise Refused(f"{name} is Kinto's own: name the field otherwise", "reserved", name)
        # A record that is made anew may bring members along that others gave it.
        if name not in model.fields and kind == "update":
            raise Refused(f"{model.name} has no field {name[:100]}", "field", name)
    # An update answers for what it changes; a record that is made, for all of it.
    for name in fields if kind not in ("create", "replace") else {**model.fields, **fields}:
        field = model.fields.get(name, {})
        is_needed = field.get("required") and not field.get("read_only") and name != model.key
        if is_needed and fields.get(name) is None:
            raise Refused(f"{name} is required", "required", name)
