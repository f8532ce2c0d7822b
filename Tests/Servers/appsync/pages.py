"""Answers kept whole, for measuring clients rather than this server."""

from __future__ import annotations

import json

from graphql import FieldNode, OperationDefinitionNode, SelectionSetNode

from .api import Api, Request
from .identity import Identity
from .model import Model


class PageCache:
    """Keeps the bytes of a query's answer until any table changes."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self._revision = -1
        self._kept: dict[tuple[str, str, str], bytes] = {}
        self._models = {name: model for model in api.amplify.models.values()
                        for name in (model.operations.list, model.operations.sync) if name}

    def answer(self, request: Request, identity: Identity) -> bytes:
        revision = self.api.store.revision
        if revision != self._revision:
            self._kept.clear()
            self._revision = revision
        caller = f"{identity.mode}:{json.dumps(identity.claims, sort_keys=True)}"
        key = (request.query, json.dumps(request.variables, sort_keys=True), caller)
        body = self._kept.get(key)
        if body is None:
            body = self._plain(request, identity)
            if body is None:
                body = self.api.execute(request, identity).body()
            self._kept[key] = body
        return body

    def _plain(self, request: Request, identity: Identity) -> bytes | None:
        """Answers a page of plain fields without running each through graphql-core.

        The page itself comes from the usual resolver, asked for everything but the items. None
        where the query is not that plain, or an item lacks what it must have.
        """
        prepared = self.api.prepare(request.query)
        operation = prepared.operation(request.operation_name)
        if prepared.refusals or operation is None:
            return None
        root = plain_fields(operation.selection_set)
        if root is None or len(root) != 1 or root[0].name.value not in self._models:
            return None
        model = self._models[root[0].name.value]
        parts = plain_fields(root[0].selection_set)
        if parts is None or any(part.arguments for part in parts):
            return None
        names = [part.name.value for part in parts]
        items = next((part for part in parts if part.name.value == "items"), None)
        fields = leaves(model, items.selection_set) if items else None
        if fields is None or set(names) - {"items", "nextToken", "startedAt"}:
            return None
        answer = self.api.execute(Request(
            without_items(request.query, operation, root[0]), request.variables), identity)
        if answer.errors:
            return None
        rows = [{name: each.get(name) for name in fields} for each in answer.page["items"]]
        required = [name for name in fields if is_required(model, name)]
        if any(row[name] is None for row in rows for name in required):
            return None
        page = {name: rows if name == "items" else answer.page[name] for name in names}
        text = json.dumps({"data": {root[0].name.value: page}}, separators=(",", ":"),
                          ensure_ascii=False)
        return text.encode()


def without_items(query: str, operation: OperationDefinitionNode, root: FieldNode) -> str:
    """Returns the query that asks for a page's token alone."""
    assert operation.loc and root.loc and root.selection_set and root.selection_set.loc
    head = query[operation.loc.start:root.selection_set.loc.start]
    return head + "{ nextToken } }"


def plain_fields(selection: SelectionSetNode | None) -> list[FieldNode] | None:
    """Returns the fields of a selection; None where it has aliases, directives, fragments."""
    found = []
    for each in selection.selections if selection else ():
        if not isinstance(each, FieldNode) or each.alias or each.directives:
            return None
        found.append(each)
    return found


def leaves(model: Model, selection: SelectionSetNode | None) -> list[str] | None:
    """Returns the names to pick of each item; None where one of them has to be resolved."""
    found = []
    for each in plain_fields(selection) or ():
        name = each.name.value
        field = model.fields.get(name)
        if field is None and name not in ("_version", "_deleted", "_lastChangedAt"):
            return None
        if field and (field.kind in ("model", "nonmodel") or field.rules):
            return None
        found.append(name)
    return found or None


def is_required(model: Model, name: str) -> bool:
    field = model.fields.get(name)
    return field.type.required if field else name != "_deleted"
