"""Starts a server: `python -m generic SHAPE`, one of strawberry, hasura, postgraphile, classic
(PostGraphile without simplified names).

Prints one line of JSON when ready, and ends when standard input ends or at SIGTERM.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import sys
import threading

import uvicorn

from . import berries, hasura, postgraphile
from .faults import Cut, Faults
from .serving import Serving
from .store import Store

UNAUTHORIZED = {"status": 401, "body": {"errors": [{"message": "who are you?"}]}}
# https://hasura.io/docs/2.0/auth/authentication/: it answers with 200.
DENIED = {"status": 200, "body": {"errors": [{
    "message": 'invalid "x-hasura-admin-secret"/"x-hasura-access-key"',
    "extensions": {"path": "$", "code": "access-denied"}}]}}


def hasura_words(error) -> dict:
    """Its errors have no place in the answer but a path in the request, and a code."""
    return {"message": error.message,
            "extensions": error.extensions or {"path": "$", "code": "validation-failed"}}


def application(shape: str) -> Faults:
    if shape == "hasura":
        store = Store(numbered=("comments",))
        return Faults(store, Serving(hasura.make(store), hasura_words), "x-hasura-admin-secret",
                      DENIED)
    if shape in ("postgraphile", "classic"):
        store = Store(numbered=("comments",))
        schema = postgraphile.make(store, simplified=shape == "postgraphile")
        return Faults(store, Serving(schema), "authorization", UNAUTHORIZED)
    store = Store(numbered=())
    return Faults(store, berries.make(store), "authorization", UNAUTHORIZED)


class Quiet(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return not (record.exc_info and isinstance(record.exc_info[1], Cut))


def await_end_of_input() -> None:
    while os.read(0, 4_096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    logging.getLogger("uvicorn.error").addFilter(Quiet())
    config = uvicorn.Config(application(sys.argv[1]), log_level="error", access_log=False,
                            timeout_keep_alive=600, timeout_graceful_shutdown=1,
                            ws="websockets-sansio")
    threading.Thread(target=await_end_of_input, daemon=True).start()
    port = listener.getsockname()[1]
    print(json.dumps({"port": port, "url": f"http://127.0.0.1:{port}/graphql"}), flush=True)
    uvicorn.Server(config).run(sockets=[listener])


main()
