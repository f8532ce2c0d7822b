"""An AppSync API that takes next to no time, for measuring clients: `pace_server.py SCHEMA`.

The introspection, the pages and the documents come from the server of the tests; here they are looked
up as bytes. What is written is answered and counted, not kept. It prints one line when it is ready, and
then answers each line of standard input, a command, with a line:

    {"command": "outputs"}                  an amplify_outputs.json
    {"command": "seed", "count": N}         N records of the schema's first model, as pages
    {"command": "link", "delay_ms": N}      answers leave that much later
    {"command": "clear"}                    forgets what was asked, written and told
    {"command": "asked"}                    the bodies of the requests for pages
    {"command": "written"}                  the ids written, requests at a time, milliseconds from a
                                            request's arrival until its answer left, and those
                                            between two requests without any under way
    {"command": "listening", "count": N}    waits until so many subscriptions stand
    {"command": "event", "id": ID}          creates a record and tells of it; when that left
    {"command": "cost"}                     processor seconds so far
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

from appsync.amplify import read_schema
from appsync.api import Api, read_request
from appsync.authorizer import Registry
from appsync.clock import Clock, iso
from appsync.identity import Identity
from appsync.outputs import amplify_outputs
from appsync.sdl import Flavour
from appsync.seeds import records
from appsync.settings import Settings

JSON = dict[str, Any]
MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
HEAD = (b"HTTP/1.1 200 OK\r\nContent-Type: application/json;charset=UTF-8\r\n"
        b"Content-Length: %d\r\n\r\n")


def dumps(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


class Pace:
    """What all connections share: the answers, and what was asked."""

    def __init__(self, schema: Path) -> None:
        self.api = Api(read_schema(schema.read_text()), Flavour(True, True, "optional"),
                       Settings(), Clock())
        self.model = next(iter(self.api.amplify.models.values()))
        self.identity = Identity("apiKey")
        self.registry = Registry(modes=("apiKey",))
        self.url = ""
        self.delay = 0.0
        # Answers by the bytes of the request.
        self.kept: dict[bytes, bytes] = {}
        self.subscriptions: dict[str, tuple[Connection, str]] = {}
        self.changed = asyncio.Event()
        self.running = 0
        self.clear()

    def clear(self) -> None:
        self.asked: list[str] = []
        self.ids: set[str] = set()
        self.most = 0
        self.taken = 0.0
        self.answers = 0
        self.idle = 0.0
        self.idle_since: float | None = None
        self.created: list[tuple[int, JSON]] = []

    def answer(self, body: bytes) -> bytes:
        name = self.model.operations
        found = self.kept.get(body)
        if found is not None:
            self.asked.append(body.decode())
            return found
        message = json.loads(body)
        variables = message["variables"]
        if "input" in variables:
            return self.write(variables["input"])
        query = message["query"]
        if f"{name.sync}(" in query:
            if variables.get("lastSync") is not None:
                return self.delta(variables["lastSync"])
            self.asked.append(body.decode())
        found = self.api.execute(read_request(body), self.identity).body()
        self.kept[body] = found
        return found

    def item(self, values: JSON, now: int) -> JSON:
        item = {each.name: None for each in self.model.stored()} | values
        return item | {"_version": 1, "_deleted": None, "_lastChangedAt": now,
                       "__typename": self.model.name}

    def write(self, values: JSON) -> bytes:
        self.ids.add(values["id"])
        now = time.time_ns() // 1_000_000
        stamps = {name: iso(now) for name in (self.model.created_at, self.model.updated_at) if name}
        item = self.item(values | stamps, now)
        return dumps({"data": {self.model.operations.create: item}})

    def delta(self, since: int) -> bytes:
        items = [item for at, item in self.created if at >= since]
        return dumps({"data": {self.model.operations.sync: {
            "items": items, "nextToken": None, "startedAt": time.time_ns() // 1_000_000}}})

    def seed(self, count: int) -> None:
        """Fills the table, and forgets the pages of what it held."""
        self.kept.clear()
        self.api.store.clear()
        table = self.api.store[self.model.name]
        now = time.time_ns() // 1_000_000
        for record in records(self.api.amplify, self.model, count, 0, "s", True, now):
            table.put(record, log=False)

    async def event(self, id: str) -> JSON:
        now = time.time_ns() // 1_000_000
        item = self.item({"id": id, "title": "live", "rating": 3}, now)
        self.created.append((now, item))
        connection, number = self.subscriptions[self.model.operations.on_create]
        text = dumps({"id": number, "type": "data", "payload": {
            "data": {self.model.operations.on_create: item}}})
        sent = time.time_ns()
        connection.say(text)
        return {"sent_ns": sent}

    async def obey(self, command: JSON) -> JSON:
        match command["command"]:
            case "outputs": return amplify_outputs(self.api, self.url, self.registry)
            case "seed": self.seed(command["count"])
            case "link": self.delay = command["delay_ms"] / 1e3
            case "clear": self.clear()
            case "asked": return {"bodies": self.asked}
            case "written":
                return {"ids": len(self.ids), "at_once": self.most,
                        "answer_ms": self.taken / max(1, self.answers) * 1e3,
                        "idle_ms": self.idle * 1e3}
            case "listening":
                while len(self.subscriptions) < command["count"]:
                    self.changed.clear()
                    await self.changed.wait()
            case "event": return await self.event(command["id"])
            case "cost": return {"seconds": time.process_time()}
        return {}


class Connection(asyncio.Protocol):
    """Requests of one connection, one after the other; or, once it is asked for, a WebSocket."""

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self.buffer = bytearray()
        self.is_socket = False

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def connection_lost(self, _: Exception | None) -> None:
        for name, (connection, _) in list(self.pace.subscriptions.items()):
            if connection is self:
                del self.pace.subscriptions[name]

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if self.is_socket:
            self.read_frames()
            return
        while True:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self.buffer[:end]).lower()
            if b"upgrade: websocket" in head:
                self.shake(bytes(self.buffer[:end]))
                del self.buffer[:end + 4]
                return
            place = head.find(b"content-length:")
            length = int(head[place + 15:].split(b"\r\n", 1)[0])
            if len(self.buffer) < end + 4 + length:
                return
            body = bytes(self.buffer[end + 4:end + 4 + length])
            del self.buffer[:end + 4 + length]
            self.take(body)

    def take(self, body: bytes) -> None:
        pace, begun = self.pace, time.perf_counter()
        if not pace.running and pace.idle_since is not None:
            pace.idle += begun - pace.idle_since
        pace.running += 1
        pace.most = max(pace.most, pace.running)
        answer = pace.answer(body)
        if pace.delay:
            left = pace.delay - (time.perf_counter() - begun)
            asyncio.get_running_loop().call_later(left, self.leave, answer, begun)
        else:
            self.leave(answer, begun)

    def leave(self, answer: bytes, begun: float) -> None:
        self.pace.running -= 1
        self.pace.idle_since = time.perf_counter()
        self.pace.answers += 1
        self.pace.taken += time.perf_counter() - begun
        self.transport.writelines([HEAD % len(answer), answer])

    def shake(self, head: bytes) -> None:
        lines = (line.partition(b":") for line in head.split(b"\r\n")[1:])
        headers = {name.strip().lower(): value.strip() for name, _, value in lines}
        proof = hashlib.sha1(headers[b"sec-websocket-key"] + MAGIC, usedforsecurity=False).digest()
        self.transport.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + base64.b64encode(proof) + b"\r\n"
            b"Sec-WebSocket-Protocol: graphql-ws\r\n\r\n")
        self.is_socket = True

    def read_frames(self) -> None:
        """Reads the frames of a client, which are masked and whole here."""
        while len(self.buffer) >= 6:
            kind, length, place = self.buffer[0] & 15, self.buffer[1] & 127, 2
            if length == 126:
                length, place = int.from_bytes(self.buffer[2:4]), 4
            if len(self.buffer) < place + 4 + length:
                return
            mask = self.buffer[place:place + 4]
            data = self.buffer[place + 4:place + 4 + length]
            del self.buffer[:place + 4 + length]
            if kind == 8:
                self.transport.close()
            if kind == 1:
                self.hear(json.loads(bytes(b ^ mask[i % 4] for i, b in enumerate(data))))

    def say(self, text: bytes) -> None:
        count = len(text)
        size = bytes([count]) if count < 126 else bytes([126]) + count.to_bytes(2)
        self.transport.write(b"\x81" + size + text)

    def hear(self, message: JSON) -> None:
        if message["type"] == "connection_init":
            self.say(dumps({"type": "connection_ack",
                            "payload": {"connectionTimeoutMs": 300_000}}))
        elif message["type"] == "start":
            request = read_request(message["payload"]["data"].encode())
            _, (field, *_) = self.pace.api.describe(request)
            self.say(dumps({"id": message["id"], "type": "start_ack"}))
            self.pace.subscriptions[field] = (self, message["id"])
            self.pace.changed.set()


async def serve(pace: Pace) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(pace), "127.0.0.1", 0)
    pace.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/graphql"
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    print(json.dumps({"url": pace.url, "api_key": sorted(pace.registry.api_keys)[0]}), flush=True)
    while line := await lines.readline():
        print(json.dumps(await pace.obey(json.loads(line))), flush=True)


asyncio.run(serve(Pace(Path(sys.argv[1]))))
