"""A proxy that takes whoever asks for a tunnel to one port of this machine, whatever host was named.

`proxy_server.py PORT` prints `{"port": N}` and ends with its standard input.
"""

import asyncio
import contextlib
import json
import sys


async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"CONNECT "):
        writer.write(b"HTTP/1.1 405 Only Tunnels\r\nContent-Length: 0\r\n\r\n")
        writer.close()
        return
    there = await asyncio.open_connection("127.0.0.1", int(sys.argv[1]))
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    await asyncio.gather(carry(reader, there[1]), carry(there[0], writer))


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(json.dumps({"port": server.sockets[0].getsockname()[1]}), flush=True)
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    await lines.read()


asyncio.run(main())
