"""Serves a schema as an ASGI application: HTTP, server-sent events, graphql-transport-ws."""

from __future__ import annotations

import asyncio
import inspect
import json

from graphql import ExecutionResult, GraphQLError, execute, parse, subscribe, validate
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

PROTOCOL = "graphql-transport-ws"


class Serving:
    """`words` makes an error as the server of that shape writes it."""

    def __init__(self, schema, words=lambda error: error.formatted):
        self.schema, self.words = schema, words

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] == "websocket":
            await self.socket(WebSocket(scope, receive, send))
        elif scope["type"] == "http":
            request = Request(scope, receive)
            response = await self.answer(request)
            await response(scope, receive, send)

    async def answer(self, request: Request):
        body = await request.json()
        if "text/event-stream" in request.headers.get("accept", ""):
            return StreamingResponse(self.stream(body), media_type="text/event-stream")
        document, errors = self.read(body)
        if errors:
            return JSONResponse(self.result(ExecutionResult(None, errors)))
        result = execute(self.schema, document, variable_values=body.get("variables"),
                         operation_name=body.get("operationName"))
        return JSONResponse(self.result(result))

    async def stream(self, body):
        async for result in self.results(body):
            yield f"event: next\ndata: {json.dumps(result)}\n\n"
        yield "event: complete\ndata:\n\n"

    async def results(self, body):
        document, errors = self.read(body)
        source = ExecutionResult(None, errors) if errors else subscribe(
            self.schema, document, variable_values=body.get("variables"))
        if inspect.isawaitable(source):
            source = await source
        if isinstance(source, ExecutionResult):
            yield self.result(source)
            return
        try:
            async for result in source:
                yield self.result(result)
        finally:
            await source.aclose()

    def read(self, body):
        try:
            document = parse(body["query"])
        except GraphQLError as error:
            return None, [error]
        return document, validate(self.schema, document)

    def result(self, result: ExecutionResult) -> dict:
        answer = {}
        if result.data is not None or not result.errors:
            answer["data"] = result.data
        if result.errors:
            answer["errors"] = [self.words(error) for error in result.errors]
        return answer

    async def socket(self, socket: WebSocket) -> None:
        if PROTOCOL not in socket.scope["subprotocols"]:
            await socket.close(4406)
            return
        await socket.accept(PROTOCOL)
        tasks: dict[str, asyncio.Task] = {}
        try:
            while True:
                message = await socket.receive_json()
                kind = message["type"]
                if kind == "connection_init":
                    await socket.send_json({"type": "connection_ack"})
                elif kind == "ping":
                    await socket.send_json({"type": "pong"})
                elif kind == "subscribe":
                    tasks[message["id"]] = asyncio.create_task(
                        self.feed(socket, message["id"], message["payload"]))
                elif kind == "complete" and message["id"] in tasks:
                    tasks.pop(message["id"]).cancel()
        except WebSocketDisconnect:
            pass
        finally:
            for task in tasks.values():
                task.cancel()

    async def feed(self, socket: WebSocket, number: str, payload: dict) -> None:
        async for result in self.results(payload):
            await socket.send_json({"id": number, "type": "next", "payload": result})
        await socket.send_json({"id": number, "type": "complete"})
