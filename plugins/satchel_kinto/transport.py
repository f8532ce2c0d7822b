"""HTTP to one server: one connection, bounded in time and bytes, nothing followed elsewhere."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
from typing import Any, Callable, Mapping

from satchel_protocol.failure import Failure
from satchel_protocol.jobs import Job

from . import VERSION
from .reply import Reply, parsed, seconds_of
from .settings import Settings

# The most an answer may take: what is passed on has to fit a line of the plugin protocol.
ANSWER_LIMIT = 12 << 20
# A pause that the server asks for is kept to here as long as it is short; the host does the rest.
SHORT_PAUSE = 5.0
# Less than half of what the host gives a push between two signs of life.
LONGEST_WAIT = 25.0


class Lost(Failure):
    """The request may have arrived; nobody knows what came of it."""


class Transport:
    """Sends requests one after the other; `interrupt` may be called from any thread."""

    def __init__(self, settings: Settings, log: Callable[[str, str], None]) -> None:
        self._settings = settings
        self._log = log
        self._connection: http.client.HTTPConnection | None = None
        self._pause_until = 0.0
        self._alerts: set[str] = set()

    def interrupt(self) -> None:
        """Ends what waits for the server."""
        connection = self._connection
        sock = connection.sock if connection is not None else None
        if sock is not None:
            try:
                sock.shutdown(2)
            except OSError:
                pass

    def request(
        self, job: Job, method: str, path: str, body: Any = None,
        headers: Mapping[str, str] | None = None, keeps_pauses: bool = True,
    ) -> Reply:
        """Sends a request; `path` begins below the API's root.

        Raises `Failure`: `auth` where there is nothing to log in with, `rate_limited` where the
        server asked to be left alone, `too_large`, and `retryable` when it cannot be reached; that
        is a `Lost` when the request may have arrived.
        """
        if self._settings.missing:
            raise Failure("auth", f"{self._settings.missing}: satchel auth login")
        job.check()
        if keeps_pauses:
            self._keep_pause(job)
        sent = {"User-Agent": f"satchel-backend-kinto/{VERSION}", "Accept": "application/json"}
        if self._settings.authorization:
            sent["Authorization"] = self._settings.authorization
        payload = None
        if body is not None:
            payload = json.dumps(body, separators=(",", ":"), allow_nan=False).encode("ascii")
            sent["Content-Type"] = "application/json"
        sent.update(headers or {})
        reply = self._exchange(job, method, self._settings.root + path, payload, sent)
        self._mind(reply)
        return reply

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _exchange(
        self, job: Job, method: str, path: str, payload: bytes | None, headers: dict[str, str]
    ) -> Reply:
        limit = min(self._settings.timeout, LONGEST_WAIT, job.deadline - time.monotonic())
        is_late = threading.Event()

        def expire() -> None:
            is_late.set()
            self.interrupt()

        timer = threading.Timer(max(limit, 0.01), expire)
        timer.daemon = True
        timer.start()
        is_sent = False
        try:
            while True:
                is_used = self._connection is not None
                try:
                    connection = self._connected(max(limit, 0.01))
                    job.check()
                    is_sent = True
                    connection.request(method, path, payload, headers)
                    return self._read(connection.getresponse())
                except (ConnectionError, http.client.BadStatusLine):
                    # A server closes a connection that was idle for long: mostly the request was
                    # not looked at then. Where it was, sending it twice does no harm, for writes
                    # are conditional.
                    self.close()
                    if not is_used or job.is_cancelled or is_late.is_set():
                        raise
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            job.check()
            kind = Lost if is_sent else Failure
            raise kind("retryable", self._words(error, is_late.is_set(), limit)) from None
        except BaseException:
            self.close()
            raise
        finally:
            timer.cancel()

    def _words(self, error: Exception, is_late: bool, limit: float) -> str:
        place = self._settings.place
        if is_late or isinstance(error, TimeoutError):
            return f"{place} does not answer within {limit:.0f} s"
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"the certificate of {place} is not trusted: {error.verify_message}"
        if isinstance(error, (http.client.IncompleteRead, http.client.RemoteDisconnected)):
            return f"{place} broke the connection off"
        text = getattr(error, "strerror", None) or type(error).__name__
        return self._settings.masked(f"{place} cannot be reached: {text}")

    def _connected(self, timeout: float) -> http.client.HTTPConnection:
        if self._connection is None:
            settings = self._settings
            if settings.scheme == "https":
                context = ssl.create_default_context(cafile=settings.ca_file)
                connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                    settings.host, settings.port, timeout=timeout, context=context)
            else:
                connection = http.client.HTTPConnection(
                    settings.host, settings.port, timeout=timeout)
            self._connection = connection
            connection.connect()
        elif self._connection.sock is not None:
            self._connection.sock.settimeout(timeout)
        return self._connection

    def _read(self, response: http.client.HTTPResponse) -> Reply:
        """Reads no more than the limit, whatever the server says the length is."""
        content = bytearray()
        while chunk := response.read1(1 << 16):
            content += chunk
            if len(content) > ANSWER_LIMIT:
                self.close()
                raise Failure(
                    "too_large",
                    f"{self._settings.place} answers with more than {ANSWER_LIMIT >> 20} MiB")
        if response.length:
            raise http.client.IncompleteRead(bytes(), response.length)
        headers = {name.lower(): value for name, value in response.getheaders()}
        response.close()
        if response.will_close:
            self.close()
        body = None
        if content and "json" in headers.get("content-type", ""):
            body = parsed(bytes(content))
        return Reply(response.status, headers, body)

    def _mind(self, reply: Reply) -> None:
        """Takes in what a server says beside its answer; where it sends us away is not followed."""
        if 300 <= reply.status < 400 and reply.status != 304:
            # Following would show the credentials to whoever is named there.
            raise Failure(
                "permanent",
                f"{self._settings.place} sends us to another address: set the config key url to "
                "the server's own, with its path")
        seconds = seconds_of(reply.headers.get("backoff"))
        if reply.status in (429, 503):
            seconds = seconds_of(reply.headers.get("retry-after")) or seconds
        if seconds:
            until = time.monotonic() + seconds
            self._pause_until = max(self._pause_until, until)
        alert = reply.headers.get("alert")
        if alert and alert not in self._alerts and len(self._alerts) < 20:
            self._alerts.add(alert)
            self._log("warning", f"{self._settings.place} says: {_alert(alert)}")

    def _keep_pause(self, job: Job) -> None:
        left = self._pause_until - time.monotonic()
        if left <= 0:
            return
        if left <= SHORT_PAUSE and left < job.deadline - time.monotonic() - 1:
            return job.pause(left)
        raise Failure(
            "rate_limited", f"{self._settings.place} asks for a pause", int(left * 1000) + 1)


def _alert(text: str) -> str:
    """The words of an `Alert`: an object with `message` and `url`."""
    body = parsed(text.encode("utf-8", "replace"))
    if isinstance(body, dict):
        text = " ".join(str(body[key]) for key in ("message", "url") if body.get(key))
    return text[:500]
