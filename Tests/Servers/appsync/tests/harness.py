"""A running server, and plain clients for it."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

import aiohttp

PACKAGE = Path(__file__).parent.parent
FIXTURES = PACKAGE / "fixtures"
JSON = dict[str, Any]


class RunningServer:
    """The server as a process of its own, the way the tests of a client start it."""

    def __init__(self, *arguments: str, schema: Path = FIXTURES / "schema.graphql") -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "appsync", "--schema", str(schema), *arguments],
            cwd=PACKAGE.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout
        self.ready: JSON = json.loads(self.process.stdout.readline())

    def stop(self) -> int:
        """Ends it as a parent that dies would: its input ends."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        code = self.process.wait()
        self.process.stdout.close()
        return code


class Socket:
    """A real-time client that only sends and receives JSON."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def send(self, **message: Any) -> None:
        await self.socket.send_str(json.dumps(message))

    async def next(self, *types: str, timeout: float = 5) -> JSON:
        """Returns the next message, passing over keep-alives unless they are asked for."""
        while True:
            message = await self.socket.receive(timeout)
            if message.type is not aiohttp.WSMsgType.TEXT:
                return {"type": "closed", "code": self.socket.close_code}
            found: JSON = json.loads(message.data)
            if found["type"] != "ka" or "ka" in types:
                return found

    async def subscribe(self, number: str, query: str, header: JSON,
                        variables: JSON | None = None) -> JSON:
        """Starts a subscription and returns the answer."""
        data = json.dumps({"query": query, "variables": variables or {}})
        await self.send(id=number, type="start", payload={
            "data": data, "extensions": {"authorization": header}})
        return await self.next()


class ServerCase(unittest.IsolatedAsyncioTestCase):
    """Tests with a server, started with `arguments` and made fresh for each test."""

    arguments: tuple[str, ...] = ()
    server: RunningServer

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = RunningServer(*cls.arguments)

    @classmethod
    def tearDownClass(cls) -> None:
        code = cls.server.stop()
        assert code == 0, code

    async def asyncSetUp(self) -> None:
        self.http = aiohttp.ClientSession()
        self.url: str = self.server.ready["url"]
        self.host = f"127.0.0.1:{self.server.ready['port']}"
        self.key: JSON = {"x-api-key": self.server.ready["api_key"]}
        await self.control("fresh")

    async def asyncTearDown(self) -> None:
        await self.http.close()

    async def control(self, command: str, **values: Any) -> JSON:
        async with self.http.post(self.server.ready["control"],
                                  json={"command": command, **values}) as response:
            answer: JSON = await response.json()
            self.assertEqual(response.status, 200, answer)
            return answer

    async def ask(self, query: str, variables: JSON | None = None,
                  headers: JSON | None = None) -> tuple[int, JSON, Any]:
        """Returns the status, the body and the headers of an answer."""
        body = json.dumps({"query": query, "variables": variables or {}})
        async with self.http.post(self.url, data=body, headers={
                "Content-Type": "application/json",
                **(self.key if headers is None else headers)}) as response:
            return response.status, json.loads(await response.read()), response.headers

    async def data(self, query: str, variables: JSON | None = None,
                   headers: JSON | None = None) -> Any:
        """Returns the data of an answer without errors."""
        status, body, _ = await self.ask(query, variables, headers)
        self.assertEqual((status, body.get("errors")), (200, None))
        return body["data"]

    async def error(self, query: str, variables: JSON | None = None,
                    headers: JSON | None = None) -> JSON:
        """Returns the only error of a 200."""
        status, body, _ = await self.ask(query, variables, headers)
        self.assertEqual((status, len(body.get("errors", []))), (200, 1), body)
        found: JSON = body["errors"][0]
        return found

    async def connect(self, header: JSON | None = None, way: str = "query",
                      init: bool = True) -> Socket:
        """Opens a real-time connection, authorised in one of the three ways."""
        content = {"host": self.host, **(header or self.key)}
        text = base64.b64encode(json.dumps(content).encode()).decode()
        url, protocols, headers = self.server.ready["realtime"], ["graphql-ws"], {}
        if way == "query":
            url += f"?header={text.replace('+', '%2B').replace('=', '%3D')}&payload=e30="
        elif way == "subprotocol":
            safe = text.replace("+", "-").replace("/", "_").rstrip("=")
            protocols.append(f"header-{safe}")
        else:
            headers = dict(content)
        socket = Socket(await self.http.ws_connect(url, protocols=protocols, headers=headers))
        self.addAsyncCleanup(socket.socket.close)
        if init:
            await socket.send(type="connection_init")
            self.assertEqual(await socket.next(), {
                "type": "connection_ack", "payload": {"connectionTimeoutMs": 300_000}})
        return socket
