"""Reading: pages of a model, deltas, single records.

A collection has a clock: each change, a deletion too, gets the next tick as `last_modified`, and
`ETag` is the last one given. A cursor is a tick up to which everything was brought:

    first pull   pages by last_modified; the cursor is the clock's state before the first of them
    delta        everything later than the cursor, tombstones too

What a delta cannot tell is found out beside it, and the answer is then `cursor_expired`: that the
collection was made anew (its own `last_modified` changed), and that the server threw tombstones
away (the clock stands later than anything it has to show, or earlier than before, or the last
tombstone we know of is gone).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from satchel_protocol.failure import Failure
from satchel_protocol.jobs import Job

from .cursor import Cursor
from .filters import query_of
from .kinto import Kinto, fits_batch, is_missing_collection
from .models import Model, is_tombstone
from .reply import Reply

LARGEST_PAGE = 1000
# The epoch of a collection whose metadata may not be read.
UNKNOWN = 0


class Pull:
    """One page of a model."""

    def __init__(self, job: Job, kinto: Kinto, model: Model) -> None:
        self._job = job
        self._kinto = kinto
        self._model = model

    def page(self, cursor: Cursor, limit: int, filter: Any) -> dict[str, Any]:
        """The result of `pull`."""
        is_start = cursor.since is None
        epoch = cursor.epoch
        if is_start:
            # Before the records: made anew in between, the next delta finds another epoch.
            epoch = self._epoch()
            if epoch is None:
                return self._nothing(cursor)
        reply = self._records(cursor, limit, filter)
        if reply is None:
            return self._result([], cursor, False)
        records = reply.data
        if not isinstance(records, list):
            raise Failure("retryable", f"{self._kinto.settings.place} answers without records")
        token = reply.next_token
        if is_start:
            cursor = Cursor(epoch, reply.etag or 0, None, True)
        elif token is None or cursor.token is None:
            self._check_epoch(cursor)
        ticks = [data.get("last_modified") for data in records if isinstance(data, dict)]
        seen = max([tick for tick in ticks if isinstance(tick, int)] + [cursor.seen])
        new = replace(cursor, token=token, seen=seen)
        if not new.is_first:
            if cursor.token is None:
                if (reply.etag or 0) < (cursor.since or 0):
                    raise self._purged()
                self._check_grave(cursor, records)
            new = replace(new, grave=_newest_grave(records) or new.grave)
        if token is None:
            new = self._ended(new, reply)
        return self._result(records, new, token is not None)

    def _records(self, cursor: Cursor, limit: int, filter: Any) -> Reply | None:
        """A page of records; None where nothing changed since the cursor."""
        query: dict[str, Any] = {
            "_sort": "last_modified,id", "_limit": max(1, min(limit, LARGEST_PAGE)),
        }
        headers = {}
        if cursor.token is not None:
            query["_token"] = cursor.token
        if cursor.since is None or cursor.is_first:
            # A delta is not filtered: tombstones have no fields, and what changed may have left
            # the filter.
            query.update(query_of(filter, self._model) or {})
        else:
            query["_since"] = f'"{cursor.since}"'
            if cursor.token is None:
                headers["If-None-Match"] = f'"{cursor.since}"'
        path = self._kinto.records_path(self._model.collection)
        reply = self._kinto.get(self._job, path, query, headers)
        if reply.status == 304:
            return None
        if is_missing_collection(reply):
            raise self._gone()
        if reply.status == 400 and cursor.token is not None:
            raise Failure("cursor_expired", "the server does not know the place any more")
        if reply.status in (401, 403):
            raise self._kinto.denial(self._job, reply, self._model.collection)
        if reply.status != 200:
            raise self._kinto.failure(reply, f"the records of {self._model.collection}")
        return reply

    # What a delta cannot tell.

    def _epoch(self) -> int | None:
        """When the collection was last made or described; None where there is none."""
        reply = self._kinto.get(self._job, self._kinto.collection_path(self._model.collection))
        if is_missing_collection(reply):
            return None
        if reply.status == 403:
            return UNKNOWN
        if reply.status != 200:
            raise self._kinto.failure(reply, f"the collection {self._model.collection}")
        data = reply.data
        tick = data.get("last_modified") if isinstance(data, dict) else None
        return tick if isinstance(tick, int) else UNKNOWN

    def _check_epoch(self, cursor: Cursor) -> None:
        now = self._epoch()
        if now is None:
            raise self._gone()
        if cursor.epoch and now and now != cursor.epoch:
            raise Failure(
                "cursor_expired", f"the collection {self._model.collection} is another one now")

    def _check_grave(self, cursor: Cursor, records: list[Any]) -> None:
        """Tombstones are thrown away oldest first: one that is still there vouches for the rest."""
        if cursor.grave is None:
            return
        tick, id = cursor.grave
        if any(isinstance(data, dict) and data.get("id") == id for data in records):
            return
        found = self._graves({"_since": tick - 1, "_before": tick + 1})
        if found is None or any(data.get("id") == id for data in found):
            return
        path = self._kinto.record_path(self._model.collection, id)
        if self._kinto.get(self._job, path).status == 404:
            raise self._purged()

    def _ended(self, cursor: Cursor, reply: Reply) -> Cursor:
        """The cursor at rest, after the last page."""
        if cursor.is_first:
            since, grave = cursor.since or 0, None
            found = self._graves({"_since": 0, "_before": since + 1, "deleted": "true"})
            if found:
                grave = (found[0]["last_modified"], found[0]["id"])
            return Cursor(cursor.epoch, since, grave=grave)
        since = max(cursor.seen, cursor.since or 0)
        if cursor.epoch and (reply.etag or 0) > since:
            raise self._purged()
        return Cursor(cursor.epoch, since, grave=cursor.grave)

    def _graves(self, query: dict[str, Any]) -> list[dict[str, Any]] | None:
        """Tombstones, the newest alone; None where the server does not say."""
        path = self._kinto.records_path(self._model.collection)
        query = {**query, "_sort": "-last_modified", "_limit": 1}
        reply = self._kinto.get(self._job, path, query)
        if reply.status != 200 or not isinstance(reply.data, list):
            return None
        return [data for data in reply.data if isinstance(data, dict) and is_tombstone(data)]

    def _gone(self) -> Failure:
        return Failure("cursor_expired", f"the collection {self._model.collection} is gone")

    def _purged(self) -> Failure:
        return Failure(
            "cursor_expired",
            f"deletions in {self._model.collection} were purged from the server since last time")

    def _nothing(self, cursor: Cursor) -> dict[str, Any]:
        if cursor.epoch is not None:
            raise self._gone()
        return self._result([], Cursor(), False)

    def _result(self, records: list[Any], cursor: Cursor, more: bool) -> dict[str, Any]:
        return {
            "records": [self._model.item(data) for data in records],
            "cursor": cursor.written(), "more": more, "complete": True,
            "epoch": cursor.epoch or None,
        }


def fetch(job: Job, kinto: Kinto, model: Model, ids: list[str]) -> list[dict[str, Any]]:
    """Single records; what is not there is answered as deleted."""
    found: list[dict[str, Any]] = []
    size = kinto.batch_limit(job)
    for start in range(0, len(ids), size):
        part = ids[start:start + size]
        for id, reply in zip(part, _replies(job, kinto, model, part)):
            if reply.status == 200:
                found.append({**model.item(reply.data), "id": id})
            elif reply.status == 404 and reply.is_kinto or reply.status == 400:
                # No record has an id that Kinto does not take.
                found.append({"id": id, "deleted": True})
            elif reply.status in (401, 403):
                raise kinto.denial(job, reply, model.collection)
            else:
                raise kinto.failure(reply, f"the record {id[:100]}")
    return found


def _replies(job: Job, kinto: Kinto, model: Model, ids: list[str]) -> list[Reply]:
    paths = [kinto.record_path(model.collection, id) for id in ids]
    if len(paths) == 1 or not all(fits_batch(path) for path in paths):
        return [kinto.get(job, path) for path in paths]
    return kinto.batch(job, [{"method": "GET", "path": path} for path in paths])


def _newest_grave(records: list[Any]) -> tuple[int, str] | None:
    graves = [
        (data["last_modified"], data["id"]) for data in records
        if isinstance(data, dict) and is_tombstone(data)
        and isinstance(data.get("last_modified"), int) and isinstance(data.get("id"), str)
    ]
    return max(graves, default=None)
