"""A person at a terminal: starts a program on a pseudo-terminal, types, and waits for what shows."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time


class Terminal:
    def __init__(self, command, environment=None, columns=100, rows=30, directory=None):
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            if directory:
                os.chdir(directory)
            os.execvpe(command[0], command, environment or dict(os.environ))
        self.resize(columns, rows, notify=False)
        self.seen = ""
        self.position = 0
        self.status = None

    def resize(self, columns, rows=30, notify=True):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def send(self, text):
        os.write(self.master, text.encode() if isinstance(text, str) else text)

    def read(self, timeout):
        """Takes what the program wrote; False when the time is up or the program is gone."""
        ready, _, _ = select.select([self.master], [], [], timeout)
        if not ready:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        if not data:
            return False
        self.seen += data.decode("utf-8", "replace")
        return True

    def expect(self, pattern, timeout=120):
        """Waits until the pattern shows after what was expected before; returns the match."""
        deadline = time.monotonic() + timeout
        while True:
            match = re.search(pattern, self.seen[self.position:])
            if match:
                self.position += match.end()
                return match
            left = deadline - time.monotonic()
            if left <= 0 or not self.read(left):
                raise Failure(
                    f"waited for {pattern!r}\n  saw {self.seen[self.position:]!r}"
                    f"\n  before that {self.seen[:self.position][-300:]!r}")

    def settle(self, quiet=0.3):
        """Reads until nothing comes for a while; returns what came since the last expectation."""
        while self.read(quiet):
            pass
        text = self.seen[self.position:]
        self.position = len(self.seen)
        return text

    def end(self, timeout=120):
        """Waits for the program's end; returns its exit code, negative for a signal."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
                return self.status
        raise Failure(f"did not end; saw {self.seen[-500:]!r}")

    def close(self):
        if self.status is None:
            try:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass
        os.close(self.master)


class Failure(Exception):
    pass


def check(condition, message):
    if not condition:
        raise Failure(message)


def plain(text):
    """The text without escape sequences."""
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\r", "", text)


def main(scenarios):
    """Runs the scenario that the command line names."""
    name = sys.argv[1]
    try:
        scenarios[name](*sys.argv[2:])
    except Failure as failure:
        print(f"{name}: {failure}")
        sys.exit(1)
    print("ok")
