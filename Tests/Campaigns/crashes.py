"""Kills satchel at random points, and looks from outside whether anything was lost."""

import collections
import os
import signal
import time

from actions import CUT, Author
from folder import Folder
from ledger import OWN, Ledger
from programs import Home

SCHEMA = """type Post @model {
  id: ID!
  born: String!
  title: String
  rating: Int
  body: String
  views: Int
  status: String
  comments: [Comment] @hasMany
}
type Comment @model {
  id: ID!
  born: String!
  title: String
  rating: Int
  body: String
  views: Int
  status: String
  post: Post @belongsTo
}
"""
RULES = """{"Post": {"title": {"pattern": "^[^X]"}, "body": {"pattern": "^[^X]"}}}
"""
MODELS = ("Post", "Comment")
STORES = ("a", "b")


class Violation(Exception):
    pass


class Campaign:
    def __init__(self, programs, path, random, say):
        self.home = Home(programs, path)
        self.random = random
        self.say = say
        self.ledger = Ledger()
        self.authors = {store: Author(random, self.ledger, store) for store in STORES}
        self.folder = Folder(self.home.file("remote"))
        self.usual = collections.defaultdict(lambda: 0.05)  # Seconds a command takes.
        self.kills = collections.Counter()
        self.ran = collections.Counter()
        self.figures = collections.Counter()
        self.recent = collections.deque(maxlen=60)
        self.began = time.monotonic()
        self.home.write("schema.graphql", SCHEMA)
        for store in STORES:
            self.home.run("init", store, "--schema", "schema.graphql", "--backend", "folder",
                          "--set", "path=../remote")
        self.home.run("sync", folder="a")
        self.home.write("remote/rules.json", RULES)

    def run(self, kills):
        settled = 0
        while sum(self.kills.values()) < kills:
            self.round()
            if sum(self.kills.values()) >= settled + 20:
                settled = sum(self.kills.values())
                self.settle()
        self.settle()

    # ---- One round: a few processes, at least one killed, then a look at everything.

    def round(self):
        alone = self.random.random() < 0.15
        plan = [("a", self.authors["a"].draw(alone))]
        if not alone and self.random.random() < 0.8:
            plan.append(("a", self.authors["a"].draw(False)))
        if not alone and self.random.random() < 0.35:
            plan.append(("b", self.authors["b"].draw(False)))
        for store, action in plan:
            if action.name == "undo" and not self.foresee(store, action):
                return
        victims = {self.random.randrange(len(plan))}
        if self.random.random() < 0.3:
            victims.add(self.random.randrange(len(plan)))
        # A watch ends in no other way.
        victims |= {index for index, (_, action) in enumerate(plan) if action.endless}
        running = []
        for store, action in plan:
            process = self.home.start(action.words, store, action.given)
            start = self.ledger.tick()
            for index, (entry, write) in enumerate(action.writes):
                write.process, write.index, write.start = process.pid, index, start
            running.append((store, action, process))
        self.kill([(index, *running[index]) for index in victims])
        for index, (store, action, process) in enumerate(running):
            self.end(store, action, process)
        left = self.home.left_running(5)
        if left:
            raise Violation(f"left running: {left}")
        for store in sorted({store for store, _ in plan}):
            self.examine(store)
        self.raise_all(self.folder.faults())

    def foresee(self, store, action):
        """Asks what an undo would take back: all of it may then be in any state."""
        seen = self.home.run("undo", "--dry-run", "-o", "json", folder=store, codes=(0, 1))
        if seen.code == 1:
            return False
        for key in seen.json():
            action.contests += self.ledger.with_id(key["model"], key["id"])
        return True

    def kill(self, victims):
        """Sends each victim its signal, after a part of the time it usually takes."""
        due = []
        for index, store, action, process in victims:
            usual = 0.4 if action.endless else self.usual[action.name]
            delay = self.random.uniform(0, 1.1) * usual
            at_plugin = action.asks and not action.endless and self.random.random() < 0.25
            due.append((process.began + delay, at_plugin, action, process))
        for when, at_plugin, action, process in sorted(due, key=lambda item: item[0]):
            time.sleep(max(0, when - time.monotonic()))
            if at_plugin:
                self.kill_plugin(action, process)
            elif process.kill():
                action.was_killed = True
                self.kills[action.name] += 1

    def kill_plugin(self, action, process):
        while process.is_running():
            plugins = process.plugins()
            if plugins:
                try:
                    os.kill(plugins[0], signal.SIGKILL)
                except ProcessLookupError:
                    return
                self.kills[f"{action.name}: plugin"] += 1
                action.codes |= {1, *CUT}
                return
            time.sleep(0.0005)

    def end(self, store, action, process):
        was_killed = getattr(action, "was_killed", False)
        ended = process.wait()
        tick = self.ledger.tick()
        self.ran[action.name] += 1
        if not was_killed:
            self.usual[action.name] += 0.2 * (ended.seconds - self.usual[action.name])
        self.recent.append(f"{store} {'KILLED ' if was_killed else ''}{ended}")
        if b"locked" in ended.errors:
            raise Violation(f"locked: {ended}")
        if not was_killed and ended.code not in action.codes:
            raise Violation(f"unexpected: {ended}")
        if action.end(ended, was_killed, tick):
            self.figures["killed between two acknowledgements"] += was_killed
        self.ledger.contest(action.contests)

    # ---- Looking

    def ask(self, store, *words, codes=(0,)):
        ended = self.home.run(*words, folder=store, codes=None)
        if ended.code not in codes:
            raise Violation(f"{store}: {ended}")
        return ended

    def rows(self, store):
        found = {}
        for model in MODELS:
            for row in self.ask(store, "list", model, "--meta", "-o", "json").json():
                if row["born"] in found:
                    raise Violation(f"{store}: {row['born']} is there twice")
                found[row["born"]] = row
        return found

    def examine(self, store):
        """I1 to I5, as far as they can be told from outside, of a store nobody uses now."""
        self.figures["looks"] += 1
        status = self.ask(store, "status", "-o", "json").json()
        if status["sending"] + status["unknown"]:
            self.figures["killed with a push under way"] += 1
        if self.folder.has_journal():
            self.figures["folder left with a journal"] += 1
        queue = self.ask(store, "queue", "list", "-o", "json").json()
        rows = self.rows(store)
        counted = sum(status[state] for state in (
            "queued", "sending", "unknown", "waiting", "conflicts", "rejected"))
        if counted != len(queue):
            raise Violation(f"{store}: status counts {counted}, the queue has {len(queue)}")
        for item in queue:
            if item["state"] in ("rejected",) and not item["error"]:
                raise Violation(f"{store}: parked without a reason: {item}")
        report = self.ask(store, "doctor", "-o", "json", codes=(0, 1, 8)).json()
        wrong = [line for line in report if not line["ok"]]
        if wrong:
            raise Violation(f"{store}: doctor finds {wrong}")
        faults, strict = self.ledger.faults(store, rows, queue)
        self.figures["records judged strictly"] += strict
        self.raise_all(faults)
        self.compare(store, rows, queue)
        author = self.authors[store]
        author.rows, author.queue = rows, queue
        if self.random.random() < 0.2:
            self.pull(store)

    def compare(self, store, rows, queue):
        """I2: what is synced is what the folder has, if it has that version still."""
        for row in rows.values():
            if row["_state"] != "synced":
                continue
            if row["_version"] is None:
                raise Violation(f"{store}: neither queued nor known to the backend: {row}")
            model = self.ledger.entries[row["born"]].model
            file = self.folder.record(model, row["id"])
            if file and file["version"] == row["_version"] and "record" in file:
                self.figures["records compared with the folder"] += 1
                for field, value in row.items():
                    if not field.startswith("_") and file["record"].get(field) != value:
                        raise Violation(f"{store}: {field} of {row} is not the folder's {file}")

    def pull(self, store):
        """I5: after a pull everything in the folder has arrived, whatever was cut short before."""
        self.ask(store, "sync", "pull", codes=(0, 3, 5))
        rows = {row["id"]: row for row in self.rows(store).values()}
        held = {item["id"] for item in self.ask(store, "queue", "-o", "json").json()}
        for model in MODELS:
            for key, file in self.folder.records(model).items():
                if key in held:
                    continue
                row = rows.get(key)
                if file.get("deleted"):
                    if row:
                        raise Violation(f"{store}: the deletion of {key} never arrived")
                elif not row or row["_version"] < file["version"]:
                    raise Violation(f"{store}: {file} never arrived: {row}")
                elif self.random.random() < 0.01:
                    remote = self.ask(store, "get", model, key, "--remote", "-o", "json").json()
                    if any(file["record"].get(field) != value for field, value in remote.items()):
                        raise Violation(f"{store}: get --remote gives {remote}, not {file}")
        self.figures["pulls compared with the folder"] += 1
        tokens = [int(line["token"]) for line in self.ask(store, "log", "-o", "json").json()]
        if tokens != sorted(set(tokens)):
            raise Violation(f"{store}: the log is out of order")

    def raise_all(self, faults):
        if faults:
            raise Violation("\n".join(faults[:5]))

    # ---- I6

    def settle(self):
        """Syncs both until quiet, mending what is parked: then all three must be equal."""
        for store in STORES:
            self.examine(store)
        for _ in range(12):
            quiet = True
            for store in STORES:
                quiet &= self.calm(store)
            if quiet:
                break
        else:
            raise Violation("never quiet: " + str(self.ask("a", "queue", "-o", "json").output))
        for store in STORES:
            self.examine(store)
        first, second = self.rows("a"), self.rows("b")
        if first != second:
            unequal = [(first.get(born), second.get(born)) for born in {**first, **second}
                       if first.get(born) != second.get(born)]
            raise Violation(f"a and b differ: {unequal[:3]}")
        self.raise_all(self.folder.faults())
        live = {}
        for model in MODELS:
            for key, file in self.folder.records(model).items():
                if file["version"] != self.folder.versions.get((model, key)):
                    raise Violation(f"{model} {key} is not at the log's version: {file}")
                if "record" in file:
                    live[key] = file
        if set(live) != {row["id"] for row in first.values()}:
            raise Violation("the folder has other records than the stores")
        for row in first.values():
            if row["_state"] != "synced" or row["_version"] != live[row["id"]]["version"]:
                raise Violation(f"not the folder's: {row}")
        self.ledger.settle(first)
        self.figures["settlements"] += 1
        self.say(f"{sum(self.kills.values())} kills, {len(first)} records, all equal, "
                 f"{time.monotonic() - self.began:.0f} s")

    def calm(self, store):
        """One sync and the repairs it calls for; true when there was nothing to do."""
        ended = self.ask(store, "sync", "-o", "json", codes=(0, 3, 5))
        self.recent.append(f"{store} settling {ended}")
        queue = self.ask(store, "queue", "-o", "json").json()
        for item in queue:
            entries = self.ledger.with_id(item["model"], item["id"])
            text, number, letter = OWN[store]
            if item["state"] == "conflict":
                side = self.random.choice(["--local", "--remote"])
                self.ledger.contest(entries)
                self.ask(store, "conflicts", "resolve", item["model"], item["id"], side,
                         codes=(0, 1))
            elif item["state"] == "rejected":
                self.ledger.contest(entries)
                n = self.ledger.next_number()
                for entry in entries:
                    entry.known[text].add(f"{letter}{n}")
                seq = str(item["seq"])
                self.ask(store, "queue", "edit", seq, f"{text}={letter}{n}", f"{number}={n}",
                         codes=(0, 1))
                # A change whose create was dropped can only be dropped too.
                if self.ask(store, "queue", "retry", seq, codes=(0, 1)).code == 1:
                    self.ask(store, "queue", "drop", seq, "--yes")
            elif not item["error"] and item["state"] not in ("queued", "waiting"):
                raise Violation(f"{store}: left without a reason: {item}")
        report = ended.json()
        return not queue and not report["pushed"] and not report["pulled"] \
            and not report["deleted"] and ended.code == 0
