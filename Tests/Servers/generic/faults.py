"""What networks and guards do between a client and its API, and the way to ask for it.

`POST /__control` with `{"command": ...}`: `fresh`; `fault` with `type` and `times`, for the next
requests whose document has the text `document` in it; `effects`, the writes that were applied;
`token`, the only one that is taken from now on; `cap`, the most `rows` that a list gives; `drop`,
which ends every live stream; `live`, how many there are. Types: `cut_before`, `cut_after`, `status` with `code`,
and `meanwhile`: another client's write, of `set` to the row `id` of `table`, comes just before. `fill` makes
`rows` of a `table`, the oldest first.
"""

from __future__ import annotations

import asyncio
import json

from .store import Store


class Cut(Exception):
    """The connection breaks here."""


class Faults:
    def __init__(self, store: Store, app, header: str, words: dict):
        self.store, self.app = store, app
        # The header that credentials come in, and what is said without the right ones.
        self.header, self.words = header.encode(), words
        self.forget()
        self.streams: set[asyncio.Task] = set()

    def forget(self) -> None:
        self.faults: list[dict] = []
        self.token: str | None = None
        self.documents: list[str] = []

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] == "lifespan":
            return await self.lifespan(receive, send)
        if scope["type"] == "http" and scope["path"] == "/__control":
            return await self.reply(send, 200, self.command(json.loads(await body(receive))))
        if not self.knows(scope):
            if scope["type"] == "websocket":
                return await self.refuse_socket(receive, send)
            return await self.reply(send, self.words["status"], self.words["body"])
        if scope["type"] == "websocket":
            return await self.live(self.app(scope, receive, send))
        await self.request(scope, receive, send)

    async def lifespan(self, receive, send) -> None:
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return

    def knows(self, scope) -> bool:
        if self.token is None:
            return True
        return any(name == self.header and value.decode() == self.token
                   for name, value in scope["headers"])

    async def refuse_socket(self, receive, send) -> None:
        await receive()
        await send({"type": "websocket.close", "code": 4401})

    async def request(self, scope, receive, send) -> None:
        data = await body(receive)
        query = json.loads(data)["query"]
        self.documents.append(query)
        fault = next((each for each in self.faults if each.get("document", "") in query), None)
        if fault:
            fault["times"] -= 1
            if fault["times"] <= 0:
                self.faults.remove(fault)
            if fault["type"] == "status":
                return await self.reply(send, fault["code"], {"message": "not now"})
            if fault["type"] == "cut_before":
                await self.cut(send)
            if fault["type"] == "meanwhile":
                self.store.tables[fault["table"]].update(fault["id"], fault["set"])
                fault = None
        sent = False

        async def again():
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": data, "more_body": False}

        async def swallow(message):
            if not fault:
                await send(message)

        streams = any(name == b"accept" and b"event-stream" in value
                      for name, value in scope["headers"])
        work = self.app(scope, again, swallow)
        await (self.live(work) if streams else work)
        if fault:
            await self.cut(send)

    async def cut(self, send) -> None:
        """Breaks the connection in the middle of an answer, as uvicorn does at an exception there."""
        await send({"type": "http.response.start", "status": 200,
                    "headers": [(b"content-length", b"1000")]})
        await send({"type": "http.response.body", "body": b"{", "more_body": True})
        raise Cut

    async def live(self, work) -> None:
        task = asyncio.ensure_future(work)
        self.streams.add(task)
        try:
            await task
        except asyncio.CancelledError:
            raise Cut from None
        finally:
            self.streams.discard(task)

    async def reply(self, send, status: int, value) -> None:
        data = json.dumps(value).encode()
        await send({"type": "http.response.start", "status": status,
                    "headers": [(b"content-type", b"application/json"),
                                (b"content-length", str(len(data)).encode())]})
        await send({"type": "http.response.body", "body": data})

    def command(self, command: dict):
        match command["command"]:
            case "fresh":
                self.store.fresh()
                self.forget()
                self.drop()
            case "fault":
                self.faults.append({"times": 1, **command})
            case "effects":
                return [each for each in self.store.effects
                        if each["table"] == command.get("table", each["table"])
                        and str(each["id"]) == str(command.get("id", each["id"]))]
            case "fill":
                table = self.store.tables[command["table"]]
                for number in range(command["rows"]):
                    table.insert({"id": f"0190c2aa-0000-7000-8000-{number:012}",
                                  "title": f"t{number}"})
            case "cap":
                self.store.cap = command["rows"]
            case "token":
                self.token = command["token"]
            case "documents":
                return [each for each in self.documents if command["text"] in each]
            case "drop":
                self.drop()
            case "live":
                return {"count": len(self.streams), "listeners": len(self.store.listeners)}
        return {}

    def drop(self) -> None:
        for task in list(self.streams):
            task.cancel()


async def body(receive) -> bytes:
    data = b""
    while True:
        message = await receive()
        data += message.get("body", b"")
        if not message.get("more_body"):
            return data
