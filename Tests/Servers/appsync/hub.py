"""Subscriptions, and what each is sent of a mutation."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any, Protocol

from .access import Access, access, mode_allowed
from .api import Answer, Api, Request
from .context import Change
from .errors import AppSyncError, not_authorized
from .faults import Fault, FaultPlan
from .filters import Filter, combinations, matches
from .identity import Identity
from .journal import Journal
from .model import Model, Record
from .sdl import owner_fields
from .selection import project

Message = dict[str, Any]


class Sink(Protocol):
    """A connection that takes messages in order."""

    def post(self, message: Message | str) -> None: ...


@dataclass
class Subscription:
    sink: Sink
    id: str
    field: str
    request: Request
    identity: Identity
    condition: Filter
    access: Access


class Hub:
    """Matches mutations with subscriptions."""

    def __init__(self, api: Api, plan: FaultPlan, journal: Journal) -> None:
        self.api = api
        self.plan = plan
        self.journal = journal
        self.subscriptions: list[Subscription] = []
        self._held: list[tuple[Subscription, Message]] = []
        self.fields: dict[str, Model] = {}
        for model in api.amplify.models.values():
            names = model.operations
            for name in (names.on_create, names.on_update, names.on_delete):
                if name:
                    self.fields[name] = model

    def subscribe(self, sink: Sink, number: str, request: Request,
                  identity: Identity) -> list[Message]:
        """Adds a subscription, or returns the errors that refuse it."""
        prepared = self.api.prepare(request.query)
        if prepared.refusals:
            return [{"message": each["message"]} for each in prepared.refusals]
        kind, fields = self.api.describe(request)
        if kind != "subscription":
            return [{"errorType": "UnsupportedOperation",
                     "message": "Operation not supported through the realtime channel"}]
        trial = self.api.execute(request, identity, root={})
        if trial.errors and trial.errors[0]["path"] is None:
            return [{"message": trial.errors[0]["message"]}]
        field = fields[0]
        try:
            found = self._check(field, identity, trial.arguments)
        except AppSyncError as error:
            return [{"errorType": error.error_type, "message": error.message}]
        condition = dict(trial.arguments.get("filter") or {})
        for owner in owner_fields(self.fields[field]):
            if trial.arguments.get(owner) is not None:
                condition = {"and": [condition, {owner: {"eq": trial.arguments[owner]}}]}
        self.subscriptions.append(
            Subscription(sink, number, field, request, identity, condition, found))
        self.journal.count("subscribed")
        return []

    def _check(self, field: str, identity: Identity, arguments: dict[str, Any]) -> Access:
        """Returns which items may be sent. Raises for a caller or a filter that is refused."""
        model = self.fields[field]
        if not mode_allowed(model, identity):
            raise not_authorized(field, model.name)
        found = access(model.rules, identity, "listen")
        if found.none:
            raise not_authorized(field, "Subscription")
        if not found.whole:
            for rule in found.item:
                given = arguments.get(rule.owner_field)
                if given is not None and given not in identity.owner_values(rule.identity_claim):
                    raise not_authorized(field, "Subscription")
        self._check_filter(arguments.get("filter"))
        return found

    def _check_filter(self, condition: Filter | None) -> None:
        settings = self.api.settings
        branches = combinations(condition)
        problem = None
        if len(branches) > settings.max_filter_combinations:
            problem = "Filters combination exceed maximum limit " \
                      f"{settings.max_filter_combinations}."
        elif any(len(branch) > settings.max_filter_attributes for branch in branches):
            problem = "Filters exceed maximum attributes limit " \
                      f"{settings.max_filter_attributes}."
        elif any(len({name for name, _ in branch}) < len(branch) for branch in branches):
            problem = "Filters with same fieldName multiple time in a group are not allowed."
        if problem:
            raise AppSyncError("BadRequestException", problem)

    def unsubscribe(self, sink: Sink, number: str | None = None) -> bool:
        """Removes a subscription, or all of a connection's."""
        before = len(self.subscriptions)
        self.subscriptions = [
            each for each in self.subscriptions
            if each.sink is not sink or number not in (None, each.id)
        ]
        self.journal.wake()
        return len(self.subscriptions) < before

    def publish(self, change: Change, answer: Answer) -> None:
        """Sends a mutation's answer to its subscribers: what it selected, and no more."""
        value = (answer.data or {}).get(change.response_key)
        name = getattr(change.model.operations, f"on_{change.verb}")
        subscribers = [each for each in self.subscriptions if each.field == name]
        if value is None or not subscribers:
            return
        payload: Record = {}
        for node in change.nodes:
            payload |= project(value, node.selection_set, answer.fragments, True)
        for each in subscribers:
            if not (matches(payload, each.condition)
                    and each.access.grants(each.identity, payload)):
                continue
            fault = self.plan.take("event", [name])
            content = payload
            if fault and fault.type == "partial":
                kept = fault.values.get("fields", ["id"])
                content = {key: payload[key] for key in kept if key in payload}
            self._send(each, self._shape(each, content), fault)

    def _shape(self, subscription: Subscription, payload: Record) -> Message:
        answer = self.api.execute(subscription.request, subscription.identity,
                                  root={subscription.field: payload})
        content: Message = {"data": answer.data}
        if answer.errors:
            content["errors"] = [{"message": each["message"], "path": each["path"]}
                                 for each in answer.errors]
        return {"id": subscription.id, "type": "data", "payload": content}

    def _send(self, to: Subscription, message: Message, fault: Fault | None) -> None:
        if len(json.dumps(message)) > self.api.settings.event_bytes:
            self.journal.count("events_too_large")  # AppSync drops it, and tells no one.
            return
        kind = fault.type if fault else None
        if kind == "lose":
            self.journal.count("events_lost")
            return
        if kind == "reorder":
            self._held.append((to, message))
            return
        if kind == "delay" and fault:
            loop = asyncio.get_running_loop()
            loop.call_later(fault.number("seconds", 1), to.sink.post, message)
            return
        to.sink.post(json.dumps(message)[:-10] if kind == "corrupt" else message)
        self.journal.count("events", *(["events"] if kind == "duplicate" else []))
        if kind == "duplicate":
            to.sink.post(message)
        held, self._held = self._held, []
        for subscription, late in held:
            subscription.sink.post(late)
            self.journal.count("events")
