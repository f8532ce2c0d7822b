"""Fills the disk of a store, of the folder or of the user's state, in the middle of everything."""

import collections
import json
import os
import shutil

from disks import SmallDisk
from folder import Folder
from programs import Home

SCHEMA = """type Post @model {
  id: ID!
  title: String
  rating: Int
}
"""
#: What is left free on the disk: the failure comes at another step each time.
ROOMS = [0, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512]


class Fault(Exception):
    pass


class Case:
    """A workspace `a` whose store, folder or state is on a small disk, and `b` on a large one."""

    def __init__(self, programs, path, small, size, scale):
        os.makedirs(path)
        self.scale = scale  # Records, roughly, that a case is about.
        self.home = Home(programs, path)
        self.disk = SmallDisk(self.home.file("small"), size)
        self.home.write("schema.graphql", SCHEMA)
        self.remote = self.home.file("small/remote" if small == "folder" else "remote")
        for name in ("a", "b"):
            self.home.run("init", name, "--schema", "schema.graphql", "--backend", "folder",
                          "--set", f"path={self.remote}")
        if small == "store":
            self.move("a/.satchel")
        self.ended = collections.Counter()

    def move(self, name):
        """Puts a folder on the small disk."""
        target = self.home.file("small", os.path.basename(name))
        if os.path.exists(self.home.file(name)):
            shutil.move(self.home.file(name), target)
        else:
            os.makedirs(target, mode=0o700)
        os.symlink(target, self.home.file(name))

    def run(self, *words, store="a", given="", codes=(0,), says=None):
        ended = self.home.run(*words, folder=store, given=given, codes=None)
        if ended.code not in codes:
            raise Fault(f"expected one of {codes}: {ended}")
        if ended.code and says and says not in ended.errors.decode():
            raise Fault(f"does not say \"{says}\": {ended}")
        self.ended[ended.code] += 1
        return ended

    def ids(self, store="a"):
        return set(self.run("list", "Post", "-o", "id", store=store).lines)

    def sound(self, store="a"):
        report = self.run("doctor", "-o", "json", store=store, codes=(0, 1, 8)).json()
        wrong = [line for line in report if not line["ok"]]
        if wrong:
            raise Fault(f"doctor finds {wrong}")

    def converges(self):
        """Syncs both until quiet; then all are equal, and no key was applied twice."""
        for store in ("a", "b", "a"):
            report = self.run("sync", "-o", "json", store=store).json()
        if report["pushed"] or report["remaining"]:
            raise Fault(f"not quiet: {report}")
        if self.run("export").output != self.run("export", store="b").output:
            raise Fault("a and b differ")
        faults = Folder(self.remote).faults()
        if faults:
            raise Fault(faults[0])
        self.sound()

    def holds(self, wanted, store="a"):
        missing = set(wanted) - self.ids(store)
        if missing:
            raise Fault(f"{len(missing)} acknowledged records are lost, such as {missing.pop()}")

def script(first, count, width=0):
    padding = "x" * width
    return "\n".join(f"create Post id=p{first + number} title=t{number}{padding}"
                     for number in range(count))


# ---- The cases


FULL = "free some space"


def creates(case, rooms):
    """A script of creates."""
    known = set()
    for room in rooms:
        known.add(*case.run("create", "Post", f"id=before{room}").lines)
        case.disk.fill(room * 1024)
        ended = case.run(given=script(room * 100_000, case.scale * 4, 200), codes=(0, 8), says=FULL)
        known |= set(ended.lines)
        case.run("count", "Post")  # What is there can be read on a full disk.
        case.disk.free()
        case.holds(known)
        known.add(*case.run("create", "Post", f"id=after{room}").lines)
        # Room for the next time.
        case.run("delete", "Post", "where", "title is not null", "--yes")
        known = set()
    case.converges()


def imports(case, rooms):
    """An import: all of it or nothing."""
    rows = "".join(json.dumps({"title": "x" * 200}) + "\n" for _ in range(case.scale * 2))
    words = ["import", "Post", "-", "--format", "ndjson"]
    for room in rooms:
        case.disk.fill(room * 1024)
        ended = case.run(*words, given=rows, codes=(0, 8), says=FULL)
        case.disk.free()
        if len(case.ids()) != (case.scale * 2 if ended.code == 0 else 0):
            raise Fault(f"{len(case.ids())} records after {ended}")
        if ended.code:
            case.run(*words, given=rows)
        case.run("undo")
        if case.ids():
            raise Fault("undo left something")
    case.converges()


def pulls(case, rooms):
    """A pull of what another workspace delivered."""
    for room in rooms:
        case.run(given=script(room * 10_000, case.scale, 200), store="b")
        case.run("sync", store="b")
        case.disk.fill(room * 1024)
        case.run("sync", codes=(0, 8), says=FULL)
        case.disk.free()
        case.sound()
        case.converges()
        case.run("delete", "Post", "where", "title is not null", "--yes", store="b")
        case.converges()
        case.converges()


