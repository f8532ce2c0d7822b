"""Runs a tap so that nothing of it is left: `guard.py FOLDER PROGRAM [ARGUMENT...]`.

The tap leads a process group of its own. When it has ended, and when our standard input ends
because whoever started us is gone, however that came, the group is killed and the folder, which
holds secrets, is removed. Our exit code is the tap's, or 128 and the number of the signal.
"""

import os
import select
import shutil
import signal
import subprocess
import sys

# Milliseconds between SIGTERM and SIGKILL.
PATIENCE = 600


def main() -> int:
    folder, *command = sys.argv[1:]
    try:
        return run(command)
    except OSError as error:
        print(f"cannot start {command[0]}: {error.strerror}", file=sys.stderr)
        return 127
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(command: "list[str]") -> int:
    tap = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        end = os.pidfd_open(tap.pid)
        either = select.poll()
        either.register(end, select.POLLIN)
        either.register(0, select.POLLIN | select.POLLHUP)
        if end not in [number for number, _ in either.poll()]:
            send(tap, signal.SIGTERM)
            last = select.poll()
            last.register(end, select.POLLIN)
            last.poll(PATIENCE)
    finally:
        # The tap is not collected yet, so its number cannot mean other processes.
        send(tap, signal.SIGKILL)
    code = tap.wait()
    return code if code >= 0 else 128 - code


def send(tap: "subprocess.Popen[bytes]", number: int) -> None:
    try:
        os.killpg(tap.pid, number)
    except ProcessLookupError:
        pass


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(main())
