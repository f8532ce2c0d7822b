"""Lines of a tap as Singer messages.

The rules: https://github.com/singer-io/getting-started/blob/master/docs/SPEC.md
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from .tap import Overlong

STREAM = re.compile(rb'"stream"\s*:\s*"([^"\\]{1,200})"')


@dataclass(frozen=True)
class Message:
    """A message, or a record that cannot be read."""

    type: str
    stream: str | None
    content: dict[str, Any]


@dataclass(frozen=True)
class Broken:
    """A line that was to be a message; `stream` is None where it does not even tell that."""

    stream: str | None
    line: bytes
    reason: str


def parsed(line: bytes) -> Message | Broken | None:
    """The message of a line; None for what never was one, such as a banner."""
    if isinstance(line, Overlong):
        return Broken(_stream(line), line, "is longer than 16 MiB")
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        if not line.lstrip().startswith(b"{"):
            return None
        return Broken(_stream(line), line, "is no JSON in UTF-8")
    if not isinstance(content, dict) or not isinstance(content.get("type"), str):
        return None
    stream = content.get("stream")
    return Message(content["type"], stream if isinstance(stream, str) else None, content)


def _stream(line: bytes) -> str | None:
    found = STREAM.search(line)
    return found.group(1).decode("utf-8", "replace") if found else None
