"""Filters and conditions, as DynamoDB and the subscription engine judge them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .model import Record

Filter = dict[str, Any]


def _comparable(left: Any, right: Any) -> bool:
    number = (int, float)
    if isinstance(left, bool) or isinstance(right, bool):
        return isinstance(left, bool) and isinstance(right, bool)
    return (isinstance(left, str) and isinstance(right, str)) or (
        isinstance(left, number) and isinstance(right, number))


def _contains(value: Any, wanted: Any) -> bool:
    if isinstance(value, list):
        return wanted in value
    return isinstance(value, str) and isinstance(wanted, str) and wanted in value


def _attribute_type(value: Any) -> str:
    if value is None:
        return "_null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, list):
        return "list"
    return "map" if isinstance(value, dict) else "string"


def _between(value: Any, bounds: list[Any]) -> bool:
    return (len(bounds) == 2 and _comparable(value, bounds[0])
            and _comparable(value, bounds[1]) and bounds[0] <= value <= bounds[1])


# Each takes the attribute, which is not None, and the operand.
PRESENT: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, wanted: value == wanted,
    "le": lambda value, wanted: _comparable(value, wanted) and value <= wanted,
    "lt": lambda value, wanted: _comparable(value, wanted) and value < wanted,
    "ge": lambda value, wanted: _comparable(value, wanted) and value >= wanted,
    "gt": lambda value, wanted: _comparable(value, wanted) and value > wanted,
    "contains": _contains,
    "notContains": lambda value, wanted: not _contains(value, wanted),
    "between": _between,
    "beginsWith": lambda value, wanted: isinstance(value, str) and value.startswith(wanted),
    "in": lambda value, wanted: value in wanted,
    "notIn": lambda value, wanted: value not in wanted,
    "size": lambda value, wanted: isinstance(value, (str, list)) and all(
        operator_holds(name, len(value), operand) for name, operand in wanted.items()),
}


def operator_holds(name: str, value: Any, wanted: Any) -> bool:
    """Says whether one operator holds; an absent attribute only differs, or does not exist."""
    if name == "attributeExists":
        return (value is not None) == bool(wanted)
    if name == "attributeType":
        return _attribute_type(value) == str(wanted)
    if name == "ne":
        return not value == wanted
    if value is None:
        return name == "notContains"
    return bool(PRESENT[name](value, wanted))


def matches(item: Record, condition: Filter | None) -> bool:
    """Says whether an item fulfils a filter; an empty filter is fulfilled."""
    for name, operand in (condition or {}).items():
        if operand is None:
            continue
        if name == "and":
            if not all(matches(item, each) for each in as_list(operand)):
                return False
        elif name == "or":
            if operand and not any(matches(item, each) for each in as_list(operand)):
                return False
        elif name == "not":
            if matches(item, operand):
                return False
        elif not all(operator_holds(operator, item.get(name), wanted)
                     for operator, wanted in operand.items()):
            return False
    return True


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def combinations(condition: Filter | None) -> list[list[tuple[str, str]]]:
    """Returns a filter's alternatives, each a list of (field, operator): its disjunctive form."""
    result: list[list[tuple[str, str]]] = [[]]
    for name, operand in (condition or {}).items():
        if operand is None:
            continue
        if name == "or":
            branches = [one for each in as_list(operand) for one in combinations(each)]
        elif name == "and":
            branches = [[]]
            for each in as_list(operand):
                branches = [a + b for a in branches for b in combinations(each)]
        else:
            branches = [[(name, operator) for operator in operand]]
        result = [a + b for a in result for b in branches]
    return result
