"""The HTTP face: requests in, answers and faults out."""

from __future__ import annotations

import asyncio
import json
import uuid
from copy import deepcopy
from dataclasses import asdict, dataclass
from typing import Any

from aiohttp import web

from .api import Answer, Api, Request, malformed, read_request
from .authorizer import Authorizer
from .clock import Clock
from .errors import HTTPFailure, unauthorized_exception
from .faults import Fault, FaultPlan
from .hub import Hub
from .issuer import Issuer
from .journal import Entry, Journal, masked
from .pages import PageCache
from .realtime import Connection
from .settings import Settings
from .sigv4 import SignedRequest


class Server:
    """Serves one API, with its faults, journal and real-time connections."""

    def __init__(self, api: Api, authorizer: Authorizer, settings: Settings,
                 clock: Clock) -> None:
        self.api = api
        self.authorizer = authorizer
        self.settings = settings
        self.clock = clock
        self.plan = FaultPlan()
        self.journal = Journal()
        self.hub = Hub(api, self.plan, self.journal)
        self.pages = PageCache(api)
        self.issuer = Issuer(authorizer.tokens)
        self.connections: set[Connection] = set()
        # What `fresh` goes back to.
        self._launched = asdict(settings)
        self._registry = deepcopy(authorizer.registry)
        # How often it has been made as new.
        self.age = 0

    def fresh(self) -> None:
        """Makes the server as it was when it started, but for its port and its token keys."""
        self.age += 1
        for connection in list(self.connections):
            connection.drop()
        self.api.store.clear()
        self.plan.clear()
        self.journal.clear()
        self.settings.change(self._launched)
        self.clock.offset_ms = 0
        self.authorizer.registry = deepcopy(self._registry)
        self.issuer.grants = {}
        self.issuer.users = {}

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/graphql", self.post),
            web.get("/graphql", self.get),
            web.get("/graphql/realtime", self.realtime),
            *self.issuer.routes(),
        ]

    async def get(self, request: web.Request) -> web.StreamResponse:
        """A socket on the real-time host's path, or a query in the address."""
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return await self.realtime(request)
        values = {"query": request.query.get("query"),
                  "variables": json.loads(request.query.get("variables", "{}")),
                  "operationName": request.query.get("operationName")}
        return await self._serve(request, json.dumps(values).encode(), b"")

    async def post(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        return await self._serve(request, body, body)

    async def realtime(self, request: web.Request) -> web.StreamResponse:
        fault = self.plan.take("connect", ["handshake"]) if self._refuses() else None
        if fault:
            return web.Response(status=int(fault.number("status", 503)))
        self.journal.count("sockets")
        connection = Connection(request, self.hub, self.authorizer, self.plan, self.journal,
                                self.settings)
        connection.entry = self.journal.add({
            "channel": "connect", "operation": None, "kind": None, "fields": [], "query": None,
            "variables": None, "headers": masked(request.headers), "path": request.path,
            "fault": None})
        self.connections.add(connection)
        try:
            return await connection.serve()
        finally:
            self.connections.discard(connection)
            self.journal.count("sockets_closed")

    def _refuses(self) -> bool:
        due = [each for each in self.plan.faults
               if each.on == "connect" and each.struck < each.count]
        return bool(due) and due[0].type == "refuse"

    async def _serve(self, request: web.Request, body: bytes, signed: bytes) -> (
            web.StreamResponse):
        age = self.journal.enter()
        try:
            if self.settings.latency_ms:
                await asyncio.sleep(self.settings.latency_ms / 1000)
            exchange = Exchange(self, request, body, signed)
            return await exchange.run()
        finally:
            self.journal.leave(age)


@dataclass
class Exchange:
    """One request and its answer."""

    server: Server
    http: web.Request
    body: bytes
    signed: bytes

    async def run(self) -> web.StreamResponse:
        request, kind, fields, failure = self._read()
        names = [request.operation_name or "", *fields] if request else []
        fault = self.server.plan.take("request", names, kind)
        entry: Entry = {
            "channel": "http", "operation": request.operation_name if request else None,
            "kind": kind, "fields": fields, "query": request.query if request else None,
            "variables": request.variables if request else None,
            "headers": masked(self.http.headers), "fault": fault.type if fault else None,
            "at": self.server.clock.iso(), "status": None, "errors": [], "effects": [],
        }
        if self.server.settings.journal:
            self.server.journal.add(entry)
        try:
            if fault:
                early = await self._before(fault)
                if early is not None:
                    entry["status"] = early.status
                    return early
            if len(self.body) > self.server.settings.request_bytes:
                raise too_large()
            identity = self.server.authorizer.identify(self._signed_request())
            entry["mode"] = identity.mode
            if failure or request is None:
                raise failure or malformed("Unable to parse GraphQL query.")
            if kind == "subscription":
                raise HTTPFailure(400, "BadRequestException",
                                  "Subscriptions go over the real-time endpoint.")
            if fault:
                request.fault = fault.field_fault()
                request.empty_page = fault.type == "empty_page"
                request.ignore_last_sync = fault.type == "base_sync"
            if fault is None and self.server.settings.cache_pages and kind == "query":
                kept = self.server.pages.answer(request, identity)
                entry["status"] = 200
                return self._response(200, kept)
            answer = self.server.api.execute(request, identity)
            return await self._answer(answer, fault, entry)
        except HTTPFailure as failed:
            entry["status"] = failed.status
            entry["errors"] = [failed.error_type]
            return self._failure(failed)
        finally:
            self.server.journal.count(
                "requests", *(f"request:{name}" for name in fields),
                *(f"applied:{each['field']}" for each in entry["effects"]))

    def _read(self) -> tuple[Request | None, str | None, list[str], HTTPFailure | None]:
        try:
            request = read_request(self.body)
        except HTTPFailure as failure:
            return None, None, [], failure
        try:
            kind, fields = self.server.api.describe(request)
        except HTTPFailure as failure:
            return request, None, [], failure
        return request, kind, fields, None

    def _signed_request(self) -> SignedRequest:
        headers = {name.lower(): value for name, value in self.http.headers.items()}
        return SignedRequest(self.http.method, self.http.path,
                             self.http.rel_url.raw_query_string, headers, self.signed)

    async def _before(self, fault: Fault) -> web.StreamResponse | None:
        """Does what a fault does before the request has any effect."""
        if fault.type == "delay":
            self.server.journal.count("delayed")
            age = self.server.age
            await asyncio.sleep(fault.number("seconds", 1))
            if age != self.server.age:
                # Whoever asked is gone: it must have no effect on the one after.
                raise HTTPFailure(503, "ServiceUnavailable", "The server was made as new.")
        elif fault.type == "status":
            return self._status(fault)
        elif fault.type == "cut_before":
            return self._cut()
        elif fault.type == "too_large":
            raise too_large()
        elif fault.type == "unauthorized":
            raise unauthorized_exception(fault.text("message", "Token has expired."))
        return None

    async def _answer(self, answer: Answer, fault: Fault | None,
                      entry: Entry) -> web.StreamResponse:
        for change in answer.changes:
            entry["effects"].append(self.server.journal.apply(change, entry["fields"]))
        if fault and fault.type == "partial":
            make_partial(answer, fault)
        for change in answer.changes:
            self.server.hub.publish(change, answer)
        entry["errors"] = [each.get("errorType") or "Validation" for each in answer.errors]
        body = answer.body()
        if len(body) > self.server.settings.response_bytes:
            body = oversized(answer).body()
        entry["status"] = 200
        kind = fault.type if fault else None
        if kind == "cut_after":
            return self._cut()
        if kind == "malformed":
            body = body[: len(body) // 2]
        if kind == "cut_during":
            return await self._cut_during(body)
        return self._response(200, body)

    def _status(self, fault: Fault) -> web.Response:
        status = int(fault.number("status", 503))
        kinds = {429: ("TooManyRequestsException", "Rate exceeded"),
                 503: ("ServiceUnavailableException", "The service is not available."),
                 401: ("UnauthorizedException", "You are not authorized to make this call.")}
        kind, message = kinds.get(status, ("InternalFailureException", "Internal failure."))
        body = fault.values.get("body", HTTPFailure(status, kind, message).body())
        text = body if isinstance(body, str) else json.dumps(body)
        response = self._response(status, text.encode())
        if isinstance(body, str):
            response.headers["Content-Type"] = "text/html"
        if "retry_after" in fault.values:
            response.headers["Retry-After"] = str(fault.values["retry_after"])
        return response

    def _failure(self, failure: HTTPFailure) -> web.Response:
        response = self._response(failure.status, json.dumps(failure.body()).encode())
        response.headers["x-amzn-ErrorType"] = failure.error_type
        return response

    def _response(self, status: int, body: bytes) -> web.Response:
        return web.Response(status=status, body=body, headers=self._headers())

    def _headers(self) -> dict[str, str]:
        return {"Content-Type": "application/json;charset=UTF-8",
                "Date": self.server.clock.http_date(), "x-amzn-RequestId": str(uuid.uuid4())}

    def _cut(self) -> web.Response:
        if self.http.transport:
            self.http.transport.abort()
        return web.Response(status=200)

    async def _cut_during(self, body: bytes) -> web.StreamResponse:
        """Sends half of an answer that says how long it is, then hangs up."""
        response = web.StreamResponse(
            headers=self._headers() | {"Content-Length": str(len(body))})
        await response.prepare(self.http)
        await response.write(body[: len(body) // 2])
        if self.http.transport:
            self.http.transport.close()
        return response


def too_large() -> HTTPFailure:
    return HTTPFailure(413, "RequestEntityTooLargeException", "Request size exceeded 1 MB limit")


def oversized(answer: Answer) -> Answer:
    """Returns what is left of an answer that is over the limit."""
    fields = list(answer.data or {})
    return Answer(dict.fromkeys(fields), [{
        "path": [name], "data": None, "errorType": "MappingTemplate", "errorInfo": None,
        "locations": None, "message": "Transformation too large."} for name in fields])


def make_partial(answer: Answer, fault: Fault) -> None:
    """Nulls parts of an answer, each with an error of its own beside the rest of the data."""
    for path in fault.values.get("paths") or first_items(answer.data):
        # With `depth` null takes the place of what is so deep, as where what is below may not be null.
        nulled = path[:fault.values.get("depth")]
        holder: Any = answer.data
        for part in nulled[:-1]:
            holder = holder[part]
        holder[nulled[-1]] = None
        answer.errors.append({
            "path": path, "data": None,
            "errorType": fault.text("error_type", "Unauthorized"), "errorInfo": None,
            "locations": None,
            "message": fault.text("message", f"Not Authorized to access {path[-1]}")})


def first_items(data: Any) -> list[list[str | int]]:
    return [[name, "items", 0] for name, page in (data or {}).items()
            if isinstance(page, dict) and page.get("items")]
