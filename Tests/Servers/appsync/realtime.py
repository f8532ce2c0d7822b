"""One real-time connection: AppSync's `graphql-ws` over a WebSocket.

https://docs.aws.amazon.com/appsync/latest/devguide/real-time-websocket-client.html
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from typing import Any

from aiohttp import WSMsgType, web

from .api import Request, read_request
from .authorizer import Authorizer, decode_header, message_request
from .errors import HTTPFailure
from .faults import FaultPlan
from .hub import Hub, Message
from .identity import Identity
from .journal import Journal, masked
from .settings import Settings
from .sigv4 import ALGORITHM, SignedRequest

PROTOCOL = "graphql-ws"


class Connection:
    """Speaks with one client until either side leaves."""

    def __init__(self, request: web.Request, hub: Hub, authorizer: Authorizer,
                 plan: FaultPlan, journal: Journal, settings: Settings) -> None:
        self.request = request
        self.hub = hub
        self.authorizer = authorizer
        self.plan = plan
        self.journal = journal
        self.settings = settings
        self.socket = web.WebSocketResponse(protocols=(PROTOCOL,), max_msg_size=1_048_576)
        self.identity: Identity | None = None
        self.subscribed: set[str] = set()
        self.silent = False
        # The journal's entry of this connection.
        self.entry: Message = {}
        self._outgoing: asyncio.Queue[Message | str | None] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()

    def post(self, message: Message | str) -> None:
        """Puts a message in the queue; messages leave in that order."""
        self._outgoing.put_nowait(message)

    async def serve(self) -> web.StreamResponse:
        await self.socket.prepare(self.request)
        self._start(self._write())
        try:
            async for message in self.socket:
                if message.type is WSMsgType.TEXT:
                    self._receive(message.data)
        finally:
            self.hub.unsubscribe(self)
            for task in self._tasks:
                task.cancel()
        return self.socket

    def drop(self, code: int | None = None) -> None:
        """Ends the connection: with a close frame, or, without a code, by cutting it."""
        self.hub.unsubscribe(self)
        if code is None:
            if self.request.transport:
                self.request.transport.abort()
            return
        self._start(self._close(code))

    async def _close(self, code: int) -> None:
        await self.socket.close(code=code)

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _write(self) -> None:
        with contextlib.suppress(ConnectionError):
            while (message := await self._outgoing.get()) is not None:
                text = message if isinstance(message, str) else json.dumps(
                    message, separators=(",", ":"), ensure_ascii=False)
                begun = time.time_ns()
                await self.socket.send_str(text)
                if isinstance(message, dict) and message["type"] == "data":
                    self.journal.sent(message, begun)
        await self.socket.close(code=1000)

    def _receive(self, text: str) -> None:
        try:
            message = json.loads(text)
            kind = message["type"]
        except (ValueError, KeyError, TypeError):
            self._error(None, [{"errorType": "UnsupportedOperation",
                                "message": "Operation not supported through the realtime channel"}])
            return
        if kind == "connection_init":
            self._connect()
        elif kind == "start":
            self._subscribe(message)
        elif kind == "stop":
            number = str(message.get("id"))
            self.subscribed.discard(number)
            self.hub.unsubscribe(self, number)
            self.post({"id": number, "type": "complete"})
        else:
            self._error(message.get("id"), [{
                "errorType": "UnsupportedOperation",
                "message": f"Operation {kind} not supported through the realtime channel"}])

    def _connect(self) -> None:
        fault = self.plan.take("connect", ["connection_init"])
        try:
            if self.socket.ws_protocol != PROTOCOL:
                raise HTTPFailure(400, "NoProtocolError", "No protocol graphql-ws was offered.")
            self.identity = self.authorizer.identify(self._handshake())
            if fault and fault.type == "error":
                raise HTTPFailure(int(fault.number("code", 500)),
                                  fault.text("error_type", "InternalFailure"),
                                  fault.text("message", "A fault of the test."))
        except HTTPFailure as failure:
            self.post({"type": "connection_error", "payload": {"errors": [{
                "errorType": failure.error_type, "message": failure.message,
                "errorCode": failure.status}]}})
            self._outgoing.put_nowait(None)
            return
        if fault and fault.type == "no_ack":
            return
        self.journal.count("connected")
        self.post({"type": "connection_ack", "payload": {
            "connectionTimeoutMs": self.settings.connection_timeout_ms}})
        self._start(self._keep_alive())

    async def _keep_alive(self) -> None:
        while True:
            if not self.silent:
                self.post({"type": "ka"})
            await asyncio.sleep(self.settings.ka_interval_ms / 1000)

    def _handshake(self) -> SignedRequest:
        """Returns what authorises the connection: of three places, the first that has it."""
        offered = self.request.headers.get("Sec-WebSocket-Protocol", "")
        named = [each.strip() for each in offered.split(",")]
        header = self.request.query.get("header") or next(
            (each.removeprefix("header-") for each in named if each.startswith("header-")), None)
        if header is not None:
            values = decode_header(header)
            self.entry["way"] = "query" if "header" in self.request.query else "subprotocol"
            self.entry["headers"] = masked({name: str(value) for name, value in values.items()})
            return message_request(values, "/graphql/connect", "{}")
        self.entry["way"] = "headers"
        headers = {name.lower(): value for name, value in self.request.headers.items()}
        if headers.get("authorization", "").startswith(ALGORITHM):
            return message_request(headers, "/graphql/connect", "{}")
        return SignedRequest("GET", self.request.path, "", headers, b"")

    def _subscribe(self, message: Message) -> None:
        number = str(message.get("id"))
        payload = message.get("payload") or {}
        data = str(payload.get("data") or "")
        header = (payload.get("extensions") or {}).get("authorization") or {}
        try:
            request = read_request(data.encode())
            _, fields = self.hub.api.describe(request)
        except HTTPFailure as failure:
            self._error(number, [{"errorType": failure.error_type, "message": failure.message}])
            return
        fault = self.plan.take("start", [request.operation_name or "", *fields], "subscription")
        entry = self.journal.add({
            "channel": "ws", "operation": request.operation_name, "kind": "subscription",
            "fields": fields, "query": request.query, "variables": request.variables,
            "headers": masked({name: str(value) for name, value in header.items()}),
            "fault": fault.type if fault else None, "id": number,
        })
        self.journal.count("starts", *(f"start:{name}" for name in fields))
        if fault and fault.type == "ignore":
            return
        if fault and fault.type == "error":
            errors: Any = {"errorType": fault.text("error_type", "InternalFailure"),
                           "message": fault.text("message", "A fault of the test.")}
            if fault.values.get("rate"):  # AppSync names no subscription where it throttles.
                self._error(None, {"errorType": "LimitExceededError",
                                   "message": "Rate limit exceeded"})
                return
            errors = errors if fault.values.get("object") else [errors]
        else:
            errors = self._accept(number, request, message_request(header, "/graphql", data))
        if fault and fault.type == "delay":
            asyncio.get_running_loop().call_later(
                fault.number("seconds", 1), self._answer, number, errors, entry)
        else:
            self._answer(number, errors, entry)

    def _answer(self, number: str, errors: Any, entry: Message) -> None:
        entry["errors"] = errors
        if errors:
            self._error(number, errors)
        else:
            self.post({"id": number, "type": "start_ack"})

    def _accept(self, number: str, request: Request, signed: SignedRequest) -> Any:
        """Subscribes, or returns the errors: a list, but an object where AppSync sends one."""
        if self.identity is None:
            return [{"errorType": "UnauthorizedException", "message": "Permission denied"}]
        if number in self.subscribed:
            return [{"errorType": "DuplicatedOperationError",
                     "message": f"Duplicated operation id: {number}"}]
        limit = self.settings.max_subscriptions
        if len(self.subscribed) >= limit:
            return {"errorType": "MaxSubscriptionsReachedError",
                    "message": f"Max number of {limit} subscriptions reached"}
        try:
            identity = self.authorizer.identify(signed)
        except HTTPFailure as failure:
            return [{"errorType": failure.error_type, "message": failure.message}]
        errors = self.hub.subscribe(self, number, request, identity)
        if not errors:
            self.subscribed.add(number)
        return errors

    def _error(self, number: str | None, errors: Any) -> None:
        message: Message = {"type": "error", "payload": {"errors": errors}}
        self.post(message if number is None else {"id": number} | message)
