"""The control endpoint: `POST /__control` with a command, or a list of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

from aiohttp import web

from .api import Request
from .identity import Identity
from .issuer import Grant
from .outputs import amplify_outputs
from .seeds import records
from .server import Server
from .sigv4 import Credentials

JSON = dict[str, Any]


class Control:
    """Each method is a command; its parameters are the command's."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.commands: dict[str, Callable[..., JSON | Awaitable[JSON]]] = {
            "settings": self.settings, "clock": self.clock, "fault": self.fault,
            "faults": self.faults, "clear_faults": self.clear_faults, "journal": self.journal,
            "effects": self.effects, "events": self.events, "counters": self.counters,
            "clear": self.clear, "wait": self.wait, "seed": self.seed, "pages": self.pages,
            "put": self.put, "remove": self.remove, "records": self.records, "reset": self.reset,
            "fresh": self.fresh, "mint": self.mint, "expire_tokens": self.expire_tokens,
            "api_keys": self.api_keys, "credentials": self.credentials,
            "lambda_token": self.lambda_token, "refresh_token": self.refresh_token,
            "user": self.user, "modes": self.modes, "sockets": self.sockets,
            "drop_sockets": self.drop_sockets, "keep_alive": self.keep_alive, "schema": self.schema,
            "outputs": self.outputs,
        }

    async def handle(self, request: web.Request) -> web.Response:
        """Runs commands in order; the first that fails ends the list with a 400."""
        try:
            body = await request.json()
            several = isinstance(body, list)
            answers = [await self.run(each) for each in (body if several else [body])]
        except (ValueError, TypeError, KeyError) as error:
            return web.json_response({"error": f"{type(error).__name__}: {error}"}, status=400)
        return web.json_response(answers if several else answers[0])

    async def run(self, command: JSON) -> JSON:
        values = dict(command)
        name = values.pop("command", None)
        if name not in self.commands:
            raise ValueError(f"no command {name!r}; there are {', '.join(sorted(self.commands))}")
        answer = self.commands[name](**values)
        return await answer if asyncio.iscoroutine(answer) else answer  # type: ignore[return-value]

    def settings(self, **values: Any) -> JSON:
        return self.server.settings.change(values)

    def clock(self, offset_ms: int | None = None, advance_ms: int = 0) -> JSON:
        clock = self.server.clock
        clock.offset_ms = (clock.offset_ms if offset_ms is None else offset_ms) + advance_ms
        return {"offset_ms": clock.offset_ms, "now_ms": clock.now_ms()}

    def fault(self, **values: Any) -> JSON:
        return self.server.plan.add(values).describe()

    def faults(self) -> JSON:
        return {"faults": [each.describe() for each in self.server.plan.faults]}

    def clear_faults(self) -> JSON:
        self.server.plan.clear()
        return {}

    def journal(self, **search: Any) -> JSON:
        return {"entries": self.server.journal.find(**search)}

    def effects(self, model: str | None = None, key: list[Any] | None = None) -> JSON:
        return {"effects": [
            each for each in self.server.journal.effects
            if model in (None, each["model"]) and key in (None, each["key"])]}

    def events(self) -> JSON:
        return {"events": self.server.journal.events}

    def counters(self) -> JSON:
        journal = self.server.journal
        return dict(journal.counters) | {
            "in_flight": journal.in_flight, "max_in_flight": journal.max_in_flight,
            "subscriptions": len(self.server.hub.subscriptions),
            "open_sockets": len(self.server.connections)}

    def clear(self) -> JSON:
        self.server.journal.clear()
        return {}

    async def wait(self, counters: dict[str, int] | None = None,
                   subscriptions: int | None = None, open_sockets: int | None = None,
                   timeout: float = 10) -> JSON:
        """Waits until counters are at least, and the two others exactly, what is named."""
        def holds() -> bool:
            now = self.counters()
            return all(now.get(name, 0) >= least for name, least in (counters or {}).items()) \
                and subscriptions in (None, now["subscriptions"]) \
                and open_sockets in (None, now["open_sockets"])

        held = await self.server.journal.wait(holds, timeout)
        return {"held": held, "counters": self.counters()}

    def seed(self, model: str, count: int, start: int = 0, prefix: str = "") -> JSON:
        api = self.server.api
        made = records(api.amplify, api.amplify.models[model], count, start,
                       prefix or f"{model.lower()}-", api.flavour.conflict_detection,
                       self.server.clock.now_ms())
        api.store[model].fill(made)
        return {"records": len(api.store[model].records)}

    def pages(self, query: str, variables: JSON | None = None) -> JSON:
        """Keeps the pages of a query for whoever asks with a key, and lists their requests."""
        bodies, items, size = self.server.pages.walk(
            Request(query, variables or {}), Identity("apiKey"))
        return {"bodies": bodies, "items": items, "bytes": size}

    def put(self, model: str, record: JSON) -> JSON:
        """Writes past AppSync, as somebody does in the DynamoDB console: no version, no delta."""
        self.server.api.store[model].put(record, log=False)
        return {}

    def remove(self, model: str, key: list[Any]) -> JSON:
        """Deletes past AppSync: no tombstone."""
        removed = self.server.api.store[model].remove(tuple(key))
        return {"removed": removed is not None}

    def records(self, model: str) -> JSON:
        return {"records": list(self.server.api.store[model].records.values())}

    def reset(self, model: str | None = None) -> JSON:
        """Empties a table, or all, as if it had been made anew."""
        store = self.server.api.store
        for name in store.tables if model is None else [model]:
            store[name].clear()
        return {}

    def fresh(self) -> JSON:
        self.server.fresh()
        return {}

    def mint(self, **values: Any) -> JSON:
        return {"token": self.server.authorizer.tokens.mint(**values)}

    def expire_tokens(self, drop: bool = False) -> JSON:
        self.server.authorizer.tokens.expire_now()
        by_token = [each for each in self.server.connections
                    if each.identity and each.identity.mode in ("userPools", "oidc")]
        for connection in by_token if drop else []:
            connection.drop(1000)
        return {}

    def api_keys(self, keys: list[str] | None = None) -> JSON:
        registry = self.server.authorizer.registry
        if keys is not None:
            registry.api_keys = set(keys)
        return {"keys": sorted(registry.api_keys)}

    def credentials(self, access_key: str, secret_key: str,
                    session_token: str | None = None) -> JSON:
        """Lets a key pair in; with None for the secret, lets it in no more."""
        known = self.server.authorizer.registry.credentials
        known.pop(access_key, None)
        if secret_key is not None:
            known[access_key] = Credentials(access_key, secret_key, session_token)
        return {"access_keys": sorted(known)}

    def lambda_token(self, token: str, claims: JSON | None = None, allow: bool = True) -> JSON:
        tokens = self.server.authorizer.registry.lambda_tokens
        tokens.pop(token, None)
        if allow:
            tokens[token] = claims or {}
        return {"tokens": len(tokens)}

    def refresh_token(self, token: str, user: str = "alice", client_id: str = "testclient",
                      expires_in: float = 3_600, rotate: str | None = None) -> JSON:
        self.server.issuer.grants[token] = Grant(user, client_id, expires_in, rotate)
        return {"tokens": len(self.server.issuer.grants), "asked": self.server.issuer.asked}

    def user(self, name: str, password: str, wants: str | None = None) -> JSON:
        self.server.issuer.let_in(name, password, wants)
        return {}

    def modes(self, modes: list[str]) -> JSON:
        self.server.authorizer.registry.modes = tuple(modes)
        return {"modes": modes}

    def sockets(self) -> JSON:
        return {"sockets": [
            {"mode": each.identity.mode if each.identity else None,
             "subscriptions": sorted(each.subscribed), "path": each.request.path_qs.split("?")[0],
             "protocol": each.socket.ws_protocol, "way": each.entry.get("way")}
            for each in self.server.connections]}

    def drop_sockets(self, code: int | None = None) -> JSON:
        """Cuts every connection, or closes it with a code."""
        open_now = list(self.server.connections)
        for connection in open_now:
            connection.drop(code)
        return {"dropped": len(open_now)}

    def keep_alive(self, silent: bool = False, now: bool = False) -> JSON:
        for connection in self.server.connections:
            connection.silent = silent
            if now:
                connection.post({"type": "ka"})
        return {"connections": len(self.server.connections)}

    def schema(self) -> JSON:
        return {"sdl": self.server.api.sdl, "flavour": asdict(self.server.api.flavour)}

    def outputs(self, url: str) -> JSON:
        return amplify_outputs(self.server.api, url, self.server.authorizer.registry)
