"""Requests at work: each is answered once, can be cancelled, and has a time by which it ends."""

from __future__ import annotations

import json
import sys
import threading
import time
from typing import Any, Callable

from .failure import Failure

# What the host takes in one line, less the frame around the result.
LINE_LIMIT = (16 << 20) - 1024


class Output:
    """Standard output: a JSON object a line, whichever thread writes it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stream = sys.stdout.buffer

    def write(self, message: dict[str, Any]) -> None:
        self.write_line(encoded({"jsonrpc": "2.0", **message}))

    def write_line(self, line: bytes) -> None:
        with self._lock:
            self._stream.write(line + b"\n")
            self._stream.flush()

    def notify(self, method: str, **params: Any) -> None:
        self.write({"method": method, "params": params})

    def log(self, level: str, message: str) -> None:
        self.notify("log", level=level, message=message)


def encoded(message: dict[str, Any]) -> bytes:
    """Compact JSON; ASCII, so that no text of a server can be no UTF-8."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode("ascii")


class Job:
    """One request of the host."""

    # Seconds until the host gives up, less what an answer takes on its way.
    LIMITS = {"initialize": 4.0, "ping": 4.5, "fetch": 9.0, "pull": 27.0, "push": 280.0}
    OTHER_LIMIT = 27.0

    def __init__(self, request: dict[str, Any], output: Output) -> None:
        self.id = request["id"]
        self.method: str = request["method"]
        params = request.get("params")
        self.params: dict[str, Any] = params if isinstance(params, dict) else {}
        self.deadline = time.monotonic() + self.LIMITS.get(self.method, self.OTHER_LIMIT)
        self.interrupt: Callable[[], None] | None = None
        self._output = output
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._is_answered = False

    def begin(self) -> None:
        """The time runs from when the request is taken up: requests may wait in line."""
        self.deadline = time.monotonic() + self.LIMITS.get(self.method, self.OTHER_LIMIT)

    @property
    def is_cancelled(self) -> bool:
        return self._cancelled.is_set()

    @property
    def is_answered(self) -> bool:
        return self._is_answered

    def cancel(self) -> None:
        self._cancelled.set()
        if self.interrupt is not None:
            self.interrupt()

    def check(self) -> None:
        """Raises when the host does not want an answer any more."""
        if self.is_cancelled:
            raise Failure("cancelled", f"the {self.method} was cancelled")

    def pause(self, seconds: float) -> None:
        """Waits, unless the host loses its patience before."""
        self._cancelled.wait(seconds)
        self.check()

    def progress(self, done: int, total: int) -> None:
        self._output.notify("progress", id=self.id, done=done, total=total)

    def answer(self, result: dict[str, Any] | bytes) -> None:
        """Answers with an object, or with the JSON of one."""
        body = result if isinstance(result, bytes) else encoded(result)
        id = json.dumps(self.id).encode("ascii")
        line = b'{"jsonrpc":"2.0","id":' + id + b',"result":' + body + b"}"
        if len(line) > LINE_LIMIT:
            return self.refuse(Failure("too_large", f"the answer has {len(line)} bytes"))
        self._finish(line)

    def refuse(self, failure: Failure) -> None:
        error = {"code": -32000, "message": failure.message, "data": failure.data()}
        self._finish(encoded({"jsonrpc": "2.0", "id": self.id, "error": error}))

    def _finish(self, line: bytes) -> None:
        with self._lock:
            if self._is_answered:
                return
            self._is_answered = True
        self._output.write_line(line)
