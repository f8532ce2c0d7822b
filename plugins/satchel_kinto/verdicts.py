"""What a reply to an operation means for it."""

from __future__ import annotations

import json
from typing import Any, Mapping

from satchel_protocol.failure import Failure
from satchel_protocol.jobs import Job

from .kinto import Kinto
from .models import RESERVED
from .operations import Operation, Verdict
from .reply import Reply


class Verdicts:
    """Gives the verdicts on the operations of one push."""

    def __init__(self, job: Job, kinto: Kinto) -> None:
        self._job = job
        self._kinto = kinto
        # Why a collection takes nothing.
        self.denials: dict[str, Failure] = {}

    def of(self, operation: Operation, reply: Reply) -> Verdict:
        status, data, model = reply.status, reply.data, operation.model
        if status in (200, 201) and isinstance(data, dict):
            version = data.get("last_modified")
            if operation.kind == "delete":
                return {"outcome": "ok", "version": version, "record": None}
            return {"outcome": "ok", "version": version, "record": model.record(data)}
        if status == 412:
            return self._met(operation, existing_record(reply))
        if status == 404 and reply.is_kinto:
            if operation.kind in ("update", "delete"):
                return self._met(operation, None)
            failure = self.denials.get(model.collection)
            return self.denied(failure) if failure else self._later(reply)
        if status in (401, 403):
            failure = self.denials.get(model.collection)
            if failure is None:
                failure = self._kinto.denial(self._job, reply, model.collection)
                if status == 403:
                    self.denials[model.collection] = failure
            return self.denied(failure)
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

    def denied(self, failure: Failure) -> Verdict:
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


def existing_record(reply: Reply) -> Mapping[str, Any] | None:
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
