"""Random commands, each with what it must be held to."""

import json

from ledger import ACKED, FAILED, OWN, UNKNOWN, Write

BACKEND = (0, 3, 5)
#: What a backend whose process was killed leaves: unreachable, or broken.
CUT = (6, 7)


class Action:
    """One process to start: its words, its writes, and the exit codes it may end with."""

    def __init__(self, name, words, given="", codes=(0,), by_line=False, endless=False):
        self.name = name
        self.words = words
        self.given = given
        self.codes = set(codes)
        self.by_line = by_line  # A line of output acknowledges one write, in order.
        self.endless = endless
        self.asks = name in ("sync", "pull", "push", "watch --sync") or "--deliver" in words
        self.writes = []
        self.contests = []

    def end(self, ended, was_killed, tick):
        """Learns from how it ended what became of its writes."""
        lines = ended.lines
        if ended.code == 0 and not was_killed:
            told = len(self.writes)
        elif self.by_line:
            told = len(lines)
        else:
            told = len(self.writes) if lines else 0
        for index, (_, write) in enumerate(self.writes):
            write.end = tick
            write.status = ACKED if index < told else UNKNOWN if was_killed else FAILED
        return 0 < told < len(self.writes)


class Author:
    """Makes up commands for one store."""

    def __init__(self, random, ledger, store):
        self.random = random
        self.ledger = ledger
        self.store = store
        self.rows = {}  # What the store last showed: {born: record}.
        self.queue = []

    def draw(self, alone):
        """One action; some need to be alone on the store, for what they take back to be known."""
        kinds = {
            "create": 10, "update": 12, "update where": 5, "delete": 5, "script": 9, "import": 5,
            "sync": 16, "pull": 5, "push": 7, "watch --sync": 8, "deliver": 4, "status": 2,
            "list": 3, "queue": 2, "retry": 2, "repair": 3, "resolve": 4, "replace": 1,
        }
        if alone:
            kinds["undo"] = 12
        while True:
            name = self.random.choices(list(kinds), list(kinds.values()))[0]
            action = getattr(self, "make_" + name.replace(" --", "_").replace(" ", "_"))()
            if action:
                return action

    # ---- Values

    def value(self):
        """A value nobody wrote before, and the items that write it."""
        text, number, letter = OWN[self.store]
        n = self.ledger.next_number()
        # The folder's rules refuse what begins with an X.
        spoilt = "X" if self.random.random() < 0.04 else ""
        return {text: f"{spoilt}{letter}{n}"}, {text: f"{spoilt}{letter}{n}", number: n}

    def change(self):
        if self.random.random() < 0.1:
            status = self.random.choice(["open", "shut", "odd"]) + str(self.ledger.next_number())
            return {"status": status}, {"status": status}
        return self.value()

    @staticmethod
    def items(values):
        return [f"{name}={value}" for name, value in values.items()]

    def some(self, model=None):
        """A record the store shows."""
        rows = [born for born, row in self.rows.items()
                if model in (None, self.ledger.entries[born].model)]
        return self.ledger.entries[self.random.choice(rows)] if rows else None

    def write(self, action, entry, kind, value=None):
        write = self.ledger.add(entry, Write(kind, self.store, value))
        action.writes.append((entry, write))

    def new(self, key=None):
        """A record to make: its entry, the value it is watched for, and all its values."""
        parent = self.some("Post") if self.random.random() < 0.4 else None
        model = "Comment" if parent else "Post"
        entry = self.ledger.make(model, self.store, key, parent)
        watched, values = self.value()
        values["born"] = entry.born
        if parent:
            values["post"] = parent.id
        return entry, watched, values

    # ---- Writes

    def make_create(self):
        entry, watched, values = self.new()
        action = Action("create", ["create", entry.model, *self.items(values)])
        self.write(action, entry, "create", watched)
        if entry.parent:
            action.codes.add(1)  # The parent may have gone meanwhile.
        return action

    def make_update(self):
        entry = self.some()
        if not entry:
            return None
        watched, values = self.change()
        action = Action(
            "update", ["update", entry.model, entry.id, *self.items(values)], codes=(0, 1))
        self.write(action, entry, "update", watched)
        return action

    def make_update_where(self):
        chosen = {entry for entry in (self.some("Post") for _ in range(4)) if entry}
        if not chosen:
            return None
        watched, values = self.change()
        names = ",".join(f"'{entry.born}'" for entry in chosen)
        action = Action(
            "update where", ["update", "Post", "where", f"born in ({names})", "set",
                             *self.items(values), "--yes"])
        for entry in sorted(chosen, key=lambda entry: entry.born):
            self.write(action, entry, "update", watched)
        return action

    def make_delete(self):
        entry = self.some()
        if not entry:
            return None
        action = Action(
            "delete", ["delete", entry.model, entry.id, "--yes"], codes=(0, 1))
        self.write(action, entry, "delete")
        return action

    def make_replace(self):
        """Makes a record anew under the id of one that is deleted first."""
        old = self.some("Post")
        if not old:
            return None
        entry = self.ledger.make("Post", self.store, old.id)
        watched, values = self.value()
        lines = [f"delete Post {old.id} --yes",
                 f"create Post id={old.id} born={entry.born} {' '.join(self.items(values))}"]
        action = Action("replace", ["-f", "-"], "\n".join(lines), (0, 1), by_line=True)
        self.write(action, old, "delete")
        self.write(action, entry, "create", watched)
        action.contests += [old, entry]
        return action

    def make_script(self):
        action = Action("script", [], by_line=True)
        lines, made = [], []
        for number in range(self.random.randint(5, 150)):
            draw = self.random.random()
            if made and draw < 0.3:
                entry = self.random.choice(made)
                watched, values = self.change()
                lines.append(f"update {entry.model} {entry.id} {' '.join(self.items(values))}")
                self.write(action, entry, "update", watched)
            elif made and draw < 0.75:
                entry = made.pop(self.random.randrange(len(made)))
                lines.append(f"delete {entry.model} {entry.id} --yes")
                self.write(action, entry, "delete")
            else:
                entry, watched, values = self.new()
                if entry.parent:  # Its parent may go meanwhile, and the script would stop.
                    entry.model, entry.parent = "Post", None
                    del values["post"]
                entry.id = f"{entry.born}-{number}"
                values["id"] = entry.id
                lines.append(f"create {entry.model} {' '.join(self.items(values))}")
                self.write(action, entry, "create", watched)
                made.append(entry)
        action.given = "\n".join(lines)
        return action

    def make_import(self):
        action = Action("import", ["import", "Post", "-", "--format", "ndjson"])
        rows = []
        for _ in range(self.random.randint(2, 15)):
            entry = self.ledger.make("Post", self.store)
            watched, values = self.value()
            rows.append(json.dumps({"born": entry.born, **values}))
            self.write(action, entry, "create", watched)
        action.given = "\n".join(rows) + "\n"
        return action

    def make_deliver(self):
        action = self.random.choice([self.make_create, self.make_update])()
        if action:
            action.name = "--deliver"
            action.words.append("--deliver")
            action.asks = True
            action.codes |= {1, *BACKEND}
        return action

    # ---- Sync

    def make_sync(self):
        return Action("sync", ["sync"], codes=BACKEND)

    def make_pull(self):
        return Action("pull", ["sync", "pull"], codes=BACKEND)

    def make_push(self):
        return Action("push", ["sync", "push"], codes=BACKEND)

    def make_watch_sync(self):
        return Action(
            "watch --sync", ["watch", "--sync", "-o", "ndjson"], codes=(0,), endless=True)

    # ---- Looking

    def make_status(self):
        return Action("status", ["status", "-o", "json"])

    def make_list(self):
        return Action("list", ["list", "Post", "include", "comments", "-o", "ndjson"])

    def make_queue(self):
        return Action("queue", ["queue", "list", "-o", "json"])

    # ---- Repair

    def in_state(self, *states):
        return [item for item in self.queue if item["state"] in states]

    def make_retry(self):
        action = Action("retry", ["queue", "retry", "all"])
        for item in self.in_state("rejected"):
            action.contests += self.ledger.with_id(item["model"], item["id"])
        return action if self.in_state("rejected") else None

    def make_repair(self):
        """Drops a refused change, or edits it; both may find that the other process did."""
        refused = self.in_state("rejected")
        if not refused:
            return None
        item = self.random.choice(refused)
        _, values = self.value()
        seq = str(item["seq"])
        words = self.random.choice([
            ["queue", "drop", seq, "--yes"], ["queue", "edit", seq, *self.items(values)]])
        action = Action("repair", words, codes=(0, 1))
        action.contests += self.ledger.with_id(item["model"], item["id"])
        self.know(action.contests, values)
        return action

    def know(self, entries, values):
        for entry in entries:
            for field, value in values.items():
                entry.known.get(field, set()).add(value)

    def make_resolve(self):
        parked = self.in_state("conflict")
        if not parked:
            return None
        item = self.random.choice(parked)
        side = self.random.choice(["--local", "--remote"])
        action = Action(
            "resolve", ["conflicts", "resolve", item["model"], item["id"], side], codes=(0, 1))
        action.contests += self.ledger.with_id(item["model"], item["id"])
        return action

    def make_undo(self):
        return Action("undo", ["undo", "-o", "json"], codes=(0, 1, 3))

