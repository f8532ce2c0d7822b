"""Lists, index queries, and the sync query over base and delta tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .clock import Clock
from .errors import AppSyncError
from .filters import Filter, matches
from .model import Key, Model, Record
from .paging import Token, decode
from .settings import Settings
from .store import Store, place_of

Page = dict[str, Any]
Visible = Callable[[Record], bool]
# An argument no client can give: look at no item, and answer a token that goes on from here.
EMPTY = "__empty"


class Reader:
    """Answers pages. `limit` counts the items looked at, and filters come after."""

    def __init__(self, store: Store, settings: Settings, clock: Clock, versioned: bool) -> None:
        self.store = store
        self.settings = settings
        self.clock = clock
        self.versioned = versioned

    def get(self, model: Model, key: Key) -> Record | None:
        self._expire(model)
        return self.store[model.name].get(key)

    def listing(self, field: str, model: Model, arguments: dict[str, Any],
                visible: Visible) -> Page:
        """Scans a table, or queries it where the partition key is given."""
        first = model.key[0]
        if model.custom_key and arguments.get(first) is not None:
            return self.query(field, model, model.key, (arguments[first],), arguments, visible)
        return self._scan(field, model, arguments, visible, None)

    def sync(self, field: str, model: Model, arguments: dict[str, Any],
             visible: Visible) -> Page:
        """The base table whole, or the delta table where `lastSync` is within its TTL."""
        token = decode(arguments.get("nextToken"), field)
        last_sync = arguments.get("lastSync")
        if token is not None:
            if token.since is None:
                return self._scan(field, model, arguments, visible, token)
            return self._delta(field, model, arguments, visible, token)
        now = self.clock.now_ms()
        if last_sync is None or last_sync < now - self.settings.delta_ttl_ms:
            return self._scan(field, model, arguments, visible, Token(field, now))
        return self._delta(field, model, arguments, visible, Token(field, now, since=last_sync))

    def query(self, field: str, model: Model, fields: tuple[str, ...], partition: tuple[Any, ...],
              arguments: dict[str, Any], visible: Visible) -> Page:
        """Queries an index: the items of a partition in the order of its sort keys."""
        self._expire(model)
        token = decode(arguments.get("nextToken"), field) or Token(field, self.clock.now_ms())
        sort = fields[len(partition):]
        condition = sort_condition(sort, arguments)
        found = [
            each for each in self.store[model.name].records.values()
            if all(each.get(name) == value
                   for name, value in zip(fields, partition, strict=False))
            and all(each.get(name) is not None for name in sort) and condition(each)
        ]
        found.sort(key=lambda each: [*(each[name] for name in sort),
                                     place_of(model.key_of(each))[0]],
                   reverse=arguments.get("sortDirection") == "DESC")
        limit = self._limit(arguments)
        items = self._within(found[token.offset:], limit)
        end = token.offset + len(items)
        following = Token(field, token.started_at, offset=end) if end < len(found) else None
        return self._page(items, arguments, visible, token.started_at, following)

    def _scan(self, field: str, model: Model, arguments: dict[str, Any], visible: Visible,
              token: Token | None) -> Page:
        self._expire(model)
        table = self.store[model.name]
        token = token or decode(arguments.get("nextToken"), field) or Token(
            field, self.clock.now_ms())
        limit = self._limit(arguments)
        keys = table.scan(token.after, limit + 1)  # One more tells whether another page follows.
        items = self._within((table.records[key] for key in keys), limit)
        following = None
        if len(items) < len(keys):
            after = place_of(model.key_of(items[-1]))[0] if items else token.after
            following = Token(field, token.started_at, after=after)
        return self._page(items, arguments, visible, token.started_at, following)

    def _delta(self, field: str, model: Model, arguments: dict[str, Any], visible: Visible,
               token: Token) -> Page:
        """Every write since `lastSync`: an item written twice comes twice."""
        horizon = self.clock.now_ms() - self.settings.delta_ttl_ms
        entries = self.store[model.name].changes(token.since or 0)
        live = [each.record for each in entries if each.changed_at >= horizon]
        items = self._within(live[token.offset:], self._limit(arguments))
        end = token.offset + len(items)
        following = None
        if end < len(live):
            following = Token(field, token.started_at, offset=end, since=token.since)
        return self._page(items, arguments, visible, token.started_at, following)

    def _expire(self, model: Model) -> None:
        if self.versioned:
            before = self.clock.now_ms() - self.settings.base_ttl_ms
            self.store[model.name].expire(before)

    def _limit(self, arguments: dict[str, Any]) -> int:
        if arguments.get(EMPTY):
            return 0
        limit = arguments.get("limit")
        if limit is None:
            return self.settings.default_limit
        if limit < 1:
            raise AppSyncError("BadRequestException", "Limit must be greater than 0.")
        return min(int(limit), self.settings.max_limit)

    def _within(self, records: Iterable[Record], limit: int) -> list[Record]:
        """Returns the items one request scans: up to `limit`, and up to a page's bytes."""
        items: list[Record] = []
        room = self.settings.page_bytes
        for record in records:
            if len(items) == limit or room <= 0:
                break
            items.append(record)
            room -= weight(record)
        return items

    def _page(self, items: list[Record], arguments: dict[str, Any], visible: Visible,
              started_at: int, following: Token | None) -> Page:
        condition: Filter | None = arguments.get("filter")
        page: Page = {
            "items": [each for each in items if matches(each, condition) and visible(each)],
            "nextToken": following.encode() if following else None,
        }
        if self.versioned:
            page["startedAt"] = started_at
        return page


def weight(value: Any) -> int:
    """Returns about how many bytes DynamoDB counts for a value: texts, names, and little else."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(len(name) + weight(each) for name, each in value.items())
    return sum(map(weight, value)) if isinstance(value, list) else 8


def sort_condition(sort: tuple[str, ...], arguments: dict[str, Any]) -> Callable[[Record], bool]:
    """Returns what a query's sort-key argument demands of an item."""
    if not sort:
        return lambda record: True
    name = sort[0] + "".join(each[:1].upper() + each[1:] for each in sort[1:])
    given = arguments.get(name)
    if not given:
        return lambda record: True
    if len(sort) == 1:
        return lambda record: matches(record, {sort[0]: given})
    operator, operand = next((name, value) for name, value in given.items() if value is not None)

    def joined(values: Record) -> str:
        parts = [str(values[each]) for each in sort if values.get(each) is not None]
        return "#".join(parts)

    def holds(record: Record) -> bool:
        wanted = [joined(each) for each in operand] if operator == "between" else joined(operand)
        return matches({"sort": joined(record)}, {"sort": {operator: wanted}})

    return holds
