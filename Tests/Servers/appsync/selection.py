"""What a selection set picks out of a value."""

from __future__ import annotations

from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    SelectionSetNode,
)

Fragments = dict[str, FragmentDefinitionNode]


def fragments_of(document: DocumentNode) -> Fragments:
    return {each.name.value: each for each in document.definitions
            if isinstance(each, FragmentDefinitionNode)}


def project(value: Any, selection: SelectionSetNode | None, fragments: Fragments,
            by_alias: bool) -> Any:
    """Returns the selected part of a value, under the fields' own names.

    `by_alias` says that the value is an answer, whose keys are aliases.
    """
    if value is None or selection is None:
        return value
    if isinstance(value, list):
        return [project(each, selection, fragments, by_alias) for each in value]
    picked: dict[str, Any] = {}
    for each in selection.selections:
        if isinstance(each, FieldNode):
            name = each.name.value
            key = each.alias.value if by_alias and each.alias else name
            if key in value:
                picked[name] = project(value[key], each.selection_set, fragments, by_alias)
        elif isinstance(each, InlineFragmentNode):
            picked |= project(value, each.selection_set, fragments, by_alias)
        elif isinstance(each, FragmentSpreadNode):
            body = fragments[each.name.value].selection_set
            picked |= project(value, body, fragments, by_alias)
    return picked
