"""What goes wrong with a whole request."""

from __future__ import annotations

from typing import Any


class Failure(Exception):
    """The error of a request: a kind of the plugin protocol, and what failed on what."""

    def __init__(self, kind: str, message: str, after_ms: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.after_ms = after_ms

    def data(self) -> dict[str, Any]:
        """The `data` of a JSON-RPC error."""
        if self.after_ms is None:
            return {"kind": self.kind}
        return {"kind": self.kind, "after_ms": self.after_ms}
