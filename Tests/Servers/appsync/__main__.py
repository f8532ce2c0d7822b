"""Starts the server: `python -m appsync --schema FILE`.

Prints one line of JSON when ready, and ends when standard input ends or at SIGTERM.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import os
import signal
import threading
from pathlib import Path

from aiohttp import web

from .amplify import read_schema
from .api import Api
from .authorizer import MODES, Authorizer, Registry
from .clock import Clock
from .control import Control
from .outputs import amplify_configuration, amplify_outputs
from .sdl import Flavour
from .server import Server
from .settings import Settings

FIXTURE_URL = "https://example.com/graphql"


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="appsync", description=__doc__)
    parser.add_argument("--schema", type=Path, required=True, metavar="FILE")
    parser.add_argument("--conflict-detection", choices=("on", "off"), default="on")
    parser.add_argument("--strategy", default="AUTOMERGE", choices=(
        "AUTOMERGE", "OPTIMISTIC_CONCURRENCY", "LAMBDA_REJECT", "LAMBDA_RESOLVE"))
    parser.add_argument("--auth", default=",".join(MODES), metavar="MODE[,MODE...]",
                        help="of %(default)s; the first is the default")
    parser.add_argument("--subscription-filters", choices=("on", "off"), default="on")
    parser.add_argument("--owner-argument", choices=("optional", "required"), default="optional")
    parser.add_argument("--key-attributes", choices=("on", "off"), default="on",
                        help="off: a join model has postID rather than postId")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=JSON",
                        help="a setting of the control endpoint")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--print", choices=("sdl", "outputs", "configuration"),
                        help="print a file of the API, and end")
    return parser


def make_server(options: argparse.Namespace) -> Server:
    settings, clock = Settings(strategy=options.strategy), Clock()
    settings.change({name: json.loads(value) for name, _, value in
                     (each.partition("=") for each in options.set)})
    schema = read_schema(options.schema.read_text(), options.key_attributes == "on")
    flavour = Flavour(options.conflict_detection == "on", options.subscription_filters == "on",
                      options.owner_argument)
    registry = Registry(modes=tuple(options.auth.split(",")))
    return Server(Api(schema, flavour, settings, clock), Authorizer(registry, settings, clock),
                  settings, clock)


def print_file(server: Server, kind: str) -> None:
    registry = server.authorizer.registry
    if kind == "sdl":
        print(server.api.sdl, end="")
    elif kind == "outputs":
        print(json.dumps(amplify_outputs(server.api, FIXTURE_URL, registry), indent=2))
    else:
        print(json.dumps(amplify_configuration(FIXTURE_URL, registry), indent=2))


async def serve(server: Server, host: str, port: int) -> None:
    application = web.Application(client_max_size=64 * 1_048_576)
    application.add_routes([*server.routes(), web.post("/__control", Control(server).handle)])
    runner = web.AppRunner(application, access_log=None, keepalive_timeout=600,
                           shutdown_timeout=1)
    await runner.setup()
    site = web.TCPSite(runner, host, port, backlog=1_024)
    await site.start()
    bound = runner.addresses[0][1]
    done = asyncio.Event()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, done.set)
    # A thread, because standard input may be a file, which no event loop can wait for.
    threading.Thread(target=await_end_of_input, args=(loop, done), daemon=True).start()
    registry = server.authorizer.registry
    print(json.dumps({
        "port": bound, "url": f"http://{host}:{bound}/graphql",
        "realtime": f"ws://{host}:{bound}/graphql/realtime",
        "control": f"http://{host}:{bound}/__control",
        "api_key": sorted(registry.api_keys)[0], "region": registry.region,
    }), flush=True)
    await done.wait()
    for connection in list(server.connections):
        connection.drop()
    await runner.cleanup()


def await_end_of_input(loop: asyncio.AbstractEventLoop, done: asyncio.Event) -> None:
    # Not through `sys.stdin`: its lock would be held while the interpreter ends.
    while os.read(0, 4_096):
        pass
    with contextlib.suppress(RuntimeError):  # The loop has ended first.
        loop.call_soon_threadsafe(done.set)


def main() -> None:
    options = arguments().parse_args()
    server = make_server(options)
    if options.print:
        print_file(server, options.print)
    else:
        # Records live long and hold no cycles: looking through 100,000 of them at every turn costs
        # more than serving them.
        gc.set_threshold(50_000, 50, 1_000)
        asyncio.run(serve(server, options.host, options.port))


main()
