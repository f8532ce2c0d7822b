"""What one model gets in a run of the tap."""

from __future__ import annotations

from typing import Any

from .records import Model
from .spool import Spool

# Bytes of records between two marks that are kept.
SPACING = 256 << 10


class Flow:
    """What one model gets in a run."""

    def __init__(self, model: Model, base: Any) -> None:
        self.model = model
        # The stream that brings it.
        self.stream: str | None = None
        self.spool = Spool()
        self.marks: list[tuple[int, Any]] = [(0, base)]
        # A SCHEMA or a RECORD came, or the catalog has the stream.
        self.is_known = False
        # The catalog says that the tap gives all of it each time.
        self.is_whole = False
        # The last ACTIVATE_VERSION.
        self.version: Any = None

    def mark(self, state: Any) -> None:
        position = self.spool.size
        is_close = len(self.marks) > 1 and position - self.marks[-2][0] < SPACING
        if is_close or self.marks[-1][0] == position:
            self.marks[-1] = (position, state)
        else:
            self.marks.append((position, state))
