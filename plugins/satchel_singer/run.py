"""A run of the tap: one serves the pulls of all models, a page at a time, while it goes on.

A thread reads the tap and lays each model's records down in a spool. STATE counts for the records
before it: every spool has marks, a position and the last STATE there, from which a later run
could go on.
"""

from __future__ import annotations

import secrets
import threading
import time
from typing import Any

from satchel_protocol.failure import Failure
from satchel_protocol.jobs import Job

from . import catalog as catalogs
from . import states
from .flow import Flow
from .messages import Broken, Message, parsed
from .records import unreadable
from .source import Source
from .tap import Tap

# How long a page waits to be full once there is something to bring, in seconds.
FULL_PAGE = 1.0
PROGRESS = 5.0
# Lines of no meaning that are shown.
NOISE = 5


class Run:
    """Started with the state `base`; None is from the start."""

    def __init__(self, source: Source, base: Any) -> None:
        self.id = secrets.token_hex(6)
        self.base = base
        # Models whose pull began here.
        self.begun: set[str] = set()
        self.failure: Failure | None = None
        # Something of unknown stream could not be read.
        self.is_incomplete = False
        self.state = base
        self.has_ended = False
        # Neither stopped nor known to have failed: what it brought may be read on.
        self.is_usable = True
        self.used_at = time.monotonic()
        self.streams: set[str] = set()
        self._source = source
        self._changed = threading.Condition()
        self._flows = {
            name: Flow(model, base) for name, model in source.models.items()
        }
        self._by_stream: dict[str, Flow | None] = {}
        self._wanted: tuple[Flow, int] | None = None
        self._noise = 0
        self._tap: Tap | None = None
        self._is_stopped = False
        threading.Thread(target=self._work, daemon=True).start()

    def flow(self, model: str) -> Flow:
        return self._flows[model]

    def is_from_start(self, model: str) -> bool:
        """Whether this run brings all of a model."""
        flow = self._flows[model]
        return flow.is_whole or not states.speaks_of(
            self.base, lambda stream: self._source.model_of(stream) == model)

    def stop(self) -> None:
        """Has the tap killed; from any thread."""
        self._is_stopped = True
        self.is_usable = False
        self._source.stop()
        tap = self._tap
        if tap is not None:
            tap.stop()
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        self.stop()
        with self._changed:
            self._changed.wait_for(lambda: self.has_ended, 1.0)

    def wait(self, job: Job, flow: Flow, position: int, count: int, seconds: float) -> None:
        """Until there are `count` lines, or some and nothing more soon, or the run has ended."""
        start = told = time.monotonic()
        first: float | None = None
        with self._changed:
            self._wanted = (flow, count)
            while not self.has_ended and flow.spool.count < count:
                now = time.monotonic()
                if first is None and flow.spool.size > position:
                    first = now
                if now - start >= seconds or first is not None and now - first >= FULL_PAGE:
                    break
                if now - told >= PROGRESS:
                    told = now
                    job.progress(flow.spool.count, flow.spool.count)
                job.check()
                if self._is_stopped:
                    break
                self._changed.wait(0.1)
            self._wanted = None
        job.check()
        self.used_at = time.monotonic()

    def mark_before(self, flow: Flow, position: int) -> tuple[int, Any]:
        """The last mark up to a position; earlier ones are not needed any more."""
        with self._changed:
            while len(flow.marks) > 1 and flow.marks[1][0] <= position:
                del flow.marks[0]
            return flow.marks[0]

    # What the thread does.

    def _work(self) -> None:
        try:
            self._read()
        except Failure as failure:
            self.failure = failure
        except OSError as error:
            self.failure = Failure(
                "retryable", f"cannot keep what {self._source.settings.name} brings: "
                f"{error.strerror}")
        except Exception as error:  # pylint: disable=broad-except
            # Otherwise whoever waits would wait for ever.
            self.failure = Failure(
                "permanent", f"cannot read what {self._source.settings.name} brings: "
                f"{type(error).__name__}")
        with self._changed:
            self.has_ended = True
            self._changed.notify_all()

    def _read(self) -> None:
        files = self._files()
        if self._is_stopped:
            raise Failure("retryable", "the run was given up")
        tap = self._tap = self._source.start([], files)
        try:
            if self._is_stopped:
                tap.stop()
            for line in tap.lines():
                self._take(parsed(line), line)
            code = tap.finish()
        finally:
            tap.stop()
            tap.end(3.0)
        if self._is_stopped:
            raise Failure("retryable", "the run was given up")
        if code != 0:
            raise self._source.ended_badly(tap, code)

    def _files(self) -> dict[str, Any]:
        source = self._source
        catalog = source.catalog() if source.settings.selects else None
        files: dict[str, Any] = {}
        if catalog is not None:
            files[source.settings.catalog_option] = catalogs.selected(
                catalog, source.is_wanted, source.settings.keys)
            for entry in catalog.get("streams") or []:
                name = catalogs.name_of(entry) if isinstance(entry, dict) else ""
                flow = self._flow_of(name) if name else None
                if flow is not None:
                    flow.is_known = True
                    flow.is_whole = catalogs.is_whole(entry)
        if self.base not in (None, {}):
            files["--state"] = self.base
        return files

    def _flow_of(self, stream: str) -> Flow | None:
        if stream not in self._by_stream:
            self.streams.add(stream)
            self._by_stream[stream] = None
            if self._source.is_wanted(stream):
                flow = self._flows[self._source.model_of(stream)]
                if flow.stream is not None:
                    raise Failure(
                        "permanent", f"the streams {flow.stream} and {stream} would both be "
                        f"{flow.model.name}: set the config key models to {stream}=NAME")
                flow.stream = stream
                self._by_stream[stream] = flow
        return self._by_stream[stream]

    def _take(self, message: Message | Broken | None, line: bytes) -> None:
        if message is None:
            if line.strip():
                self._noted(line)
            return
        flow = self._flow_of(message.stream) if message.stream else None
        if isinstance(message, Broken):
            self._source.log("warning", f"a line of {message.stream or 'the tap'} {message.reason}")
            if flow is not None:
                self._append(flow, unreadable(message.line))
            elif message.stream is None:
                self.is_incomplete = True
            return
        if message.type == "STATE":
            self.state = message.content.get("value")
            with self._changed:
                for each in self._flows.values():
                    each.mark(self.state)
        elif message.type == "BATCH":
            raise Failure(
                "permanent", f"{self._source.settings.name} hands over files (BATCH): take "
                "batch_config out of its config")
        elif message.type not in ("RECORD", "SCHEMA", "ACTIVATE_VERSION"):
            self._noted(line)
        elif flow is not None:
            flow.is_known = True
            if message.type == "RECORD":
                self._append(flow, flow.model.item(message.content.get("record")))
            elif message.type == "ACTIVATE_VERSION":
                flow.version = message.content.get("version")

    def _append(self, flow: Flow, item: bytes) -> None:
        flow.spool.append(item)
        wanted = self._wanted
        if wanted is not None and wanted[0] is flow and flow.spool.count >= wanted[1]:
            with self._changed:
                self._changed.notify_all()

    def _noted(self, line: bytes) -> None:
        self._noise += 1
        if self._noise <= NOISE:
            words = self._source.settings.masked(line[:300].decode("utf-8", "replace"))
            self._source.log("warning", f"the tap printed what is no message: {words}")
