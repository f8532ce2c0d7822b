"""Writing: operations in batches, each with a verdict.

Every write is conditional: a create says `If-None-Match: *`, everything else `If-Match` with the
version it was made on. So what arrives twice, because an answer was lost, meets a newer version;
where the record then is what the operation makes of it, the operation is done.
"""

from __future__ import annotations

from typing import Any, Mapping

from satchel_protocol.failure import Failure
from satchel_protocol.jobs import Job

from .kinto import Kinto, is_missing_collection
from .models import Models
from .operations import Operation, Refused, Verdict, read_operation
from .reply import Reply
from .verdicts import Verdicts, existing_record

MERGE_PATCH = {"Content-Type": "application/merge-patch+json"}


class Push:
    """The verdicts on the operations of one push."""

    def __init__(self, job: Job, kinto: Kinto, models: Models) -> None:
        self._job = job
        self._kinto = kinto
        self._models = models
        self._verdicts: dict[str, Verdict] = {}
        self._judge = Verdicts(job, kinto)
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
        self._verdicts[operation.key] = self._judge.of(operation, reply)

    def _comes_again(
        self, operation: Operation, reply: Reply, made_before: frozenset[str]
    ) -> bool:
        """Whether the operation is to make a record, and there was nothing to make it in or of."""
        if operation.kind == "replace" and reply.status == 412 and existing_record(reply) is None:
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
        if collection in self._there or collection in self._judge.denials:
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
            self._judge.denials[collection] = failure
            return False
        self._made.add(collection)
        return True

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
            self._verdicts[operation.key] = self._judge.denied(failure)
