"""Faults on demand: what is to go wrong, and for which of the next requests."""

from __future__ import annotations

import itertools
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from .context import FieldFault

# Where a fault strikes, and what may happen there.
KINDS = {
    "request": ("status", "cut_before", "cut_after", "cut_during", "delay", "unauthorized",
                "too_large", "error", "malformed", "partial", "empty_page", "base_sync"),
    "event": ("lose", "duplicate", "reorder", "delay", "partial", "corrupt"),
    "start": ("error", "ignore", "delay"),
    "connect": ("refuse", "error", "no_ack"),
}
# Short names for errors inside a 200.
PRESETS: dict[str, dict[str, Any]] = {
    "throttled": {"error_type": "DynamoDB:ProvisionedThroughputExceededException",
                  "message": "The level of configured provisioned throughput for the table was "
                             "exceeded."},
    "internal": {"error_type": "InternalFailure",
                 "message": "An internal failure occurred while resolving this field."},
    "conflict": {"error_type": "ConflictUnhandled",
                 "message": "Conflict resolver rejects mutation.", "data": True},
    "condition": {"error_type": "ConditionalCheckFailedException",
                  "message": "The conditional request failed"},
    "denied": {"error_type": "Unauthorized", "message": "Not Authorized to access this field"},
    "disabled": {"error_type": "OperationDisabled", "message": "The operation is disabled."},
}


@dataclass
class Fault:
    """A planned fault.

    `operation` is a pattern over the operation's name and its root fields, `kind` one of query,
    mutation, subscription. It passes over `skip` matches, then strikes `count` of them.
    """

    id: int
    on: str
    type: str
    operation: str = "*"
    kind: str | None = None
    count: int = 1
    skip: int = 0
    struck: int = 0
    values: dict[str, Any] = field(default_factory=dict)

    def number(self, name: str, default: float) -> float:
        return float(self.values.get(name, default))

    def text(self, name: str, default: str) -> str:
        return str(self.values.get(name, default))

    def field_fault(self) -> FieldFault | None:
        """Returns what the resolvers are to meet, where this fault is theirs."""
        if self.type != "error":
            return None
        return FieldFault(
            self.text("error_type", "InternalFailure"),
            self.text("message", "A fault of the test."),
            after=bool(self.values.get("after")), with_data=bool(self.values.get("data")))

    def describe(self) -> dict[str, Any]:
        return asdict(self)


class FaultPlan:
    """The faults still to come, in the order they were asked for."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self._ids = itertools.count(1)

    def add(self, values: dict[str, Any]) -> Fault:
        """Adds a fault from its JSON. Raises `ValueError` for a type that is not known."""
        rest = dict(values)
        on, kind = rest.pop("on", "request"), rest.pop("type", "")
        if kind in PRESETS:
            rest = PRESETS[kind] | rest
            kind = "error"
        if kind not in KINDS.get(on, ()):
            raise ValueError(f"no fault {kind!r} on {on!r}; there are "
                             f"{', '.join((*KINDS.get(on, KINDS), *PRESETS))}")
        own = {name: rest.pop(name) for name in ("operation", "kind", "count", "skip")
               if name in rest}
        fault = Fault(next(self._ids), on, kind, **own, values=rest)
        self.faults.append(fault)
        return fault

    def take(self, on: str, names: list[str], kind: str | None = None) -> Fault | None:
        """Returns the fault that strikes now, if any, and counts it."""
        for fault in self.faults:
            if fault.on != on or fault.struck >= fault.count:
                continue
            if fault.kind not in (None, kind):
                continue
            if not any(fnmatchcase(name, fault.operation) for name in names or [""]):
                continue
            if fault.skip > 0:
                fault.skip -= 1
                continue
            fault.struck += 1
            return fault
        return None

    def clear(self) -> None:
        self.faults.clear()
