"""Records in memory with what a database would do to them, and who is told of changes."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from datetime import datetime, timedelta, timezone


# A key of several columns, one of them a number.
SEAT = ("hall", "row", "number")


class Refused(Exception):
    """The database does not take a write; `kind` is what its server makes an error of."""

    def __init__(self, kind: str, message: str, field: str | None = None):
        super().__init__(message)
        self.kind, self.message, self.field = kind, message, field


class Table:
    """Rows by their key. A key of numbers is given out by the table itself."""

    def __init__(self, store: "Store", name: str, numbered: bool = False,
                 columns: tuple[str, ...] = ("id",)):
        self.store, self.name, self.numbered, self.columns = store, name, numbered, columns
        self.rows: dict[object, dict] = {}
        self.last = 0

    def key(self, row: dict) -> object:
        """The value of a key of one column, the values of one of several."""
        values = tuple(row.get(name) for name in self.columns)
        return values if len(values) > 1 else values[0]

    def insert(self, values: dict) -> dict:
        values = dict(values)
        if len(self.columns) > 1:
            if None in self.key(values):
                raise Refused("not_null", f'null value in the key of relation "{self.name}" '
                                          "violates not-null constraint")
        elif self.numbered:
            if values.get("id") is None:
                self.last += 1
                values["id"] = self.last
        elif values.get("id") is None:
            values["id"] = str(uuid.uuid4())
        key = self.key(values)
        if key in self.rows and not self.rows[key]["deleted"]:
            raise Refused("unique", "duplicate key value violates unique constraint "
                                    f'"{self.name}_pkey"')
        self.check(values)
        row = {**values, "version": 0, "created_at": None, "deleted": False}
        self.rows[key] = row
        return self.touch(row, "create")

    def update(self, key: object, values: dict) -> dict | None:
        row = self.get(key)
        if row is None:
            return None
        self.check({**row, **values})
        row.update(values)
        return self.touch(row, "update")

    def delete(self, key: object) -> dict | None:
        row = self.get(key)
        if row is None:
            return None
        row["deleted"] = True
        return self.touch(row, "delete")

    def get(self, key: object) -> dict | None:
        row = self.rows.get(key)
        return None if row is None or row["deleted"] else row

    def living(self) -> list[dict]:
        return sorted((row for row in self.rows.values() if not row["deleted"]),
                      key=self.key)

    def changed(self, since: int) -> list[dict]:
        """Rows that changed after a revision, those that were deleted among them."""
        return sorted((row for row in self.rows.values() if row["revision"] > since),
                      key=lambda row: row["revision"])

    def touch(self, row: dict, kind: str) -> dict:
        self.store.revision += 1
        row["version"] += 1
        row["revision"] = self.store.revision
        # Every write has an instant of its own.
        now = self.store.start + timedelta(microseconds=self.store.revision)
        row["updated_at"] = now.isoformat()
        row["created_at"] = row["created_at"] or row["updated_at"]
        self.store.effects.append({"table": self.name, "id": self.key(row), "kind": kind})
        self.store.tell(self.name, kind, dict(row))
        return dict(row)

    def check(self, values: dict) -> None:
        if len(self.columns) > 1:
            return
        text = "title" if "title" in values or self.name == "posts" else "content"
        if values.get(text) is None:
            raise Refused("not_null", f'null value in column "{text}" of relation "{self.name}" '
                                      "violates not-null constraint", text)
        if len(values[text]) > 80:
            raise Refused("check", f'new row for relation "{self.name}" violates check '
                                   f'constraint "{text}_length"', text)
        if values[text] == "forbidden":
            raise Refused("permission", f"permission denied for table {self.name}")


class Store:
    def __init__(self, numbered: tuple[str, ...]):
        self.numbered = numbered
        self.listeners: set[asyncio.Queue] = set()
        self.fresh()

    def fresh(self) -> None:
        self.revision = 0
        self.cap: int | None = None
        self.start = datetime.now(timezone.utc)
        self.effects: list[dict] = []
        self.tables = {name: Table(self, name, name in self.numbered)
                       for name in ("posts", "comments")}
        self.tables["seats"] = Table(self, "seats", columns=SEAT)

    def tell(self, table: str, kind: str, row: dict) -> None:
        for queue in self.listeners:
            queue.put_nowait((table, kind, row))

    async def changes(self, table: str) -> AsyncIterator[tuple[str, dict]]:
        queue: asyncio.Queue = asyncio.Queue()
        self.listeners.add(queue)
        try:
            while True:
                name, kind, row = await queue.get()
                if name == table:
                    yield kind, row
        finally:
            self.listeners.discard(queue)
