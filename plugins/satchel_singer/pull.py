"""Pages of a model.

    cursor                      means
    null                        from the start
    {state}                     what came since the tap's STATE
    {whole}                     the same, as older versions wrote it
    {run, base, n, digest}      in the middle of a run: n bytes of records after the state `base`

The last page of a stream that the tap gives whole each time has the cursor null.

A cursor in the middle outlives its run. The tap is then run again from `base`, and the n bytes
are left out if they are the same ones again, which their digest tells; else everything is brought
again: twice is harmless, never is not.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from typing import Any

from satchel_protocol.failure import Failure
from satchel_protocol.jobs import Job

from . import states
from .run import Run
from .source import Source

LARGEST_PAGE = 1000
# The longest that a page is waited for, in seconds; an empty one then says that more follows.
PATIENCE = 15.0
# For how long after its last use an ended run may serve another model, in seconds.
FRESH = 10.0


@dataclass(frozen=True)
class Cursor:
    """How far a model was pulled; the host keeps it."""

    # The state that the pull, or the rest of it, starts from; as `states` writes it.
    base: Any = None
    # All is brought each time: there is nothing to go on from.
    is_whole: bool = False
    # The run, and the place in it; None at rest.
    run: str | None = None
    position: int = 0
    # The place of the mark whose state `base` is.
    mark: int = 0
    digest: str = ""
    # Counts empty pages, for a cursor must not come twice.
    tick: int = 0
    # This pull goes on from an earlier one.
    is_delta: bool = False
    # Where `position` is still to be compared with what the run brings.
    is_unproven: bool = False
    # The version of the stream that the workspace has.
    version: Any = None

    @classmethod
    def read(cls, value: Any) -> Cursor:
        """Raises `Failure` of the kind `cursor_expired` for what is none."""
        if value is None:
            return cls()
        try:
            if value["v"] != 1:
                raise ValueError
            if value.get("whole"):
                return cls(is_whole=True)
            cursor = cls(
                base=value["base"], run=value.get("run"), position=value.get("n", 0),
                mark=value.get("mark", 0), digest=value.get("digest", ""),
                tick=value.get("tick", 0), is_delta=value.get("delta", True),
                is_unproven=value.get("unproven", False), version=value.get("version"))
            if not all(isinstance(n, int) for n in (cursor.position, cursor.mark, cursor.tick)):
                raise ValueError
        except (AttributeError, KeyError, TypeError, ValueError):
            raise Failure("cursor_expired", "the cursor is none of this backend") from None
        return cursor

    def written(self) -> dict[str, Any]:
        value: dict[str, Any] = {"v": 1, "base": self.base}
        if self.run is not None:
            value.update(
                run=self.run, n=self.position, mark=self.mark, digest=self.digest, tick=self.tick,
                delta=self.is_delta)
            if self.is_unproven:
                value["unproven"] = True
        if self.version is not None:
            value["version"] = self.version
        return value


class Puller:
    """Serves pages out of one run at a time."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._run: Run | None = None

    def stop(self) -> None:
        """Ends the run; from any thread."""
        if self._run is not None:
            self._run.stop()

    def close(self) -> None:
        if self._run is not None:
            self._run.close()

    def page(self, job: Job, model: str, cursor: Cursor, limit: int) -> bytes:
        """The JSON of the result of `pull`; raises `Failure`."""
        if cursor.is_whole:
            raise Failure(
                "cursor_expired", f"{self._source.settings.name} has no state for {model}")
        limit = max(1, min(limit, LARGEST_PAGE))
        run, cursor = self._begun(model, cursor)
        flow = run.flow(model)
        end = time.monotonic() + PATIENCE
        if cursor.is_unproven:
            self._prove(job, run, model, cursor, end)
            if flow.spool.size < cursor.position and not run.has_ended:
                return _result([], replace(cursor, tick=cursor.tick + 1), True)
            mark = cursor.mark
            is_same = (
                flow.spool.size >= cursor.position
                and flow.spool.digest(mark, cursor.position) == cursor.digest)
            if not is_same:
                self._source.log("info", f"{model} is brought again from the tap's last state")
            cursor = replace(
                cursor, is_unproven=False, position=cursor.position if is_same else 0)
        # Looked at before the lines are: nothing can come after that.
        has_ended = run.has_ended
        lines = flow.spool.read(cursor.position, limit)
        if len(lines) < limit and not has_ended:
            count = flow.spool.count - len(lines) + limit
            run.wait(job, flow, cursor.position, count, max(0.1, end - time.monotonic()))
            has_ended = run.has_ended
            lines = flow.spool.read(cursor.position, limit)
        position = cursor.position + sum(len(line) + 1 for line in lines)
        if lines or not has_ended:
            return self._middle(run, model, cursor, lines, position)
        return self._end(run, model, cursor)

    def _prove(self, job: Job, run: Run, model: str, cursor: Cursor, end: float) -> None:
        flow = run.flow(model)
        while (
            flow.spool.size < cursor.position and not run.has_ended and time.monotonic() < end
        ):
            run.wait(job, flow, flow.spool.size, flow.spool.count + LARGEST_PAGE, 1.0)

    def _begun(self, model: str, cursor: Cursor) -> tuple[Run, Cursor]:
        """The run to serve from, and the cursor in it."""
        run = self._run
        if cursor.run is not None:
            if run is not None and run.id == cursor.run and run.is_usable:
                return run, cursor
            run = self._started(states.read(cursor.base))
            run.begun.add(model)
            # Positions of the new run begin at the old one's mark.
            count = cursor.position - cursor.mark
            return run, replace(
                cursor, run=run.id, position=count, mark=0, is_unproven=count > 0)
        is_delta = cursor.base is not None
        base = states.read(cursor.base) if is_delta else self._source.settings.state
        if not self._can_serve(run, model, base, is_delta):
            run = self._started(base)
        assert run is not None
        run.begun.add(model)
        return run, Cursor(
            base=cursor.base, run=run.id, is_delta=is_delta, version=cursor.version)

    def _can_serve(self, run: Run | None, model: str, base: Any, is_delta: bool) -> bool:
        if run is None or run.failure is not None or not run.is_usable or model in run.begun:
            return False
        if run.has_ended and time.monotonic() - run.used_at > FRESH:
            return False
        if states.is_same(run.base, base):
            return True
        return not is_delta and base is None and run.is_from_start(model)

    def _started(self, base: Any) -> Run:
        if self._run is not None:
            self._run.close()
        self._source.begin()
        self._run = Run(self._source, base)
        return self._run

    def _middle(
        self, run: Run, model: str, cursor: Cursor, lines: list[bytes], position: int
    ) -> bytes:
        flow = run.flow(model)
        mark, state = run.mark_before(flow, position)
        following = replace(
            cursor, base=states.written(state), position=position, mark=mark,
            digest=flow.spool.digest(mark, position), tick=cursor.tick + (not lines))
        return _result(lines, following, True)

    def _end(self, run: Run, model: str, cursor: Cursor) -> bytes:
        flow = run.flow(model)
        if run.failure is not None:
            run.is_usable = False
            raise run.failure
        is_new_version = flow.version is not None and flow.version != cursor.version
        if cursor.is_delta and is_new_version and cursor.version is not None:
            # All of it came, under another version: what did not is gone.
            run.begun.discard(model)
            flow.is_whole = True
            raise Failure("cursor_expired", f"the tap has a new version of {model}")
        if not flow.is_known and not cursor.is_delta:
            names = ", ".join(sorted(run.streams)[:20]) or "none"
            raise Failure(
                "permanent", f"{self._source.settings.name} has no stream for {model}; it has "
                f"{names}: set the config key models to STREAM={model}")
        if run.is_incomplete:
            return _result([], replace(cursor, tick=cursor.tick + 1), False, is_complete=False)
        speaks = states.speaks_of(
            run.state, lambda stream: self._source.model_of(stream) == model)
        if flow.is_whole and not is_new_version or not speaks:
            return _result([], None, False)
        version = flow.version if flow.version is not None else cursor.version
        return _result([], Cursor(states.written(run.state), version=version), False)


def _result(
    lines: list[bytes], cursor: Cursor | None, more: bool, is_complete: bool = True
) -> bytes:
    rest = json.dumps(
        {"cursor": cursor and cursor.written(), "more": more, "complete": is_complete},
        separators=(",", ":")).encode("ascii")
    return b'{"records":[' + b",".join(lines) + b"]," + rest[1:]
