"""Create, update and delete, with conflict detection and without."""

from __future__ import annotations

import json
import uuid
from typing import Any

from .clock import Clock, iso
from .errors import AppSyncError, condition_failed, conflict_unhandled
from .filters import Filter, matches
from .merge import automerge
from .model import Model, Record
from .settings import Settings
from .store import Store, Table


class Writer:
    """Applies mutations to the tables. Each method returns the item as it is afterwards."""

    def __init__(self, store: Store, settings: Settings, clock: Clock, versioned: bool) -> None:
        self.store = store
        self.settings = settings
        self.clock = clock
        self.versioned = versioned

    def create(self, model: Model, values: Record, condition: Filter | None) -> Record:
        table = self.store[model.name]
        now = self.clock.now_ms()
        record = {name: value for name, value in values.items() if name != "_version"}
        if not model.custom_key and record.get("id") is None:
            record["id"] = str(uuid.uuid4())
        for field in model.stored():
            if field.default is not None and record.get(field.name) is None:
                record[field.name] = default_value(field.type.name, field.default)
        for stamp in (model.created_at, model.updated_at):
            if stamp and record.get(stamp) is None:
                record[stamp] = iso(now)
        # A tombstone still holds its key: a create finds it and fails.
        if table.get(model.key_of(record)) is not None or not matches({}, condition):
            raise condition_failed(self.versioned)
        return self._store(table, record, 1, now)

    def update(self, model: Model, values: Record, condition: Filter | None) -> Record:
        table = self.store[model.name]
        existing = table.get(model.key_of(values))
        given = {name: value for name, value in values.items() if name != "_version"}
        if not self.versioned:
            if existing is None or not matches(existing, condition):
                raise condition_failed(False)
            return self._store(table, existing | given | self._stamp(model, given), 0)
        if existing is None:
            raise self._missing(values)
        if values.get("_version") == existing["_version"]:
            self._check(existing, condition)
            merged = existing | given
        else:
            merged = self._settle(model, existing, given)
            self._check(existing, condition)
        # Writing to a tombstone with its version brings the item back.
        merged = {name: value for name, value in merged.items() if name != "_deleted"}
        return self._store(table, merged | self._stamp(model, given), existing["_version"] + 1)

    def delete(self, model: Model, values: Record, condition: Filter | None) -> Record:
        table = self.store[model.name]
        key = model.key_of(values)
        existing = table.get(key)
        if not self.versioned:
            if existing is None or not matches(existing, condition):
                raise condition_failed(False)
            table.remove(key)
            return existing
        if existing is None:
            raise self._missing(values)
        if values.get("_version") != existing["_version"] and (
                self.settings.strategy != "LAMBDA_RESOLVE"):
            raise self._conflict(existing)
        self._check(existing, condition)
        gone = existing | {"_deleted": True} | self._stamp(model, {})
        return self._store(table, gone, existing["_version"] + 1)

    def _settle(self, model: Model, existing: Record, given: Record) -> Record:
        strategy = self.settings.strategy
        if strategy == "AUTOMERGE" and not existing.get("_deleted"):
            return automerge(existing, given, model.key)
        if strategy == "LAMBDA_RESOLVE":
            return existing | given
        raise self._conflict(existing)

    def _conflict(self, existing: Record) -> AppSyncError:
        return conflict_unhandled(existing if self.settings.conflict_data else None)

    def _missing(self, values: Record) -> AppSyncError:
        if values.get("_version"):
            return conflict_unhandled(None)
        return AppSyncError("ConditionalCheckFailedException",
                            "No existing item found in the data source")

    def _check(self, existing: Record, condition: Filter | None) -> None:
        if not matches(existing, condition):
            raise condition_failed(True)

    def _stamp(self, model: Model, given: Record) -> Record:
        name = model.updated_at
        return {name: self.clock.iso()} if name and given.get(name) is None else {}

    def _store(self, table: Table, record: Record, version: int,
               now: int | None = None) -> Record:
        if self.versioned:
            record |= {"_version": version, "_lastChangedAt": now or self.clock.now_ms()}
        table.put(record)
        return record


def default_value(scalar: str, text: Any) -> Any:
    """Returns the value that `@default(value: "...")` gives a field."""
    if scalar in ("Int", "AWSTimestamp", "Float", "Boolean") and isinstance(text, str):
        return json.loads(text)
    return text
