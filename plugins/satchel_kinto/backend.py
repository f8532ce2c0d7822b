"""The requests of the plugin protocol."""

from __future__ import annotations

from typing import Any, Callable

from satchel_protocol.failure import Failure
from satchel_protocol.jobs import Job, Output
from satchel_protocol.service import serve

from . import VERSION, filters, schema
from .cursor import Cursor
from .kinto import Kinto
from .models import Models
from .pull import LARGEST_PAGE, Pull, fetch
from .push import Push
from .settings import Settings, question
from .transport import Transport

CAPABILITIES: dict[str, Any] = {
    "push": {"idempotency": "conditional", "batch": 100, "bytes": 4 << 20, "partial": True},
    "pull": {
        "delta": True, "tombstones": True, "page": LARGEST_PAGE, "filter": filters.OPERATORS,
    },
    "events": False,
    "ping": True,
}


class Backend:
    """Answers one request after the other."""

    name = "kinto"
    # What was pushed is done by then, or will have to be looked for.
    last_patience = 1.5

    def __init__(self, output: Output) -> None:
        self._output = output
        self._greeting: dict[str, Any] | None = None
        self._kinto: Kinto | None = None
        self._models: Models | None = None
        self._methods: dict[str, Callable[[Job], dict[str, Any]]] = {
            "initialize": self._initialize,
            "schema": self._schema,
            "ping": self._ping,
            "pull": self._pull,
            "fetch": self._fetch,
            "push": self._push,
            "configure": self._configure,
        }

    def afresh(self) -> Backend:
        """Another one in the same state, on a connection of its own."""
        other = Backend(self._output)
        if self._greeting is not None:
            other._greet(self._greeting)
        return other

    def interrupt(self) -> None:
        """Ends what waits for the server; from any thread."""
        if self._kinto is not None:
            self._kinto.transport.interrupt()

    def close(self) -> None:
        """Lets go of the server; from any thread."""
        self.interrupt()

    def handle(self, job: Job) -> dict[str, Any] | bytes:
        """The result of a request; raises `Failure`."""
        method = self._methods.get(job.method)
        if method is None:
            raise Failure("unsupported", f"kinto has no request {job.method[:50]}")
        return method(job)

    def _initialize(self, job: Job) -> dict[str, Any]:
        if 1 not in (job.params.get("protocols") or []):
            raise Failure("unsupported", "kinto speaks protocol 1")
        self._greet(job.params)
        return {
            "protocol": 1,
            "plugin": {"name": "kinto", "version": VERSION},
            "capabilities": CAPABILITIES,
            "identity": self._server.settings.identity,
        }

    def _greet(self, params: dict[str, Any]) -> None:
        settings = Settings.read(params.get("config") or {}, params.get("secrets") or {})
        if self._kinto is not None:
            self._kinto.transport.close()
        self._greeting = params
        self._kinto = Kinto(settings, Transport(settings, self._output.log))
        self._models = Models(params.get("models"), settings.collection)

    def _schema(self, job: Job) -> dict[str, Any]:
        return schema.schema(job, self._server, self._output.log)

    def _ping(self, job: Job) -> dict[str, Any]:
        """Asks for what needs a login and the server's storage; it need not be there."""
        kinto = self._server
        reply = kinto.transport.request(job, "GET", kinto.bucket_path, keeps_pauses=False)
        if reply.status in (200, 403) or reply.status == 404 and reply.is_kinto:
            return {}
        raise kinto.failure(reply, "a look at the bucket")

    def _pull(self, job: Job) -> dict[str, Any]:
        model = self._known.model(job.params.get("model"))
        limit = job.params.get("limit")
        limit = limit if isinstance(limit, int) else LARGEST_PAGE
        pull = Pull(job, self._server, model)
        cursor = Cursor.read(job.params.get("cursor"))
        return pull.page(cursor, limit, job.params.get("filter"))

    def _fetch(self, job: Job) -> dict[str, Any]:
        model = self._known.model(job.params.get("model"))
        ids = [id for id in job.params.get("ids") or [] if isinstance(id, str)]
        return {"records": fetch(job, self._server, model, ids)}

    def _push(self, job: Job) -> dict[str, Any]:
        ops = [op for op in job.params.get("ops") or [] if isinstance(op.get("key"), str)]
        return {"results": Push(job, self._server, self._known).run(ops)}

    def _configure(self, job: Job) -> dict[str, Any]:
        return question(job.params.get("answers") or {})

    @property
    def _server(self) -> Kinto:
        if self._kinto is None:
            raise Failure("permanent", "initialize comes first")
        return self._kinto

    @property
    def _known(self) -> Models:
        if self._models is None:
            raise Failure("permanent", "initialize comes first")
        return self._models


def main(about: str) -> int:
    return serve(about, Backend)
