"""The tables: a base table per model, and the delta table beside it."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable
from dataclasses import dataclass

from .model import AmplifySchema, Key, Model, Record

Place = tuple[str, Key]


def place_of(key: Key) -> Place:
    """Returns where a key comes in a scan: by hash, so that no client can rely on an order."""
    digest = hashlib.md5(json.dumps(key).encode(), usedforsecurity=False).hexdigest()
    return digest[:16], key


@dataclass(frozen=True)
class DeltaEntry:
    """One write, as the delta table keeps it."""

    changed_at: int
    sequence: int
    record: Record


class Table:
    """A base table in scan order, and its delta entries in time order.

    Records are never changed in place: a write puts a new one.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.records: dict[Key, Record] = {}
        self.order: list[Place] = []
        self.delta: list[DeltaEntry] = []
        self.tombstones: dict[Key, int] = {}
        # Counts changes: answers kept for one revision hold until the next.
        self.revision = 0

    def get(self, key: Key) -> Record | None:
        return self.records.get(key)

    def put(self, record: Record, log: bool = True) -> None:
        """Stores a record; `log` off is a write past AppSync: the delta table misses it."""
        key = self.model.key_of(record)
        if key not in self.records:
            insort(self.order, place_of(key))
        self.records[key] = record
        self.revision += 1
        if record.get("_deleted"):
            self.tombstones[key] = record["_lastChangedAt"]
        else:
            self.tombstones.pop(key, None)
        if log and "_lastChangedAt" in record:
            entry = DeltaEntry(record["_lastChangedAt"], self.revision, record)
            # In time order even where a test turned the clock back.
            insort(self.delta, entry, key=lambda each: each.changed_at)

    def fill(self, records: Iterable[Record]) -> None:
        """Stores many records at once, without delta entries."""
        for record in records:
            self.records[self.model.key_of(record)] = record
        self.order = sorted(place_of(key) for key in self.records)
        self.revision += 1

    def remove(self, key: Key) -> Record | None:
        record = self.records.pop(key, None)
        if record is not None:
            del self.order[bisect_left(self.order, place_of(key))]
            self.tombstones.pop(key, None)
            self.revision += 1
        return record

    def clear(self) -> None:
        self.records.clear()
        self.order.clear()
        self.delta.clear()
        self.tombstones.clear()
        self.revision += 1

    def expire(self, before: int) -> None:
        """Drops tombstones changed before a moment, as DynamoDB's TTL does."""
        if self.tombstones:
            for key in [key for key, moment in self.tombstones.items() if moment < before]:
                self.remove(key)

    def scan(self, after: str | None, count: int) -> list[Key]:
        """Returns up to `count` keys after a place in scan order."""
        start = 0
        if after is not None:
            start = bisect_right(self.order, after, key=lambda place: place[0])
        return [key for _, key in self.order[start:start + count]]

    def changes(self, since: int) -> list[DeltaEntry]:
        start = bisect_left(self.delta, since, key=lambda entry: entry.changed_at)
        return self.delta[start:]


class Store:
    """All the tables of an API."""

    def __init__(self, schema: AmplifySchema) -> None:
        self.tables = {name: Table(model) for name, model in schema.models.items()}

    def __getitem__(self, model: str) -> Table:
        return self.tables[model]

    @property
    def revision(self) -> int:
        return sum(table.revision for table in self.tables.values())

    def clear(self) -> None:
        for table in self.tables.values():
            table.clear()
