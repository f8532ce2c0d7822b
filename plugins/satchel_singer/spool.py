"""The records of a stream on their way: written by the tap's reader, read a page at a time.

They lie in a file without a name, so memory stays small and nothing is left behind.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from typing import Any

BUFFER = 256 << 10
# The bytes of records in an answer, unless a single one is larger.
PAGE_BYTES = 4 << 20


class Spool:
    """Lines, one an item; a position is the number of bytes before it."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="satchel-singer-", buffering=0)
        self._lock = threading.Lock()
        self._buffer = bytearray()
        self._written = 0
        # How many lines there are.
        self.count = 0
        self._known = (0, 0, hashlib.blake2b(digest_size=16))

    @property
    def size(self) -> int:
        return self._written + len(self._buffer)

    def append(self, line: bytes) -> None:
        """Raises `OSError` on a full disk."""
        with self._lock:
            self._buffer += line
            self._buffer += b"\n"
            self.count += 1
            if len(self._buffer) >= BUFFER:
                self._flush()

    def read(self, position: int, limit: int) -> list[bytes]:
        """Up to `limit` lines from a position on."""
        with self._lock:
            self._flush()
        lines: list[bytes] = []
        rest, total = b"", 0
        while len(lines) < limit and total < PAGE_BYTES:
            chunk = os.pread(self._file.fileno(), BUFFER, position)
            if not chunk:
                break
            position += len(chunk)
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                if lines and (len(lines) == limit or total + len(line) > PAGE_BYTES):
                    return lines
                lines.append(line)
                total += len(line)
        return lines

    def digest(self, start: int, end: int) -> str:
        """Tells the bytes between two positions from any others."""
        known_start, known_end, known = self._known
        if known_start != start or known_end > end:
            known_end, known = start, hashlib.blake2b(digest_size=16)
        known = known.copy()
        with self._lock:
            self._flush()
        while known_end < end:
            chunk = os.pread(self._file.fileno(), min(BUFFER, end - known_end), known_end)
            if not chunk:
                break
            known.update(chunk)
            known_end += len(chunk)
        self._known = (start, known_end, known)
        return known.hexdigest()

    def close(self) -> None:
        with self._lock:
            self._file.close()

    def _flush(self) -> None:
        rest: Any = memoryview(bytes(self._buffer))
        while rest:
            count = self._file.write(rest)
            self._written += count
            rest = rest[count:]
            del self._buffer[:count]
