"""STATE values, as cursors carry them.

The host keeps cursors of up to 4 KiB. A larger state is packed; one that does not fit packed is
kept in a file of its own, named by its content. Is the file gone, the model is read from the start.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import tempfile
import zlib
from typing import Any, Callable

from satchel_protocol.failure import Failure

PLAIN, PACKED = 1000, 2600
LARGEST = 64 << 20
FILES = 200


def written(state: Any) -> Any:
    """The state, or what leads to it."""
    text = _text(state)
    if len(text) <= PLAIN:
        return {"value": state}
    packed = base64.b64encode(zlib.compress(text, 9)).decode("ascii")
    return {"packed": packed} if len(packed) <= PACKED else {"file": _keep(text)}


def read(value: Any) -> Any:
    """Raises `Failure` of the kind `cursor_expired` for what leads nowhere."""
    try:
        if "value" in value:
            return value["value"]
        if "packed" in value:
            unpacker = zlib.decompressobj()
            text = unpacker.decompress(base64.b64decode(value["packed"]), LARGEST)
        else:
            name = os.path.basename(value["file"])
            with open(os.path.join(_folder(), name), "rb") as file:
                text = file.read()
            if _name(text) != name:
                raise ValueError
        return json.loads(text)
    except (OSError, KeyError, TypeError, ValueError, zlib.error):
        raise Failure("cursor_expired", "the state of the tap is not kept any more") from None


def is_same(one: Any, other: Any) -> bool:
    return _text(one) == _text(other)


def speaks_of(state: Any, is_stream: Callable[[str], bool]) -> bool:
    """Whether a run from `state` leaves out what a stream had before.

    Taps keep `{"bookmarks": {stream: {...}}}` by custom; of a state in another form it is assumed.
    """
    if not isinstance(state, dict) or not state:
        return state is not None and state != {}
    bookmarks = state.get("bookmarks")
    if not isinstance(bookmarks, dict):
        return True
    return any(_has_value(value) for name, value in bookmarks.items() if is_stream(name))


def _has_value(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_value(inner) for inner in value.values())
    if isinstance(value, list):
        return any(_has_value(inner) for inner in value)
    return value is not None


def _text(state: Any) -> bytes:
    return json.dumps(state, sort_keys=True, separators=(",", ":")).encode("ascii")


def _name(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:32]


def _folder() -> str:
    base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return os.path.join(base, "satchel", "singer")


def _keep(text: bytes) -> str:
    name, folder = _name(text), _folder()
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".new-", delete=False) as file:
        file.write(text)
    os.replace(file.name, os.path.join(folder, name))
    by_age = sorted(os.scandir(folder), key=lambda entry: entry.stat().st_mtime)
    for entry in by_age[:-FILES]:
        os.unlink(entry.path)
    return name
