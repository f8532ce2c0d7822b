"""Runs documents with a short way for the plain fields of records, which are most of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graphql import (
    GraphQLObjectType,
    GraphQLSchema,
    get_nullable_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
)
from graphql.execution import Executor
from graphql.pyutils import Path

LEAVES = "leaves"
# What needs no look, of these scalars: it is served as it is stored.
SOUND = {"String": str, "ID": str, "Boolean": bool, "Float": float}


@dataclass(frozen=True)
class Leaf:
    """How a field is served that holds a value as it is stored."""

    coerce: Callable[[Any], Any]
    sound: type | None
    many: bool
    required: bool

    def serve(self, value: Any) -> Any:
        """Returns the value as answers have it; None where the usual way has to look at it."""
        if type(value) is self.sound and not self.many:
            return value
        try:
            found = [self.coerce(each) for each in value] if self.many else self.coerce(value)
        except Exception:  # The usual way makes the error that belongs here.
            return None
        return None if self.many and None in found else found


def find_leaves(schema: GraphQLSchema) -> None:
    """Notes the plain fields of each type: no resolver, no arguments, no parts."""
    found: dict[str, dict[str, Leaf]] = {}
    for name, kind in schema.type_map.items():
        if name.startswith("__") or not is_object_type(kind):
            continue
        found[name] = {}
        for field_name, field in kind.fields.items():
            inner: Any = get_nullable_type(field.type)
            many = is_list_type(inner)
            element: Any = get_nullable_type(inner.of_type) if many else inner
            if field.resolve is None and not field.args and is_leaf_type(element):
                found[name][field_name] = Leaf(
                    element.coerce_output_value, SOUND.get(element.name), many,
                    is_non_null_type(field.type))
    schema.extensions = {**schema.extensions, LEAVES: found}


class RecordExecutor(Executor[Any]):
    """Serves a sound value of a plain field at once; all else goes the usual way."""

    def execute_fields(self, parent_type: GraphQLObjectType, source_value: Any,
                       path: Path | None, grouped_field_set: Any, position_context: Any) -> Any:
        leaves = self.schema.extensions[LEAVES].get(parent_type.name)
        if not leaves or not source_value:
            return super().execute_fields(parent_type, source_value, path, grouped_field_set,
                                          position_context)
        results: dict[str, Any] = {}
        for response_name, details in grouped_field_set.items():
            name = details[0].node.name.value
            leaf = leaves.get(name)
            value = source_value.get(name) if leaf else None
            if leaf and value is None and not leaf.required:
                results[response_name] = None
                continue
            found = leaf.serve(value) if leaf and value is not None else None
            if found is None:
                found = self.execute_field(
                    parent_type, source_value, details,
                    Path(path, response_name, parent_type.name), position_context)
            results[response_name] = found
        return results
