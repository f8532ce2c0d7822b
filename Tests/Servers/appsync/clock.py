"""The server's clock, which tests move."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from email.utils import formatdate
from functools import lru_cache


class Clock:
    """The real time plus `offset_ms`."""

    def __init__(self) -> None:
        self.offset_ms = 0

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000 + self.offset_ms

    def now(self) -> float:
        return self.now_ms() / 1000

    def iso(self) -> str:
        """Returns now as AppSync stamps it: `2026-01-31T10:20:30.123Z`."""
        return iso(self.now_ms())

    def http_date(self) -> str:
        return formatdate(self.now(), usegmt=True)


def iso(milliseconds: int) -> str:
    return f"{_second(milliseconds // 1000)}.{milliseconds % 1000:03d}Z"


@lru_cache(1_024)
def _second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"
