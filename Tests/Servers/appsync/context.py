"""What one execution carries through the resolvers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from graphql import FieldNode

from .errors import AppSyncError
from .identity import Identity
from .model import Model, Record
from .selection import Fragments

Verb = Literal["create", "update", "delete"]


@dataclass(frozen=True)
class FieldFault:
    """A fault that a resolver meets, before or after its effect."""

    error_type: str
    message: str
    after: bool = False
    with_data: bool = True


@dataclass(frozen=True)
class Change:
    """A write that was applied, and the answer it is announced with."""

    model: Model
    verb: Verb
    record: Record
    response_key: str
    nodes: tuple[FieldNode, ...]


@dataclass
class Context:
    identity: Identity
    fragments: Fragments
    fault: FieldFault | None = None
    empty_page: bool = False
    ignore_last_sync: bool = False
    # Shaping the payload of an event: every value comes from it, nothing is looked up.
    event: bool = False
    changes: list[Change] = field(default_factory=list)
    arguments: dict[str, Any] = field(default_factory=dict)

    def meet(self, after: bool, data: Callable[[], Any] = lambda: None) -> None:
        """Raises the planned fault where it is due."""
        fault = self.fault
        if fault is not None and fault.after == after:
            raise AppSyncError(fault.error_type, fault.message,
                               data() if fault.with_data else None)
