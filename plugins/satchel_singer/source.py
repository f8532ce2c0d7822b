"""What one context reads: the tap, its catalog, the workspace's models."""

from __future__ import annotations

import threading
from typing import Any, Callable, Mapping

from satchel_protocol.failure import Failure

from . import catalog as catalogs
from .messages import Message, parsed
from .names import model_name
from .records import Model
from .schema import Models, Stream
from .settings import Settings
from .tap import Tap

LARGEST_CATALOG = 64 << 20


class Source:
    """Shared by the requests of a connection and by the run that serves them."""

    def __init__(
        self, settings: Settings, models: Any, types: Any, log: Callable[[str, str], None]
    ) -> None:
        self.settings = settings
        self.log = log
        self.models: dict[str, Model] = {}
        types = types if isinstance(types, dict) else {}
        for told in models if isinstance(models, list) else []:
            if isinstance(told, dict) and isinstance(told.get("name"), str):
                self.models[told["name"]] = Model(told, types)
        self._lock = threading.Lock()
        self._catalog: Mapping[str, Any] | None = settings.catalog
        self._is_discovered = settings.catalog is not None
        self._tap: Tap | None = None
        self._is_stopped = False

    def model_of(self, stream: str) -> str:
        return model_name(stream, self.settings.models, self.models)

    def is_wanted(self, stream: str) -> bool:
        """Whether the stream is one to read, as the workspace and its settings have it."""
        chosen = self.settings.streams
        if chosen is not None and stream not in chosen:
            return False
        return self.model_of(stream) in self.models

    def catalog(self) -> Mapping[str, Any] | None:
        """The tap's catalog, discovered once; None where it has none."""
        with self._lock:
            if not self._is_discovered:
                self._catalog = self._discovered()
                self._is_discovered = True
            return self._catalog

    def start(self, options: list[str], files: Mapping[str, Any]) -> Tap:
        """Starts the tap with its config; raises `Failure`."""
        config = self.settings.whole_config()
        try:
            return Tap(self.settings, options, {"--config": config, **files}, self.log)
        except OSError as error:
            raise Failure(
                "retryable", f"cannot start {self.settings.name}: {error.strerror}") from None

    def begin(self) -> None:
        """What was stopped may be started again."""
        self._is_stopped = False

    def stop(self) -> None:
        """Ends a discovery; from any thread."""
        self._is_stopped = True
        tap = self._tap
        if tap is not None:
            tap.stop()

    def schema(self) -> dict[str, Any]:
        """The result of `schema`; raises `Failure`."""
        self.begin()
        catalog = self.catalog()
        found = catalogs.streams(catalog) if catalog is not None else self._announced()
        chosen = self.settings.streams
        models = Models(self.log)
        for stream in found:
            if chosen is None or stream.name in chosen:
                stream.key = self.settings.keys.get(stream.name, stream.key)
                models.add(self.model_of(stream.name), stream)
        description = models.description()
        if not description["models"]:
            names = ", ".join(stream.name for stream in found[:20]) or "none"
            raise Failure(
                "unsupported", f"{self.settings.name} has none of the wanted streams; it "
                f"has {names}")
        return description

    def ended_badly(self, tap: Tap, code: int | None) -> Failure:
        words = f": {tap.last_words}" if tap.last_words else ""
        return Failure(
            "retryable", f"{self.settings.name} ended with exit code {code}{words}")

    def _discovered(self) -> Mapping[str, Any] | None:
        tap = self._tap = self.start(["--discover"], {})
        output = bytearray()
        try:
            if self._is_stopped:
                raise Failure("cancelled", "the discovery was given up")
            for line in tap.lines():
                output += line + b"\n"
                if len(output) > LARGEST_CATALOG:
                    raise Failure("permanent", f"the catalog of {self.settings.name} has no end")
            code = tap.finish()
        finally:
            tap.stop()
            tap.end(3.0)
            self._tap = None
        found = catalogs.parsed(bytes(output)) if code == 0 else None
        if found is None and self._is_stopped:
            raise Failure("cancelled", "the discovery was given up")
        if found is None:
            self.log(
                "warning", f"{self.settings.name} --discover brings no catalog (exit code {code}): "
                "it is run without one")
        return found

    def _announced(self) -> list[Stream]:
        """The streams of a tap that discovers nothing: those it announces in a whole run."""
        tap = self._tap = self.start([], {})
        found: dict[str, Stream] = {}
        try:
            for line in tap.lines():
                message = parsed(line)
                if isinstance(message, Message) and message.type == "SCHEMA" and message.stream:
                    found[message.stream] = announced(message)
                if self._is_stopped:
                    raise Failure("cancelled", "the run was given up")
            code = tap.finish()
        finally:
            tap.stop()
            tap.end(3.0)
            self._tap = None
        if code != 0 and not found:
            raise self.ended_badly(tap, code)
        return list(found.values())


def announced(message: Message) -> Stream:
    """What a SCHEMA message tells of its stream."""
    schema, key = message.content.get("schema"), message.content.get("key_properties")
    return Stream(
        message.stream or "", schema if isinstance(schema, dict) else {},
        tuple(name for name in key if isinstance(name, str)) if isinstance(key, list) else ())
