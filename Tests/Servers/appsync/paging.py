"""Page tokens: opaque to clients, and bound to the query that gave them."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass

from .errors import AppSyncError


@dataclass(frozen=True)
class Token:
    """Where a page ended: `after` a place of a scan, or at `offset` of a query's matches."""

    field: str
    started_at: int
    after: str | None = None
    offset: int = 0
    since: int | None = None

    def encode(self) -> str:
        text = json.dumps({"version": 3, **asdict(self)}, separators=(",", ":"))
        return base64.b64encode(text.encode()).decode()


def decode(token: str | None, field: str) -> Token | None:
    """Reads a token; None where there is none.

    Raises what AppSync answers to a token of another query, or to no token of its own.
    """
    if token is None:
        return None
    try:
        values = json.loads(base64.b64decode(token, validate=True))
        version = values.pop("version")
        found = Token(**values)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise invalid() from error
    if version != 3 or found.field != field:
        raise invalid()
    return found


def invalid() -> AppSyncError:
    return AppSyncError("BadRequestException", "Invalid pagination token given.")
