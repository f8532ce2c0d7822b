"""The conversation with Satchel: lines of standard input in, answers out.

Requests are answered one after the other by a worker thread, so that a `cancel` and the end of the
input are seen while a server lets us wait.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from typing import Any, Optional

from .backend import Backend
from .failure import Failure
from .jobs import Job, Output

# At the end of the input: how long what was asked before may still be answered, in seconds.
LAST_PATIENCE = 1.5
# A cancelled request is answered within two seconds; this leaves a moment for the way.
CANCEL_PATIENCE = 1.5


# Jobs in line; None is the last.
Jobs = queue.SimpleQueue[Optional[Job]]


class Worker:
    """Answers jobs in order on a thread of its own, until it is told to leave."""

    def __init__(self, backend: Backend, jobs: Jobs) -> None:
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
                self.backend.log_fault(error)
                kind = type(error).__name__
                job.refuse(Failure("permanent", f"kinto cannot answer {job.method}: {kind}"))


class Service:
    """Reads requests and hands them to the worker."""

    def __init__(self) -> None:
        self._output = Output()
        self._queue: Jobs = queue.SimpleQueue()
        self._jobs: dict[Any, Job] = {}
        self._worker = Worker(Backend(self._output), self._queue)

    def run(self) -> None:
        """Returns at the end of the input, or when the host says goodbye."""
        for line in sys.stdin.buffer:
            try:
                request = json.loads(line)
                is_request = isinstance(request, dict) and isinstance(request.get("method"), str)
            except ValueError:
                is_request = False
            if not is_request:
                print("kinto: a line that is no request is ignored", file=sys.stderr, flush=True)
            elif "id" not in request:
                self._notified(request)
            elif request["method"] == "shutdown":
                Job(request, self._output).answer({})
                return
            else:
                self._take(Job(request, self._output))
        self._worker.finish(LAST_PATIENCE)

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


def main(about: str) -> int:
    if os.environ.get("SATCHEL_PLUGIN") != "1":
        print(about)
        return 0
    try:
        Service().run()
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    # A worker may hang in a system call: nobody waits for it.
    os._exit(0)
