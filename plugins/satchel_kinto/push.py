"""Writing: operations in batches, each with a verdict.

Every write is conditional: a create says `If-None-Match: *`, everything else `If-Match` with the
version it was made on. So what arrives twice, because an answer was lost, meets a newer version;
where the record then is what the operation makes of it, the operation is done.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Mapping

from satchel_protocol.failure import Failure
from satchel_protocol.jobs import Job

from .kinto import Kinto, fits_batch, is_missing_collection
from .models import RESERVED, Model, Models
from .transport import Reply

# The ids Kinto takes (kinto.views.RelaxedUUID).
ID = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_-]*")
MERGE_PATCH = {"Content-Type": "application/merge-patch+json"}

Verdict = dict[str, Any]


class Refused(Exception):
    """An operation that need not be sent: its verdict."""

    def __init__(self, message: str, code: str, field: str | None = None) -> None:
        super().__init__(message)
        self.verdict: Verdict = {"outcome": "rejected", "message": message, "code": code}
        if field is not None:
            self.verdict["field"] = field


@dataclass(frozen=True)
class Operation:
    """An operation and how it is said to Kinto."""

    key: str
    model: Model
    id: str
    kind: str
    # The record, or the fields of it, as they are to be; nothing for a delete.
    data: Mapping[str, Any]
    method: str
    path: str
    condition: Mapping[str, str]
    # Fields are taken away by a request of another type, which no batch can hold.
    clears: bool = False

    @property
    def is_alone(self) -> bool:
        return self.clears or not fits_batch(self.path)

    @property
    def request(self) -> dict[str, Any]:
        """An element of a batch."""
        request: dict[str, Any] = {
            "method": self.method, "path": self.path, "headers": dict(self.condition)}
        if self.method != "DELETE":
            request["body"] = {"data": dict(self.data)}
        return request

    def as_create(self) -> Operation:
        """The same where there is no record any more."""
        return Operation(
            self.key, self.model, self.id, "create", self.data, "PUT", self.path,
            {"If-None-Match": "*"})


def read_operation(op: Mapping[str, Any], models: Models, kinto: Kinto) -> Operation:
    """Raises `Refused` for what Kinto has no place for."""
    try:
        model = models.model(op.get("model"))
    except Failure as failure:
        raise Refused(failure.message, "model") from None
    id, kind, base = op.get("id"), op.get("kind"), op.get("base_version")
    if model.key is None:
        raise Refused(f"{model.name} has a key of several fields, Kinto ids have one", "key")
    if not isinstance(id, str) or not ID.fullmatch(id):
        raise Refused(
            "a Kinto id is made of letters, digits, - and _", "id", model.key)
    changed, record = _members(op.get("set")), _members(op.get("record"))
    fields = {"update": changed, "delete": {}}.get(str(kind), record)
    _check(fields, changed, model, str(kind))
    data = model.data(fields)
    path = kinto.record_path(model.collection, id)
    is_known = isinstance(base, int) and not isinstance(base, bool) and base > 0
    # Without a base it has to meet what is there: a version that nothing has. (0 is none to Kinto.)
    condition = {"If-Match": f'"{base if is_known else 1}"'}
    if kind == "delete":
        return Operation(op["key"], model, id, kind, {}, "DELETE", path, condition)
    if kind == "update":
        clears = None in data.values()
        # A merge goes into objects, where a change replaces them.
        clears = clears and not any(isinstance(value, dict) for value in data.values())
        return Operation(op["key"], model, id, kind, data, "PATCH", path, condition, clears)
    if kind not in ("create", "replace"):
        raise Refused(f"Kinto knows no operation {str(kind)[:50]}", "kind")
    data = {name: value for name, value in data.items() if value is not None}
    if kind == "create" or not is_known:
        condition = {"If-None-Match": "*"}
    return Operation(op["key"], model, id, kind, data, "PUT", path, condition)


def _members(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _check(
    fields: Mapping[str, Any], changed: Mapping[str, Any], model: Model, kind: str
) -> None:
    for name, value in changed.items():
        if name in RESERVED and name != model.key and value is not None:
            raise Refused(f"{name} is Kinto's own: name the field otherwise", "reserved", name)
        # A record that is made anew may bring members along that others gave it.
        if name not in model.fields and kind == "update":
            raise Refused(f"{model.name} has no field {name[:100]}", "field", name)
    # An update answers for what it changes; a record that is made, for all of it.
    for name in fields if kind not in ("create", "replace") else {**model.fields, **fields}:
        field = model.fields.get(name, {})
        is_needed = field.get("required") and not field.get("read_only") and name != model.key
        if is_needed and fields.get(name) is None:
            raise Refused(f"{name} is required", "required", name)


class Push:
    """The verdicts on the operations of one push."""

    def __init__(self, job: Job, kinto: Kinto, models: Models) -> None:
        self._job = job
        self._kinto = kinto
        self._models = models
        self._verdicts: dict[str, Verdict] = {}
        self._denials: dict[str, Failure] = {}
        # Collections that were made for this push, and those that need not be.
        self._made: set[str] = set()
        self._there: set[str] = set()
        self._total = 0

    def run(self, ops: list[Mapping[str, Any]]) -> list[Verdict]:
        """The results; what nobody knows the outcome of has none.

        Raises `Failure` when nothing was taken at all.
        """
        operations: list[Operation] = []
        for op in ops:
            try:
                operations.append(read_operation(op, self._models, self._kinto))
            except Refused as refused:
                self._verdicts[op["key"]] = refused.verdict
        self._total = len(ops)
        chunks = self._chunks(operations)
        while chunks:
            chunk = chunks.pop(0)
            try:
                again = self._send(chunk)
            except Failure as failure:
                if failure.kind == "too_large":
                    chunks[:0] = self._cut(chunk, failure)
                    continue
                self._put_off(chunk, chunks, failure)
                break
            if again:
                chunks.insert(0, again)
            self._job.progress(len(self._verdicts), self._total)
        return [{"key": key, **verdict} for key, verdict in self._verdicts.items()]

    def _chunks(self, operations: list[Operation]) -> list[list[Operation]]:
        """What goes in one request each, in order."""
        chunks: list[list[Operation]] = []
        limit = self._kinto.batch_limit(self._job) if len(operations) > 1 else 1
        for operation in operations:
            fits = chunks and not operation.is_alone and not chunks[-1][-1].is_alone
            if fits and len(chunks[-1]) < limit:
                chunks[-1].append(operation)
            else:
                chunks.append([operation])
        return chunks

    def _send(self, chunk: list[Operation]) -> list[Operation]:
        """Sends operations and takes in the verdicts; those that go again are given back."""
        if len(chunk) == 1:
            operation = chunk[0]
            headers = {**operation.condition, **(MERGE_PATCH if operation.is_alone else {})}
            replies = [
                self._kinto.transport.request(
                    self._job, operation.method, operation.path,
                    operation.request.get("body"), headers)
            ]
        else:
            replies = self._kinto.batch(self._job, [each.request for each in chunk])
            if any(reply.status == 409 for reply in replies):
                # Kinto then takes back the whole batch, also what it said was done.
                for operation in chunk:
                    self._take(operation, self._send_alone(operation))
                return []
        again: list[Operation] = []
        # What was sent to a collection before it was made goes once more.
        made_before = frozenset(self._made)
        for operation, reply in zip(chunk, replies):
            if self._comes_again(operation, reply, made_before):
                again.append(operation.as_create())
            else:
                self._take(operation, reply)
        return again

    def _send_alone(self, operation: Operation) -> Reply:
        return self._kinto.transport.request(
            self._job, operation.method, operation.path, operation.request.get("body"),
            operation.condition)

    def _take(self, operation: Operation, reply: Reply) -> None:
        self._verdicts[operation.key] = self._verdict(operation, reply)

    def _comes_again(
        self, operation: Operation, reply: Reply, made_before: frozenset[str]
    ) -> bool:
        """Whether the operation is to make a record, and there was nothing to make it in or of."""
        if operation.kind == "replace" and reply.status == 412 and _existing(reply) is None:
            return True
        collection = operation.model.collection
        is_missing = is_missing_collection(reply)
        if operation.kind not in ("create", "replace") or collection in made_before:
            return False
        if not is_missing and reply.status != 403:
            return False
        return collection in self._made or self._makes_collection(collection, is_missing)

    def _makes_collection(self, collection: str, is_missing: bool) -> bool:
        """Makes the collection that records are for; False where it is there or not allowed."""
        if collection in self._there or collection in self._denials:
            return False
        try:
            if not is_missing:
                # Forbidden: is it there at all?
                path = self._kinto.collection_path(collection)
                if self._kinto.get(self._job, path).status == 200:
                    self._there.add(collection)
                    return False
            self._kinto.ensure_collection(self._job, collection)
        except Failure as failure:
            if failure.kind not in ("auth", "permanent"):
                raise
            self._denials[collection] = failure
            return False
        self._made.add(collection)
        return True

    def _verdict(self, operation: Operation, reply: Reply) -> Verdict:
        status, data, model = reply.status, reply.data, operation.model
        if status in (200, 201) and isinstance(data, dict):
            version = data.get("last_modified")
            if operation.kind == "delete":
                return {"outcome": "ok", "version": version, "record": None}
            return {"outcome": "ok", "version": version, "record": model.record(data)}
        if status == 412:
            return self._met(operation, _existing(reply))
        if status == 404 and reply.is_kinto:
            if operation.kind in ("update", "delete"):
                return self._met(operation, None)
            failure = self._denials.get(model.collection)
            return self._denied(failure) if failure else self._later(reply)
        if status in (401, 403):
            failure = self._denials.get(model.collection)
            if failure is None:
                failure = self._kinto.denial(self._job, reply, model.collection)
                if status == 403:
                    self._denials[model.collection] = failure
            return self._denied(failure)
        if status == 413:
            return {
                "outcome": "rejected", "code": "too_large",
                "message": f"the server does not take a record of this size: "
                f"{self._kinto.words(reply)}"}
        if status == 400 and reply.is_kinto:
            return self._refused(operation, reply)
        if status == 405:
            return {
                "outcome": "rejected", "code": "read_only",
                "message": f"the server takes no changes: {self._kinto.words(reply)}"}
        return self._later(reply)

    def _met(self, operation: Operation, existing: Mapping[str, Any] | None) -> Verdict:
        """The verdict where the record is another one than the operation was made on."""
        if existing is None:
            if operation.kind == "delete":
                return {"outcome": "ok", "version": None, "record": None}
            return {"outcome": "conflict", "version": None, "record": None}
        model, version = operation.model, existing.get("last_modified")
        is_done = operation.kind != "delete" and _is_done(operation, existing)
        return {
            "outcome": "ok" if is_done else "conflict",
            "version": version, "record": model.record(existing)}

    def _denied(self, failure: Failure) -> Verdict:
        if failure.kind == "permanent":
            return {"outcome": "rejected", "code": "permission", "message": failure.message}
        if failure.kind == "auth":
            return {"outcome": "auth", "message": failure.message}
        return {"outcome": "retry", "message": failure.message, **_after(failure.after_ms)}

    def _refused(self, operation: Operation, reply: Reply) -> Verdict:
        """A 400, whose details name what is wrong."""
        details = reply.body.get("details")
        detail = details[0] if isinstance(details, list) and details else {}
        detail = detail if isinstance(detail, dict) else {}
        verdict: Verdict = {
            "outcome": "rejected", "code": "invalid", "message": self._kinto.words(reply)}
        name = detail.get("name")
        if isinstance(name, str) and name.startswith("data."):
            name = name[len("data."):]
        if detail.get("location") == "path":
            name = operation.model.key
        if isinstance(name, str) and name in operation.model.fields:
            verdict["field"] = name
        return verdict

    def _later(self, reply: Reply) -> Verdict:
        return {
            "outcome": "retry", **_after(reply.retry_ms),
            "message": f"{self._kinto.settings.place} failed: {self._kinto.words(reply)}"}

    def _cut(self, chunk: list[Operation], failure: Failure) -> list[list[Operation]]:
        """Halves of what was too much at a time; one that is too large alone never goes through."""
        if len(chunk) > 1:
            half = len(chunk) // 2
            return [chunk[:half], chunk[half:]]
        self._verdicts[chunk[0].key] = {
            "outcome": "rejected", "code": "too_large", "message": failure.message}
        return []

    def _put_off(
        self, chunk: list[Operation], rest: list[list[Operation]], failure: Failure
    ) -> None:
        """A request failed as a whole: what was not sent comes again, what was may have arrived."""
        if failure.kind == "permanent":
            # Nothing is wrong with what is to be written.
            failure = Failure("retryable", failure.message)
        if not self._verdicts:
            raise failure
        unsent = [operation for part in rest for operation in part]
        if failure.kind not in ("retryable", "cancelled"):
            unsent = chunk + unsent
        for operation in unsent:
            self._verdicts[operation.key] = self._denied(failure)


def _existing(reply: Reply) -> Mapping[str, Any] | None:
    """The record that a 412 found instead; None where there is none."""
    details = reply.body.get("details") if isinstance(reply.body, dict) else None
    existing = details.get("existing") if isinstance(details, dict) else None
    return existing if isinstance(existing, dict) else None


def _is_done(operation: Operation, existing: Mapping[str, Any]) -> bool:
    """Whether the record is what the operation makes of it; a field without value is none."""
    wanted = dict(operation.data)
    if operation.kind != "update":
        names = set(operation.model.fields) - set(RESERVED) - {operation.model.key}
        wanted = {**{name: None for name in names}, **wanted}
    return all(_same(existing.get(name), value) for name, value in wanted.items())


def _same(left: Any, right: Any) -> bool:
    """Equality of JSON, where true is not 1."""
    return left == right and json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def _after(milliseconds: int | None) -> dict[str, int]:
    return {} if milliseconds is None else {"after_ms": milliseconds}
