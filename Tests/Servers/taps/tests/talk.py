"""A conversation with the backend over a fake tap."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from typing import Any, Callable

HERE = os.path.dirname(os.path.abspath(__file__))
PLUGIN = os.path.normpath(os.path.join(HERE, "../../../../plugins/satchel-backend-singer"))
TAP = os.path.normpath(os.path.join(HERE, "../fake_tap.py"))
NOTE = {
    "name": "Note", "key": ["id"],
    "fields": [
        {"name": "id", "type": "ID", "required": True}, {"name": "title", "type": "String"},
    ],
}
LONG = 60.0


class Talk:
    """The backend, started; closed at the end of the test."""

    def __init__(
        self, test: "SingerTest", config: dict[str, Any], models: list[Any], types: Any,
        secrets: Any,
    ) -> None:
        environment = {
            **os.environ, "SATCHEL_PLUGIN": "1", "TMPDIR": test.temporary,
            "XDG_STATE_HOME": os.path.join(test.folder, "state"),
        }
        self.process = subprocess.Popen(
            [PLUGIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=test.folder, env=environment, start_new_session=True)
        test.addCleanup(self.close)
        self.logs: list[str] = []
        self.progress = 0
        self._answers: queue.Queue[Any] = queue.Queue()
        self._count = 0
        threading.Thread(target=self._read, daemon=True).start()
        self.greeting = self.ask(
            "initialize", protocols=[1], config=config, secrets=secrets or {}, models=models,
            types=types or {})

    def send(self, method: str, **params: Any) -> int:
        self._count += 1
        self._write({"id": self._count, "method": method, "params": params})
        return self._count

    def cancel(self, id: int) -> None:
        self._write({"method": "cancel", "params": {"id": id}})

    def answer(self, id: int) -> dict[str, Any]:
        while True:
            message: dict[str, Any] = self._answers.get(timeout=LONG)
            if message is None:
                raise AssertionError("it ended")
            if message["id"] == id:
                return message

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        return self.answer(self.send(method, **params))

    def pull(self, cursor: Any = None, limit: int = 1000, model: str = "Note") -> dict[str, Any]:
        return self.ask("pull", model=model, cursor=cursor, limit=limit)

    def pages(
        self, cursor: Any = None, limit: int = 1000, model: str = "Note"
    ) -> tuple[list[Any], dict[str, Any]]:
        """The records up to the last page, and that page or the error instead."""
        records: list[Any] = []
        while True:
            answer = self.pull(cursor, limit, model)
            if "error" in answer:
                return records, answer["error"]
            result = answer["result"]
            records += result["records"]
            if not result["more"]:
                return records, result
            assert result["cursor"] != cursor
            cursor = result["cursor"]

    def close(self) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()

    def _write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stream:
            for line in stream:
                message = json.loads(line)
                if message.get("method") == "log":
                    self.logs.append(message["params"]["message"])
                elif message.get("method") == "progress":
                    self.progress += 1
                elif "id" in message:
                    self._answers.put(message)
        self._answers.put(None)


class SingerTest(unittest.TestCase):
    """A folder for a test, in which the tap keeps its journal."""

    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="satchel-test-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.temporary = os.path.join(self.folder, "tmp")
        os.mkdir(self.temporary)

    def talk(
        self, steps: list[Any], told: list[Any] | None = None, secrets: Any = None,
        types: Any = None, tap_config: dict[str, Any] | None = None, **config: Any
    ) -> Talk:
        given = {
            "journal": os.path.join(self.folder, "journal"), "steps": steps, **(tap_config or {}),
        }
        whole = {
            "tap": [TAP], "tap_config": given, "source": "test", "models": "notes=Note", **config,
        }
        return Talk(self, whole, [NOTE] if told is None else told, types, secrets)

    def journal(self, discoveries: bool = False) -> list[dict[str, Any]]:
        with open(os.path.join(self.folder, "journal"), encoding="utf-8") as file:
            notes = [json.loads(line) for line in file]
        return [note for note in notes if note["discover"] == discoveries]

    def eventually(self, holds: Callable[[], bool], seconds: float = 10.0) -> None:
        end = time.monotonic() + seconds
        while not holds():
            self.assertLess(time.monotonic(), end, "it did not come to pass")
            time.sleep(0.02)

    def is_running(self, pid: int) -> bool:
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                return file.read().rsplit(") ", 1)[1][0] != "Z"
        except FileNotFoundError:
            return False
