"""Records made up for a model, the same ones each time."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .clock import iso
from .model import AmplifySchema, Field, Model, Record

DAY = 86_400_000


def moment(number: int) -> int:
    return 1_577_836_800_000 + number % 2_000 * DAY + number % 86_400 * 1_000


MAKERS: dict[str, Callable[[int], Any]] = {
    "Int": lambda number: number % 1_000,
    "Float": lambda number: number / 8,
    "Boolean": lambda number: number % 2 == 0,
    "AWSDate": lambda number: iso(moment(number))[:10],
    "AWSTime": lambda number: iso(moment(number))[11:],
    "AWSDateTime": lambda number: iso(moment(number)),
    "AWSTimestamp": lambda number: moment(number) // 1_000,
    "AWSEmail": lambda number: f"user{number}@example.com",
    "AWSJSON": lambda number: json.dumps({"number": number}),
    "AWSURL": lambda number: f"https://example.com/{number}",
    "AWSPhone": lambda number: f"+1 555 {number % 10_000_000:07d}",
    "AWSIPAddress": lambda number: f"192.0.{number // 256 % 256}.{number % 256}",
}


def value(schema: AmplifySchema, field: Field, number: int) -> Any:
    """Returns a value of a field's type for the record of that number."""
    if field.type.is_list:
        return [one(schema, field, number + each) for each in range(number % 3)]
    return one(schema, field, number)


def one(schema: AmplifySchema, field: Field, number: int) -> Any:
    name = field.type.name
    if field.kind == "enum":
        values = schema.enums[name]
        return values[number % len(values)]
    if field.kind == "nonmodel":
        return {each.name: value(schema, each, number)
                for each in schema.nonmodels[name].values()}
    make = MAKERS.get(name)
    return make(number) if make else f"{field.name} {number}"


def records(schema: AmplifySchema, model: Model, count: int, start: int, prefix: str,
            versioned: bool, now: int) -> list[Record]:
    """Returns `count` records; text keys are `prefix` and the number, in seven digits."""
    made = []
    stamps = {name: iso(now) for name in (model.created_at, model.updated_at) if name}
    fields = [field for field in model.stored() if field.name not in stamps]
    for number in range(start, start + count):
        record = {field.name: value(schema, field, number) for field in fields}
        for key in model.key:
            if model.fields[key].type.name in ("ID", "String"):
                record[key] = f"{prefix}{number:07d}"
        for name in [name for name in record if name.endswith(("ID", "Id"))]:
            if name not in model.key:
                record[name] = None
        record |= stamps
        if versioned:
            record |= {"_version": 1, "_lastChangedAt": now}
        made.append(record)
    return made
