"""What a server answered."""

from __future__ import annotations

import email.utils
import json
import time
from dataclasses import dataclass
from typing import Any, Mapping
from urllib.parse import parse_qs, urlsplit

from satchel_protocol.failure import Failure

# Whatever a server says, it is asked again within a day.
LONGEST_PAUSE = 86_400.0


@dataclass(frozen=True)
class Reply:
    """What the server answered; header names are lower-case."""

    status: int
    headers: Mapping[str, str]
    body: Any

    @property
    def etag(self) -> int | None:
        """The time stamp in `ETag`."""
        text = self.headers.get("etag", "").removeprefix("W/").strip('"')
        return int(text) if text.isascii() and text.isdigit() else None

    @property
    def retry_ms(self) -> int | None:
        """The milliseconds of `Retry-After`, given in seconds or as a date."""
        seconds = seconds_of(self.headers.get("retry-after"))
        return None if seconds is None else int(seconds * 1000)

    @property
    def next_token(self) -> str | None:
        """The place of the next page, out of the address in `Next-Page`.

        The address itself is not followed: only our own settings say where credentials go.
        """
        page = self.headers.get("next-page")
        if not page:
            return None
        try:
            tokens = parse_qs(urlsplit(page).query).get("_token")
        except ValueError:
            tokens = None
        if not tokens or len(tokens[0]) > 2048:
            raise Failure("permanent", "the server names a next page that cannot be used")
        return tokens[0]

    @property
    def data(self) -> Any:
        return self.body.get("data") if isinstance(self.body, dict) else None

    @property
    def is_kinto(self) -> bool:
        """Whether an error is Kinto's own, and not that of something on the way to it."""
        return isinstance(self.body, dict) and isinstance(self.body.get("errno"), int)


def parsed(content: bytes) -> Any:
    """JSON as it should be; None for what is none."""

    def refuse(_: str) -> Any:
        raise ValueError("no number of JSON")

    try:
        return json.loads(content.decode("utf-8"), parse_constant=refuse)
    except (ValueError, RecursionError):
        return None


def seconds_of(text: str | None) -> float | None:
    """A delay in seconds, or until a date."""
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(text).timestamp() - time.time()
        except (TypeError, ValueError, OverflowError):
            return None
    # A comparison that no NaN passes.
    return min(max(seconds, 0.0), LONGEST_PAUSE) if seconds == seconds else None
