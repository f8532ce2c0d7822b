"""The built programs, started for real: workspaces, processes, and the ways they end."""

import json
import os
import signal
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

#: Names the processes of one campaign in their environment, so that its orphans can be found.
MARK = "SATCHEL_CAMPAIGN"


def built(directory):
    """The programs' folder: the one given, else a release built now."""
    if directory:
        return os.path.abspath(directory)
    os.chdir(ROOT)
    subprocess.run(["scripts/packages", "build", "test"], check=True)
    found = subprocess.run(["scripts/release"], check=True, stdout=subprocess.PIPE)
    return found.stdout.decode().strip()


class Ended:
    """What a process left behind; `code` is negative for a signal, as Python has it."""

    def __init__(self, words, code, output, errors, seconds):
        self.words = words
        self.code = code
        self.output = output
        self.errors = errors
        self.seconds = seconds

    @property
    def lines(self):
        """Whole lines of standard output: a torn last one was acknowledged to nobody."""
        return [line.decode() for line in self.output.split(b"\n")[:-1]]

    def json(self):
        return json.loads(self.output)

    def __str__(self):
        words = " ".join(self.words)
        return (f"satchel {words}: exit {self.code}\n  stdout: {self.output[-600:]!r}\n"
                f"  stderr: {self.errors[-600:]!r}")


class Home:
    """A folder that is HOME to the programs it starts."""

    def __init__(self, programs, path):
        self.programs = programs
        self.path = path
        self.mark = f"{os.getpid()}-{time.monotonic_ns()}"
        self.environment = {
            "HOME": path, "TMPDIR": path, "LANG": "C.UTF-8", "TZ": "UTC", "TERM": "xterm",
            "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin", MARK: self.mark,
        }
        self.serial = 0
        os.makedirs(self.file(".run"), exist_ok=True)

    def file(self, *names):
        return os.path.join(self.path, *names)

    def write(self, name, text):
        with open(self.file(name), "w") as file:
            file.write(text)
        return self.file(name)

    def start(self, words, folder=".", given="", **variables):
        self.serial += 1
        return Process(self, words, folder, given, variables, self.file(".run", str(self.serial)))

    def run(self, *words, folder=".", given="", codes=(0,), **variables):
        """Runs satchel to its end, which must be one of `codes` unless that is None."""
        ended = self.start(words, folder, given, **variables).wait()
        if codes is not None and ended.code not in codes:
            raise AssertionError(str(ended))
        return ended

    def descendants(self):
        """Processes that this home's ones have started, and that still run."""
        wanted = f"{MARK}={self.mark}".encode()
        found = []
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    if wanted in file.read().split(b"\0"):
                        found.append(int(name))
            except OSError:
                continue  # It has ended, or is another user's.
        return found

    def left_running(self, seconds):
        """Those of them that still run after `seconds`; returns at once when none do."""
        end = time.monotonic() + seconds
        while True:
            found = self.descendants()
            if not found or time.monotonic() > end:
                return found
            time.sleep(0.002)


def children(pid):
    """The process numbers of a process's children; none of one that is gone."""
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                found += [int(word) for word in file.read().split()]
    except OSError:
        pass
    return found


class Process:
    """One satchel at work, its streams in files."""

    def __init__(self, home, words, folder, given, variables, stem):
        self.words = list(words)
        self.stem = stem
        with open(f"{stem}.in", "w") as file:
            file.write(given)
        environment = {**home.environment, **variables}
        self.began = time.monotonic()
        with open(f"{stem}.in") as source, open(f"{stem}.out", "wb") as output, \
                open(f"{stem}.err", "wb") as errors:
            self.child = subprocess.Popen(
                [os.path.join(home.programs, "satchel"), *self.words], cwd=home.file(folder),
                env=environment, stdin=source, stdout=output, stderr=errors)
        self.pid = self.child.pid

    def plugins(self):
        """The process numbers of the programs it started, each the child of a guard."""
        return [plugin for guard in children(self.pid) for plugin in children(guard)]

    def is_running(self):
        return self.child.poll() is None

    def kill(self):
        """True when it still ran: the signal is what ended it."""
        if not self.is_running():
            return False
        self.child.send_signal(signal.SIGKILL)
        self.child.wait()
        return self.child.returncode == -signal.SIGKILL

    def terminate(self):
        self.child.send_signal(signal.SIGTERM)

    def output(self):
        with open(f"{self.stem}.out", "rb") as file:
            return file.read()

    def wait(self, seconds=120):
        try:
            self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"satchel {self.words} hangs") from None
        taken = time.monotonic() - self.began
        with open(f"{self.stem}.err", "rb") as file:
            errors = file.read()
        ended = Ended(self.words, self.child.returncode, self.output(), errors, taken)
        for end in ("in", "out", "err"):
            os.remove(f"{self.stem}.{end}")
        return ended
