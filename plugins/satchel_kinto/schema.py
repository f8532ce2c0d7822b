"""The models that a bucket describes: the JSON schemas of its collections."""

from __future__ import annotations

import re
from typing import Any, Mapping

from satchel_protocol.failure import Failure
from satchel_protocol.jobs import Job

from .kinto import Kinto
from .models import RESERVED
from .reply import Reply

MODEL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
SCALARS = {"string": "String", "integer": "Int", "number": "Float", "boolean": "Boolean"}
FORMATS = {
    "date": "AWSDate", "time": "AWSTime", "date-time": "AWSDateTime", "email": "AWSEmail",
    "uri": "AWSURL", "ipv4": "AWSIPAddress", "ipv6": "AWSIPAddress",
}
LARGEST_LIST = 50


def schema(job: Job, kinto: Kinto, log: Any) -> dict[str, Any]:
    """The result of `schema`; raises `Failure`, kind `unsupported`, where none is described."""
    collections = _collections(job, kinto)
    names = {collection: model for model, collection in kinto.settings.collections.items()}
    models: list[dict[str, Any]] = []
    enums: dict[str, list[str]] = {}
    for data in collections:
        described, id = data.get("schema"), str(data.get("id"))
        if not isinstance(described, dict) or not isinstance(described.get("properties"), dict):
            continue
        name = names.get(id, id)
        if not MODEL_NAME.fullmatch(name):
            log("warning", f"the collection {id} is left out: set collections to MODEL={id}")
            continue
        models.append(_model(name, described, enums))
    if not models:
        raise Failure(
            "unsupported",
            f"none of the {len(collections)} collections of the bucket {kinto.settings.bucket} has "
            "a JSON schema: write the models yourself, in schema.graphql")
    return {"models": models, "enums": enums, "types": {}}


def _collections(job: Job, kinto: Kinto) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    query: dict[str, Any] = {"_sort": "id", "_limit": 100}
    for _ in range(LARGEST_LIST):
        reply = kinto.get(job, f"{kinto.bucket_path}/collections", query)
        if reply.status != 200 or not isinstance(reply.data, list):
            raise _refusal(job, kinto, reply)
        page = [data for data in reply.data if isinstance(data, dict)]
        found += page
        if reply.next_token is None:
            break
        query["_token"] = reply.next_token
    return found


def _refusal(job: Job, kinto: Kinto, reply: Reply) -> Failure:
    if reply.status != 403:
        return kinto.failure(reply, f"the collections of {kinto.settings.bucket}")
    return kinto.denial(job, reply, "any")


def _model(
    name: str, described: Mapping[str, Any], enums: dict[str, list[str]]
) -> dict[str, Any]:
    required = described.get("required")
    required = required if isinstance(required, list) else []
    fields: list[dict[str, Any]] = [{"name": "id", "type": "ID", "required": True}]
    for key, value in described["properties"].items():
        if key in RESERVED or not MODEL_NAME.fullmatch(key) or not isinstance(value, dict):
            continue
        fields.append({**_field(name, key, value, enums), "required": key in required})
    return {"name": name, "key": ["id"], "fields": fields, "relations": []}


def _field(
    model: str, name: str, described: Mapping[str, Any], enums: dict[str, list[str]]
) -> dict[str, Any]:
    field: dict[str, Any] = {"name": name, "type": _type(model, name, described, enums)}
    if _kind(described) == "array":
        items = described.get("items")
        items = items if isinstance(items, dict) else {}
        if _kind(items) in SCALARS:
            field.update(type=_type(model, name, items, enums), list=True)
    if described.get("readOnly") is True:
        field["read_only"] = True
    return field


def _type(
    model: str, name: str, described: Mapping[str, Any], enums: dict[str, list[str]]
) -> str:
    values = described.get("enum")
    if isinstance(values, list) and values and all(_is_enum_value(value) for value in values):
        enum = f"{model}{name[:1].upper()}{name[1:]}"
        enums[enum] = values
        return enum
    kind = _kind(described)
    if kind == "string":
        return FORMATS.get(str(described.get("format")), "String")
    return SCALARS.get(kind, "AWSJSON")


def _kind(described: Mapping[str, Any]) -> str:
    """The type, where `["string", "null"]` is one that may be missing."""
    kind = described.get("type")
    if isinstance(kind, list):
        kinds = [each for each in kind if each != "null"]
        kind = kinds[0] if len(kinds) == 1 else None
    return kind if isinstance(kind, str) else ""


def _is_enum_value(value: Any) -> bool:
    return isinstance(value, str) and MODEL_NAME.fullmatch(value) is not None
