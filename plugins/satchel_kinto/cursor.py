"""How far a model was pulled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from satchel_protocol.failure import Failure


@dataclass(frozen=True)
class Cursor:
    """A place in the changes of a model; the host keeps it."""

    # `last_modified` of the collection itself; None while there is none.
    epoch: int | None = None
    # The tick after which the next delta begins; None before the first page.
    since: int | None = None
    # Where the next page of this pull begins.
    token: str | None = None
    # True while the pages of the first pull are under way.
    is_first: bool = False
    # The latest tick of this pull so far.
    seen: int = 0
    # The tick and the id of the newest tombstone up to `since`.
    grave: tuple[int, str] | None = None

    @classmethod
    def read(cls, value: Any) -> Cursor:
        """Raises `Failure` of the kind `cursor_expired` for what is none."""
        if value is None:
            return cls()
        try:
            grave = value.get("grave")
            cursor = cls(
                value["epoch"], value.get("since"), value.get("token"),
                value.get("first", False), value.get("seen", 0),
                (grave[0], grave[1]) if grave else None)
            ticks = [cursor.epoch or 0, cursor.since or 0, cursor.seen, (grave or [0])[0]]
            if value.get("v") != 1 or not all(isinstance(tick, int) for tick in ticks):
                raise ValueError
        except (AttributeError, KeyError, IndexError, TypeError, ValueError):
            raise Failure("cursor_expired", "the cursor is none of this backend") from None
        return cursor

    def written(self) -> dict[str, Any]:
        value: dict[str, Any] = {"v": 1, "epoch": self.epoch, "since": self.since}
        if self.token is not None:
            value.update(token=self.token, first=self.is_first, seen=self.seen)
        if self.grave is not None:
            value["grave"] = list(self.grave)
        return value
