"""A WebSocket server that does as its path says, for tests of clients.

`ws_server.py [CERTIFICATE]` prints `{"port": N}` and ends with its standard input; with a file for a
certificate it makes one and speaks TLS.

    /echo           sends back what it gets
    /headers        sends the handshake's headers, in lower case
    /long/N         sends N bytes in one message
    /pieces/N       sends one message in N frames of a byte
    /flood/N        sends N messages of 1,000 bytes as fast as it can
    /ping           pings, and says "pong" once the answer has come
    /close/CODE     closes with this code and the words "go away"
    /cut            cuts the connection
    /hostile/KIND   sends what is no good frame, of a dozen kinds by number, and then 5 MB
    /half           cuts it in the middle of a frame
    /status/CODE    answers the handshake with a status, a redirect to /echo for 302
    /silent         never answers the handshake
"""

import asyncio
import json
import os
import ssl
import sys

from aiohttp import WSMsgType, web

from tls_server import make_certificate


# An unknown kind, reserved bits, a mask, a control frame that is too long, a piece of nothing, closes
# with half a code and with one that is none, a message in a message, lengths of 2^40 and 2^64 - 1.
HOSTILE = [
    bytes([0x83, 0]), bytes([0xF1, 0]), bytes([0x81, 0x81, 1, 2, 3, 4, 5]),
    bytes([0x89, 126, 1, 0]) + b"x" * 256, bytes([0x80, 1, 65]), bytes([0x88, 1, 3]),
    bytes([0x88, 2, 0, 1]), bytes([0x01, 1, 65, 0x01, 1, 65]),
    bytes([0x81, 127]) + (1 << 40).to_bytes(8, "big"), bytes([0x81, 127]) + b"\xff" * 8,
]


async def status(request: web.Request) -> web.Response:
    return web.Response(status=int(request.match_info["code"]), headers={"Location": "/echo"})


async def silent(request: web.Request) -> web.Response:
    await asyncio.sleep(3_600)
    return web.Response()


async def serve(request: web.Request) -> web.StreamResponse:
    socket = web.WebSocketResponse(protocols=("second", "graphql-ws"), autoping=False,
                                   max_msg_size=1 << 26)
    await socket.prepare(request)
    act, number = request.match_info["act"], int(request.match_info.get("number") or 0)
    transport = request.transport
    assert transport is not None
    if act == "headers":
        await socket.send_str(json.dumps({k.lower(): v for k, v in request.headers.items()}))
    elif act == "long":
        await socket.send_str("x" * number)
    elif act == "pieces":
        for index in range(number):
            first, last = index == 0, index == number - 1
            transport.write(bytes([(0x80 if last else 0) | (1 if first else 0), 1, 0x79]))
    elif act == "flood":
        for _ in range(number):
            await socket.send_str("z" * 1_000)
    elif act == "ping":
        await socket.ping(b"are you there")
    elif act == "close":
        await socket.close(code=number, message=b"go away")
    elif act == "hostile":
        transport.write(HOSTILE[number] + bytes([0x81, 127]) + (5_000_000).to_bytes(8, "big"))
        for _ in range(10):
            transport.write(b"q" * 500_000)
            await asyncio.sleep(0)
    elif act == "cut":
        transport.abort()
    elif act == "half":
        transport.write(bytes([0x81, 100]) + b"only some of it")
        transport.close()
    async for message in socket:
        if message.type is WSMsgType.TEXT and act == "echo":
            await socket.send_str(message.data)
        elif message.type is WSMsgType.PONG:
            await socket.send_str("pong")
        elif message.type is WSMsgType.PING:
            await socket.pong(message.data)
    return socket


async def main() -> None:
    context = None
    if len(sys.argv) > 1:
        key = make_certificate(sys.argv[1])
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], key)
        os.remove(key)
    app = web.Application()
    app.add_routes([
        web.get("/status/{code}", status), web.get("/silent", silent),
        web.get("/{act}/{number}", serve), web.get("/{act}", serve)])
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
    await site.start()
    print(json.dumps({"port": site._server.sockets[0].getsockname()[1]}), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main())
