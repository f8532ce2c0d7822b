"""The conversation with Satchel: lines of standard input in, answers out.

Requests are answered one after the other by a worker thread, so that a `cancel` and the end of the
input are seen while something lets us wait.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from typing import Any, Callable, Optional, Protocol

from .failure import Failure
from .jobs import Job, Output

# A cancelled request is answered within two seconds; this leaves a moment for the way.
CANCEL_PATIENCE = 1.5

# Jobs in line; None is the last.
Jobs = queue.SimpleQueue[Optional[Job]]


class Answerer(Protocol):
    """What a backend is for the service."""

    name: str
    # At the end of the input: how long what was asked before may still be answered, in seconds.
    last_patience: float

    def handle(self, job: Job) -> dict[str, Any] | bytes:
        """The result of a request, an object or its JSON; raises `Failure`."""

    def interrupt(self) -> None:
        """Ends what is waited for; from any thread."""

    def afresh(self) -> Answerer:
        """Another one in the same state, for when this one hangs."""

    def close(self) -> None:
        """Lets go of all that it started; from any thread."""


class Worker:
    """Answers jobs in order on a thread of its own, until it is told to leave."""

    def __init__(self, backend: Answerer, jobs: Jobs) -> None:
        self.backend = backend
        self._jobs = jobs
        self._finished = threading.Event()
        self._is_dismissed = False
        threading.Thread(target=self._run, daemon=True).start()

    def dismiss(self) -> None:
        self._is_dismissed = True

    def finish(self, seconds: float) -> None:
        """Waits for the jobs in line, but not for long."""
        self._jobs.put(None)
        self._finished.wait(seconds)

    def _run(self) -> None:
        while not self._is_dismissed:
            job = self._jobs.get()
            if job is None:
                self._finished.set()
                return
            if job.is_answered:
                continue
            job.interrupt = self.backend.interrupt
            job.begin()
            try:
                job.check()
                job.answer(self.backend.handle(job))
            except Failure as failure:
                job.refuse(failure)
            except Exception as error:  # pylint: disable=broad-except
                # A fault of this program or data of an unforeseen shape: said, and survived. The
                # text of the error is not shown, for it may hold anything.
                _log_fault(self.backend.name, error)
                kind = type(error).__name__
                job.refuse(Failure(
                    "permanent", f"{self.backend.name} cannot answer {job.method}: {kind}"))


class Service:
    """Reads requests and hands them to the worker."""

    def __init__(self, make: Callable[[Output], Answerer]) -> None:
        self._output = Output()
        self._queue: Jobs = queue.SimpleQueue()
        self._jobs: dict[Any, Job] = {}
        self._worker = Worker(make(self._output), self._queue)

    def run(self) -> None:
        """Returns at the end of the input, or when the host says goodbye."""
        try:
            self._read()
        finally:
            self._worker.backend.close()

    def _read(self) -> None:
        for line in sys.stdin.buffer:
            try:
                request = json.loads(line)
                is_request = isinstance(request, dict) and isinstance(request.get("method"), str)
            except ValueError:
                is_request = False
            if not is_request:
                _complain(self._worker.backend.name, "a line that is no request is ignored")
            elif "id" not in request:
                self._notified(request)
            elif request["method"] == "shutdown":
                Job(request, self._output).answer({})
                return
            else:
                self._take(Job(request, self._output))
        self._worker.finish(self._worker.backend.last_patience)

    def _take(self, job: Job) -> None:
        self._jobs = {id: old for id, old in self._jobs.items() if not old.is_answered}
        self._jobs[job.id] = job
        self._queue.put(job)

    def _notified(self, request: dict[str, Any]) -> None:
        params = request.get("params")
        id = params.get("id") if isinstance(params, dict) else None
        job = self._jobs.get(id) if isinstance(id, (int, str)) else None
        if request["method"] != "cancel" or job is None:
            return
        job.cancel()
        timer = threading.Timer(CANCEL_PATIENCE, self._give_up, [job, self._worker])
        timer.daemon = True
        timer.start()

    def _give_up(self, job: Job, worker: Worker) -> None:
        """Leaves a worker alone that hangs where nothing wakes it, such as looking up a name."""
        if job.is_answered:
            return
        job.refuse(Failure("cancelled", f"the {job.method} was cancelled"))
        if worker is self._worker:
            worker.dismiss()
            self._worker = Worker(worker.backend.afresh(), self._queue)


def serve(about: str, make: Callable[[Output], Answerer]) -> int:
    """Answers the host until it has no more to ask; run by hand, says what this is."""
    if os.environ.get("SATCHEL_PLUGIN") != "1":
        print(about)
        return 0
    try:
        Service(make).run()
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    # A worker may hang in a system call: nobody waits for it.
    os._exit(0)


def _log_fault(name: str, error: Exception) -> None:
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = ""
    if place is not None:
        code = place.tb_frame.f_code
        where = f" in {code.co_filename}:{place.tb_lineno} ({code.co_name})"
    _complain(name, f"{type(error).__name__}{where}")


def _complain(name: str, words: str) -> None:
    print(f"{name}: {words}", file=sys.stderr, flush=True)
