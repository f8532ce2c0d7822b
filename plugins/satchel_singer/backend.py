"""The requests of the plugin protocol."""

from __future__ import annotations

import threading
from typing import Any, Callable

from satchel_protocol.failure import Failure
from satchel_protocol.jobs import Job, Output
from satchel_protocol.service import serve

from . import VERSION
from .pull import LARGEST_PAGE, Cursor, Puller
from .settings import Settings, question
from .source import Source

CAPABILITIES: dict[str, Any] = {
    "pull": {"delta": True, "tombstones": False, "page": LARGEST_PAGE},
    "events": False,
    "ping": True,
    "fetch": False,
}
PROGRESS = 5.0


class Backend:
    """Answers one request after the other."""

    name = "singer"
    # A tap that is under way is not waited for.
    last_patience = 0.5

    def __init__(self, output: Output) -> None:
        self._output = output
        self._greeting: dict[str, Any] | None = None
        self._source: Source | None = None
        self._puller: Puller | None = None
        self._methods: dict[str, Callable[[Job], dict[str, Any] | bytes]] = {
            "initialize": self._initialize,
            "schema": self._schema,
            "ping": self._ping,
            "pull": self._pull,
            "configure": self._configure,
        }

    def afresh(self) -> Backend:
        """Another one in the same state, for when this one hangs."""
        other = Backend(self._output)
        if self._greeting is not None:
            other._greet(self._greeting)
        return other

    def interrupt(self) -> None:
        """Ends what waits for the tap, and the tap; from any thread."""
        if self._source is not None:
            self._source.stop()
        if self._puller is not None:
            self._puller.stop()

    def close(self) -> None:
        """Ends the tap; from any thread."""
        self.interrupt()
        if self._puller is not None:
            self._puller.close()

    def handle(self, job: Job) -> dict[str, Any] | bytes:
        """The result of a request; raises `Failure`."""
        method = self._methods.get(job.method)
        if method is None:
            raise Failure("unsupported", f"a tap is only read: there is no {job.method[:50]}")
        return method(job)

    def _initialize(self, job: Job) -> dict[str, Any]:
        if 1 not in (job.params.get("protocols") or []):
            raise Failure("unsupported", "singer speaks protocol 1")
        source = self._greet(job.params)
        return {
            "protocol": 1,
            "plugin": {"name": "singer", "version": VERSION},
            "capabilities": CAPABILITIES,
            "identity": source.settings.identity,
        }

    def _greet(self, params: dict[str, Any]) -> Source:
        settings = Settings.read(params.get("config") or {}, params.get("secrets") or {})
        if self._puller is not None:
            self._puller.close()
        source = Source(settings, params.get("models"), params.get("types"), self._output.log)
        self._greeting, self._source, self._puller = params, source, Puller(source)
        return source

    def _schema(self, job: Job) -> dict[str, Any]:
        source = self._known
        results: list[dict[str, Any] | Failure] = []

        def ask() -> None:
            try:
                results.append(source.schema())
            except Failure as failure:
                results.append(failure)

        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(PROGRESS)
            job.check()
            if thread.is_alive():
                job.progress(0, 0)
        if not results:
            raise Failure("permanent", f"the catalog of {source.settings.name} cannot be read")
        if isinstance(results[0], Failure):
            raise results[0]
        return results[0]

    def _ping(self, job: Job) -> dict[str, Any]:
        """Looks for the tap's program: a run to see more would read everything."""
        _ = self._known.settings.program
        return {}

    def _pull(self, job: Job) -> bytes:
        source, name = self._known, job.params.get("model")
        if self._puller is None or not isinstance(name, str) or name not in source.models:
            raise Failure("permanent", f"there is no model {str(name)[:100]}")
        limit = job.params.get("limit")
        limit = limit if isinstance(limit, int) else LARGEST_PAGE
        return self._puller.page(job, name, Cursor.read(job.params.get("cursor")), limit)

    def _configure(self, job: Job) -> dict[str, Any]:
        return question(job.params.get("answers") or {})

    @property
    def _known(self) -> Source:
        if self._source is None:
            raise Failure("permanent", "initialize comes first")
        return self._source


def main(about: str) -> int:
    return serve(about, Backend)
