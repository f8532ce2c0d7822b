"""Answers kept whole, for measuring clients rather than this server."""

from __future__ import annotations

import json
from dataclasses import replace

from .api import Api, Request
from .identity import Identity


class PageCache:
    """Keeps the bytes of a query's answer until any table changes."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self._revision = -1
        self._kept: dict[tuple[str, str, str], bytes] = {}

    def walk(self, request: Request, identity: Identity) -> tuple[list[str], int, int]:
        """Keeps every page of a query, and returns the requests, the items and the bytes."""
        _, (field, *_) = self.api.describe(request)
        bodies, items, size = [], 0, 0
        while True:
            bodies.append(json.dumps({"query": request.query, "variables": request.variables}))
            body = self.answer(request, identity)
            page = json.loads(body)["data"][field]
            items, size = items + len(page["items"]), size + len(body)
            if page["nextToken"] is None:
                return bodies, items, size
            request = replace(request, variables={
                **request.variables, "nextToken": page["nextToken"]})

    def answer(self, request: Request, identity: Identity) -> bytes:
        revision = self.api.store.revision
        if revision != self._revision:
            self._kept.clear()
            self._revision = revision
        caller = f"{identity.mode}:{json.dumps(identity.claims, sort_keys=True)}"
        key = (request.query, json.dumps(request.variables, sort_keys=True), caller)
        body = self._kept.get(key)
        if body is None:
            body = self._kept[key] = self.api.execute(request, identity).body()
        return body
