"""The API of Kinto as far as it is needed, and what its refusals mean.

https://docs.kinto-storage.org/en/stable/api/1.x/
"""

from __future__ import annotations

from typing import Any, Mapping
from urllib.parse import quote, urlencode

from satchel_protocol.failure import Failure
from satchel_protocol.jobs import Job

from .reply import Reply
from .settings import Settings
from .transport import Transport

# What a server without other word takes in one batch.
USUAL_BATCH = 25
LARGEST_BATCH = 200


class Kinto:
    """One bucket of a server."""

    def __init__(self, settings: Settings, transport: Transport) -> None:
        self.settings = settings
        self.transport = transport
        self._batch_limit: int | None = None

    # Paths, below the API's root.

    @property
    def bucket_path(self) -> str:
        return f"/buckets/{self.settings.bucket}"

    def collection_path(self, collection: str) -> str:
        return f"{self.bucket_path}/collections/{collection}"

    def records_path(self, collection: str) -> str:
        return f"{self.collection_path(collection)}/records"

    def record_path(self, collection: str, id: str) -> str:
        return f"{self.records_path(collection)}/{quote(id, safe='')}"

    # Requests.

    def get(
        self, job: Job, path: str, query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        if query:
            path = f"{path}?{urlencode(query)}"
        return self.transport.request(job, "GET", path, headers=headers)

    def batch_limit(self, job: Job) -> int:
        """How many requests the server takes in one batch."""
        if self._batch_limit is None:
            reply = self.transport.request(job, "GET", "/")
            if reply.status != 200 or not isinstance(reply.body, dict):
                raise self.failure(reply, "the server's description")
            told = reply.body.get("settings")
            limit = told.get("batch_max_requests") if isinstance(told, dict) else None
            if not isinstance(limit, int) or limit <= 0:
                limit = USUAL_BATCH
            self._batch_limit = min(limit, LARGEST_BATCH)
        return self._batch_limit

    def batch(self, job: Job, requests: list[dict[str, Any]]) -> list[Reply]:
        """The answers to requests in one exchange, in their order.

        Raises `Failure` when the batch as a whole is refused; with the kind `too_large` when it
        has to be cut.
        """
        reply = self.transport.request(job, "POST", "/batch", {"requests": requests})
        if reply.status != 200:
            raise self.failure(reply, "a batch of changes")
        answers = reply.body.get("responses") if isinstance(reply.body, dict) else None
        if not isinstance(answers, list) or len(answers) != len(requests):
            raise Failure("retryable", f"{self.settings.place} answers a batch with something else")
        return [_part(answer) for answer in answers]

    def ensure_collection(self, job: Job, collection: str) -> None:
        """Makes the collection, and the bucket, where they are missing.

        Raises `Failure` of the kind `auth` where that is not allowed.
        """
        path = self.collection_path(collection)
        absent = {"If-None-Match": "*"}
        reply = self.transport.request(job, "PUT", path, {"data": {}}, absent)
        if reply.status in (401, 403, 404):
            # Kinto says "forbidden" of a bucket that is not there.
            made = self.transport.request(job, "PUT", self.bucket_path, {"data": {}}, absent)
            if made.status not in (201, 412):
                raise self.denial(job, reply, collection)
            reply = self.transport.request(job, "PUT", path, {"data": {}}, absent)
        if reply.status not in (201, 412):
            raise self.failure(reply, f"the new collection {collection}")

    # Refusals.

    def denial(self, job: Job, reply: Reply, collection: str) -> Failure:
        """What a 401 or 403 about a collection means.

        Kinto does not tell a bucket that is not there from one that may not be seen, and with its
        policy `basicauth` a wrong password is just another user. Who sees the bucket is known, and
        lacks a permission; for anybody else the way on is another login or an administrator.
        """
        if reply.status == 401:
            return self.failure(reply, f"collection {collection}")
        seen = self.get(job, self.bucket_path)
        if seen.status == 403:
            seen = self.get(job, self.collection_path(collection))
        if seen.status in (200, 404):
            who = self.settings.user or "this user"
            return Failure(
                "permanent",
                f"{who} has no permission for this in the collection {collection} of the bucket "
                f"{self.settings.bucket}: ask who administers {self.settings.place}")
        if seen.status != 403:
            return self.failure(seen, f"bucket {self.settings.bucket}")
        return Failure(
            "auth",
            f"the bucket {self.settings.bucket} of {self.settings.place} does not exist, or may "
            f"not be used with this login")

    def failure(self, reply: Reply, what: str) -> Failure:
        """What a refusal of a whole request means."""
        place, status = self.settings.place, reply.status
        said = self.words(reply)
        if status == 401:
            who = f" of {self.settings.user}" if self.settings.user else ""
            return Failure("auth", f"{place} does not take the login{who}: {said}")
        if status == 413:
            return Failure("too_large", f"{place} does not take so much at a time: {said}")
        if status in (429, 503) and (status == 429 or reply.retry_ms is not None):
            return Failure("rate_limited", f"{place} is busy: {said}", reply.retry_ms)
        if status >= 500:
            return Failure("retryable", f"{place} failed at {what}: {said}")
        if not reply.is_kinto:
            return Failure(
                "permanent",
                f"{place}{self.settings.root} is no Kinto server: it answers {status}; look at the "
                "config key url")
        return Failure("permanent", f"{place} refuses {what}: {said}")

    def words(self, reply: Reply) -> str:
        """The server's own words."""
        body = reply.body if isinstance(reply.body, dict) else {}
        text = body.get("message") or body.get("error") or ""
        shown = f"{reply.status} {text}" if isinstance(text, str) else str(reply.status)
        return self.settings.masked(shown.strip()[:300])


def fits_batch(path: str) -> bool:
    """Kinto takes any path that has `/batch` in it for a batch within a batch."""
    return "/batch" not in path


def is_missing_collection(reply: Reply) -> bool:
    """Whether a 404 is of the collection or the bucket, and not of a record."""
    if reply.status != 404 or not reply.is_kinto:
        return False
    details = reply.body.get("details")
    name = details.get("resource_name") if isinstance(details, dict) else None
    return reply.body["errno"] == 111 or name in ("collection", "bucket")


def _part(answer: Any) -> Reply:
    """An answer within a batch."""
    if not isinstance(answer, dict) or not isinstance(answer.get("status"), int):
        return Reply(502, {}, None)
    headers = answer.get("headers")
    pairs = headers.items() if isinstance(headers, dict) else ()
    return Reply(
        answer["status"], {k.lower(): v for k, v in pairs if isinstance(v, str)},
        answer.get("body"))
