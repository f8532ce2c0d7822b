"""A tap as a process."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Callable, Iterator, Mapping

from .settings import Settings

GUARD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guard.py")
LONGEST_LINE = 16 << 20
# The bytes of a longer one that are looked at.
SHOWN = 64 << 10
CHUNK = 256 << 10
# Milliseconds between looks at whether the tap is there, and for what comes when it is not.
ONE_LOOK, LAST_WORDS = 500, 500
LONGEST_WORDS = 2000
# Seconds that a tap may still clean up after its output ended.
LINGER = 5.0
# Lines of standard error handed on in a second; of the rest the number is told.
LOG_LINES = 50


class Overlong(bytes):
    """The beginning of a line that is longer than `LONGEST_LINE`."""


class Tap:
    """A started tap, its files in a private folder that goes with it."""

    def __init__(
        self, settings: Settings, options: list[str], files: Mapping[str, Any],
        log: Callable[[str, str], None],
    ) -> None:
        """Each of `files` becomes `--NAME FILE`; raises `Failure`, or `OSError` on a full disk."""
        self._settings = settings
        self._log = log
        program = settings.program
        environment = {k: v for k, v in os.environ.items() if k != "SATCHEL_PLUGIN"}
        folder = tempfile.mkdtemp(prefix="satchel-singer-")
        try:
            arguments = [program, *settings.tap[1:], *_written(folder, files), *options]
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", GUARD, folder, *arguments],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True, env=environment)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self._last_line = self._last_error = ""
        self._drain = threading.Thread(target=self._drain_errors, daemon=True)
        self._drain.start()

    @property
    def last_words(self) -> str:
        """The last error it logged, or the last line."""
        return self._last_error or self._last_line

    def lines(self) -> Iterator[bytes]:
        """What it prints, line by line and without the line feeds, until it ends.

        A program that it left behind may hold the pipe open: when the tap itself is gone and
        nothing more comes, that is the end.
        """
        stream = self._process.stdout
        assert stream is not None
        ready = select.poll()
        ready.register(stream, select.POLLIN | select.POLLHUP)
        rest = bytearray()
        is_overlong = False
        while True:
            is_gone = self._process.poll() is not None
            if not ready.poll(LAST_WORDS if is_gone else ONE_LOOK):
                if is_gone:
                    break
                continue
            chunk = os.read(stream.fileno(), CHUNK)
            if not chunk:
                break
            *whole, last = chunk.split(b"\n")
            for line in whole:
                if is_overlong:
                    is_overlong = False
                elif rest:
                    yield bytes(rest + line)
                else:
                    yield line
                rest.clear()
            rest += last
            if is_overlong:
                rest.clear()
            elif len(rest) > LONGEST_LINE:
                yield Overlong(rest[:SHOWN])
                is_overlong = True
                rest.clear()
        if rest:
            yield bytes(rest)

    def stop(self) -> None:
        """Has it killed with all it started, within a second; from any thread."""
        stream = self._process.stdin
        assert stream is not None
        try:
            stream.close()
        except OSError:
            pass

    def finish(self) -> int | None:
        """Its exit code once it has said all; it is killed when it lingers."""
        code = self.end(LINGER)
        self.stop()
        return self.end(3.0) if code is None else code

    def end(self, seconds: float) -> int | None:
        """Waits for its end: its exit code, or None when it takes longer."""
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        self._drain.join(1.0)
        return code

    def _drain_errors(self) -> None:
        stream = self._process.stderr
        assert stream is not None
        second, count, dropped = 0.0, 0, 0
        while line := stream.readline(64 << 10):
            words = self._settings.masked(line.decode("utf-8", "replace").strip())[:LONGEST_WORDS]
            if not words:
                continue
            level = _level(words)
            self._last_line = words
            if level == "error":
                self._last_error = words
            now = time.monotonic()
            if now - second >= 1.0:
                if dropped:
                    self._log("info", f"{dropped} lines of the tap are left out")
                second, count, dropped = now, 0, 0
            count += 1
            if count <= LOG_LINES:
                self._log(level, words)
            else:
                dropped += 1
        if dropped:
            self._log("info", f"{dropped} lines of the tap are left out")


def _written(folder: str, files: Mapping[str, Any]) -> list[str]:
    """Writes each file, for nobody else to read, and gives the options that name them."""
    options: list[str] = []
    for option, content in files.items():
        path = os.path.join(folder, option.strip("-") + ".json")
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(number, "w", encoding="utf-8") as file:
            json.dump(content, file)
        options += [option, path]
    return options


def _level(words: str) -> str:
    head = words[:200].upper()
    if "ERROR" in head or "CRITICAL" in head:
        return "error"
    return "warning" if "WARN" in head else "info"
