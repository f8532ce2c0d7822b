"""The filter inputs that every generated API shares."""

from __future__ import annotations

from .model import Field

COMPARE = ("ne", "eq", "le", "lt", "ge", "gt")
SHARED = """
enum ModelAttributeTypes {
  binary
  binarySet
  bool
  list
  map
  number
  numberSet
  string
  stringSet
  _null
}

enum ModelSortDirection {
  ASC
  DESC
}

input ModelSizeInput {
  ne: Int
  eq: Int
  le: Int
  lt: Int
  ge: Int
  gt: Int
  between: [Int]
}
"""


def _input(name: str, fields: dict[str, str]) -> str:
    return f"input {name} {{\n" + "".join(f"  {k}: {v}\n" for k, v in fields.items()) + "}\n"


def _common() -> str:
    parts = [SHARED]
    for kind in ("String", "ID", "Int", "Float", "Boolean"):
        text = kind in ("String", "ID")
        names = ("ne", "eq") if kind == "Boolean" else COMPARE
        fields = dict.fromkeys(names, kind)
        if text:
            fields |= {"contains": kind, "notContains": kind}
        if kind != "Boolean":
            fields["between"] = f"[{kind}]"
        if text:
            fields["beginsWith"] = kind
        stored = fields | {"attributeExists": "Boolean", "attributeType": "ModelAttributeTypes"}
        if text:
            stored["size"] = "ModelSizeInput"
        live = dict(fields)
        if kind != "Boolean":
            live |= {"in": f"[{kind}]", "notIn": f"[{kind}]"}
        parts.append(_input(f"Model{kind}Input", stored))
        parts.append(_input(f"ModelSubscription{kind}Input", live))
        if kind != "Boolean":
            sort = {name: kind for name in ("eq", "le", "lt", "ge", "gt")}
            sort["between"] = f"[{kind}]"
            if text:
                sort["beginsWith"] = kind
            parts.append(_input(f"Model{kind}KeyConditionInput", sort))
    return "\n".join(parts)


COMMON_INPUTS = _common()


def enum_inputs(name: str) -> str:
    plain = _input(f"Model{name}Input", {"eq": name, "ne": name})
    many = _input(f"Model{name}ListInput", {
        "eq": f"[{name}]", "ne": f"[{name}]", "contains": name, "notContains": name})
    return plain + "\n" + many


def scalar_kind(scalar: str) -> str:
    """Returns which filter input a scalar uses: dates and texts are strings."""
    if scalar in ("ID", "Int", "Float", "Boolean"):
        return scalar
    return "Int" if scalar == "AWSTimestamp" else "String"


def filter_input(field: Field) -> str | None:
    """Returns a field's line in a filter input; None for custom types, which have none."""
    if field.kind == "nonmodel":
        return None
    if field.kind == "enum":
        return f"{field.name}: Model{field.type.name}{'List' if field.type.is_list else ''}Input"
    return f"{field.name}: Model{scalar_kind(field.type.name)}Input"


def subscription_input(field: Field) -> str | None:
    if field.kind == "nonmodel":
        return None
    kind = "String" if field.kind == "enum" else scalar_kind(field.type.name)
    return f"{field.name}: ModelSubscription{kind}Input"