def pushes(case, rooms):
    """A push: a batch is marked before it leaves, and each verdict is written."""
    for room in rooms:
        told = case.run(given=script(room * 10_000, case.scale // 3)).lines
        case.disk.fill(room * 1024)
        case.run("sync", codes=(0, 8), says=FULL)
        case.disk.free()
        case.holds(told)
        case.sound()
        case.converges()
        case.holds(told, "b")


def schema_changes(case, rooms):
    """Tables are altered while something is queued."""
    told = set(case.run(given=script(0, case.scale * 2, 200)).lines)
    schema = SCHEMA
    for number, room in enumerate(rooms):
        case.disk.fill(room * 1024)
        schema = schema.replace("}", f"  extra{number}: String\n}}")
        case.home.write("a/schema.graphql", schema)
        case.run("count", "Post", codes=(0, 8), says=FULL)
        case.disk.free()
        case.run("update", "Post", "p7", f"extra{number}=new")
        case.holds(told)
        case.sound()
        if case.run("status", "-o", "json").json()["queued"] != len(told):
            raise Fault("the queue is not what it was")
    case.home.write("b/schema.graphql", schema)
    case.converges()


def checkpoints(case, rooms):
    """The write-ahead log is long, and nothing can be moved from it."""
    told = set()
    for room in rooms:
        process = case.home.start(["-f", "-"], "a", script(room * 100_000, case.scale * 2, 200))
        while b"\n" not in process.output()[:-1]:
            if not process.is_running():
                break
        process.kill()
        told |= set(process.wait().lines)
        case.disk.fill(room * 1024)
        case.run("count", "Post", codes=(0, 8), says=FULL)
        told |= set(case.run(
            "create", "Post", f"id=late{room}", codes=(0, 8), says=FULL).lines)
        case.run("list", "Post", "limit", "3", codes=(0, 8), says=FULL)
        case.disk.free()
        case.holds(told)
        case.sound()
        case.run("delete", "Post", "where", "title is not null", "--yes")
        told = set()
    case.converges()


def folders(case, rooms):
    """The folder's disk: what does not fit waits in the queue."""
    for room in rooms:
        told = case.run(given=script(room * 10_000, case.scale // 5)).lines
        case.disk.fill(room * 1024)
        ended = case.run("sync", codes=(0, 6), says=FULL)
        waiting = case.run("status", "-o", "json").json()["queued"]
        if ended.code == 0 and waiting:
            raise Fault(f"{waiting} wait after {ended}")
        case.disk.free()
        case.run("queue", "retry", "all")
        case.converges()
        case.holds(told, "b")
        case.run("delete", "Post", "where", "title is not null", "--yes")
        case.converges()


def states(case, rooms):
    """The user's state: what a person consented to, and the history of the prompt."""
    os.makedirs(case.home.file("small/state"))
    case.home.environment["XDG_STATE_HOME"] = case.home.file("small/state")
    for number, room in enumerate(rooms[:6]):
        case.run("config", "set", "contexts.default.sync",
                 "manual" if number % 2 else "auto")
        case.disk.fill(room * 1024)
        ended = case.run("trust", "--yes", codes=(0, 1), says="No space left")
        told = case.run("create", "Post", "title=written").lines
        case.run("sync", codes=(0, 9) if ended.code else (0,))
        case.disk.free()
        case.run("trust", "--yes")
        case.holds(told)
        case.run("sync")
    case.run("sync", store="b", codes=(0, 9))
    case.run("trust", "--yes", store="b")
    case.converges()


def settings(case, rooms):
    """The workspace's own files: the old one stays until the new one is whole."""
    case.move("c")
    schema = case.home.file("schema.graphql")
    case.disk.fill()
    case.run("init", "--schema", schema, store="c", codes=(1, 8), says="space")
    case.disk.free()
    case.run("init", "--schema", schema, store="c")
    for number, room in enumerate(rooms):
        before = open(case.home.file("c/satchel.json")).read()
        case.disk.fill(room * 1024)
        ended = case.run("context", "add", f"extra{number}", "--backend", "folder", "--set",
                         "path=../../remote", store="c", codes=(0, 1, 8), says="space")
        after = open(case.home.file("c/satchel.json")).read()
        if ended.code and before != after:
            raise Fault(f"satchel.json is now: {after}")
        case.disk.free()
        case.run("context", store="c")


#: The cases, and what of each is on the small disk.
CASES = {
    "creates": (creates, "store"), "imports": (imports, "store"), "pulls": (pulls, "store"),
    "pushes": (pushes, "store"), "schema": (schema_changes, "store"),
    "checkpoints": (checkpoints, "store"), "folder": (folders, "folder"),
    "state": (states, "state"), "settings": (settings, "settings"),
}


def run(name, programs, path, rooms=ROOMS, scale=1_000):
    """Runs one case; the exit codes it met, counted."""
    body, small = CASES[name]
    case = Case(programs, path, small, "32m", scale)
    try:
        body(case, rooms)
    finally:
        case.disk.close()
    return case.ended
