"""What was asked, and what was done: for tests to assert on."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from .context import Change

SECRET = ("authorization", "x-api-key", "x-amz-security-token", "sec-websocket-protocol")
Entry = dict[str, Any]


def masked(headers: Mapping[str, str]) -> dict[str, str]:
    """Returns headers with their secrets hashed: equal secrets stay equal."""
    return {
        name.lower(): f"sha256:{hashlib.sha256(value.encode()).hexdigest()[:12]}"
        if name.lower() in SECRET else value
        for name, value in headers.items()
    }


class Journal:
    """The requests in order, the writes applied, and counters over both."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.effects: list[Entry] = []
        self.events: list[Entry] = []
        self.counters: Counter[str] = Counter()
        self.in_flight = 0
        self.max_in_flight = 0
        self._age = 0
        self._changed = asyncio.Condition()
        self._wakers: set[asyncio.Task[None]] = set()

    def add(self, entry: Entry) -> Entry:
        entry["seq"] = len(self.entries) + 1
        self.entries.append(entry)
        return entry

    def count(self, *names: str) -> None:
        self.counters.update(names)
        self.wake()

    def apply(self, change: Change, fields: list[str]) -> Entry:
        """Writes down a change to the tables."""
        model = change.model
        effect = {
            "model": model.name, "verb": change.verb, "field": fields[0] if fields else None,
            "key": list(model.key_of(change.record)), "version": change.record.get("_version"),
            "number": len(self.effects) + 1,
        }
        self.effects.append(effect)
        return effect

    def sent(self, message: Entry, moment: int) -> None:
        """Writes down an event that left at a real time, for measuring what follows."""
        self.events.append({"number": len(self.events) + 1, "subscription": message["id"],
                            "data": message["payload"]["data"], "sent_ns": moment})

    def enter(self) -> int:
        """Counts a request in.

        Returns what `leave` wants: one that began before the journal was cleared counts no more.
        """
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        return self._age

    def leave(self, age: int) -> None:
        if age == self._age:
            self.in_flight -= 1

    def find(self, operation: str = "*", channel: str | None = None, after: int = 0,
             field: str | None = None) -> list[Entry]:
        """Returns the entries whose operation name or root fields match a pattern."""
        return [
            each for each in self.entries[after:]
            if channel in (None, each["channel"])
            and (field is None or field in each["fields"])
            and any(fnmatchcase(name, operation)
                    for name in (each["operation"] or "", *each["fields"]))
        ]

    def clear(self) -> None:
        self.entries.clear()
        self.effects.clear()
        self.events.clear()
        self.counters.clear()
        self.in_flight = 0
        self.max_in_flight = 0
        self._age += 1

    def wake(self) -> None:
        """Tells those who wait that something happened."""
        async def notify() -> None:
            async with self._changed:
                self._changed.notify_all()

        if self._waiting:
            task = asyncio.get_running_loop().create_task(notify())
            self._wakers.add(task)
            task.add_done_callback(self._wakers.discard)

    _waiting = 0

    async def wait(self, holds: Callable[[], bool], timeout: float) -> bool:
        """Waits until a condition holds; answers whether it came to hold in time."""
        self._waiting += 1
        try:
            async with asyncio.timeout(timeout):
                async with self._changed:
                    await self._changed.wait_for(holds)
            return True
        except TimeoutError:
            return holds()
        finally:
            self._waiting -= 1
