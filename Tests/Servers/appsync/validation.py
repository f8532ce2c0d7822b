"""Turns graphql-core's refusals of a document into AppSync's words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLSchema,
    Node,
    OperationDefinitionNode,
)

from .errors import JSON, locations

FIELD = re.compile(r"Cannot query field '(\w+)' on type '(\w+)'")
ARGUMENT = re.compile(r"Unknown argument '(\w+)' on field")
TYPE = re.compile(r"Unknown type '(\w+)'")
MISSING = re.compile(r"(?:Argument '\w+\.\w+\((\w+):\)'|Field '\w+' argument '(\w+)') of type .* "
                     r"(?:is )?required")
UNUSED = re.compile(r"Variable '\$(\w+)' is never used")
VARIABLE = re.compile(r"Variable '\$(\w+)' has invalid value(?: at \.?(\S+?))?: (.*)", re.DOTALL)
UNKNOWN_INPUT = re.compile(r"Expected value of type '(\w+)' not to include unknown field '(\w+)'")
ABSENT_INPUT = re.compile(r"Expected value of type '(\w+)' to include required field '(\w+)'")


def children(node: Node) -> Iterable[Node]:
    for name in node.keys:
        value: Any = getattr(node, name, None)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from (each for each in value if isinstance(each, Node))


def place(document: DocumentNode, target: Node) -> str:
    """Returns the fields above a node, as graphql-java writes them: `onDeletePost/title`."""

    def walk(node: Node, trail: tuple[str, ...]) -> tuple[str, ...] | None:
        if isinstance(node, FieldNode):
            trail = (*trail, node.name.value)
        if node is target:
            return trail
        for child in children(node):
            found = walk(child, trail)
            if found is not None:
                return found
        return None

    return "/".join(walk(document, ()) or ())


def validation_error(error: GraphQLError, document: DocumentNode) -> JSON:
    """Returns an item of `errors` for a document that does not fit the schema."""
    message = error.message
    where = place(document, error.nodes[0]) if error.nodes else ""
    if found := FIELD.match(message):
        text = (f"Validation error of type FieldUndefined: Field '{found[1]}' in type "
                f"'{found[2]}' is undefined @ '{where}'")
    elif found := ARGUMENT.match(message):
        text = f"Validation error of type UnknownArgument: Unknown field argument {found[1]} " \
               f"@ '{where}'"
    elif found := TYPE.match(message):
        text = f"Validation error of type UnknownType: Unknown type {found[1]}"
    elif found := MISSING.match(message):
        text = "Validation error of type MissingFieldArgument: Missing field argument " \
               f"{found[1] or found[2]} @ '{where}'"
    elif found := UNUSED.match(message):
        text = f"Validation error of type UnusedVariable: Unused variable {found[1]}"
    elif "must not have a selection" in message:
        text = f"Validation error of type SubSelectionNotAllowed: {message} @ '{where}'"
    elif "must have a selection" in message:
        text = f"Validation error of type SubSelectionRequired: {message} @ '{where}'"
    else:
        text = f"Validation error of type WrongType: {message} @ '{where}'"
    return {"path": None, "locations": locations(error), "message": text}


def variable_error(error: GraphQLError, schema: GraphQLSchema) -> JSON:
    """Returns an item of `errors` for variables that do not fit their types."""
    text = error.message
    found = VARIABLE.match(error.message)
    if found:
        name = (found[2] or found[1]).split(".")[-1]
        reason = found[3]
        if unknown := UNKNOWN_INPUT.match(reason):
            text = "The variables input contains a field name " \
                   f"'{unknown[2]}' that is not defined for input object type '{unknown[1]}' "
        elif absent := ABSENT_INPUT.match(reason):
            holder = schema.get_type(absent[1])
            assert isinstance(holder, GraphQLInputObjectType)
            text = f"Variable '{absent[2]}' has coerced Null value for NonNull type " \
                   f"'{holder.fields[absent[2]].type}'"
        elif "non-null type" in reason:
            kind = reason.split("'")[1].rstrip("!")
            text = f"Variable '{name}' has coerced Null value for NonNull type '{kind}!'"
        else:
            text = f"Variable '{name}' has an invalid value. {reason}"
    return {"path": None, "locations": locations(error), "message": text}


def root_fields(operation: OperationDefinitionNode) -> list[str]:
    return [each.name.value for each in operation.selection_set.selections
            if isinstance(each, FieldNode)]
