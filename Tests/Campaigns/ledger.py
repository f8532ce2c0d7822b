"""What the workspaces were told, and what must therefore be found in them.

A write is acknowledged (its line of output is whole), failed (its process said so), or unknown: its
process was killed first, so it may have happened or not. Of a record's writes the one that is in
force is any that no acknowledged one came certainly after, by the clock of the campaign.
"""

ACKED, FAILED, UNKNOWN = "acknowledged", "failed", "unknown"


class Write:
    """A create, update or delete of one record, by one process on one store."""

    def __init__(self, kind, store, value=None, status=None):
        self.kind = kind
        self.store = store
        self.value = value  # What it sets: {"own": n} or {"status": text}.
        self.status = status
        self.process = None
        self.index = 0
        self.start = 0
        self.end = 0

    def came_after(self, other):
        if self.process is not None and self.process == other.process:
            return self.index > other.index
        return self.start > other.end


def in_force(writes):
    """Those of the writes that may be the last, and whether there may be none at all."""
    done = [write for write in writes if write.status == ACKED]
    possible = [
        write for write in writes
        if write.status != FAILED and not any(later.came_after(write) for later in done)]
    return possible, not done


class Entry:
    """One record: who made it, and what was asked of it since the last settlement."""

    def __init__(self, model, born, maker, key=None, parent=None):
        self.model = model
        self.born = born
        self.maker = maker
        self.id = key
        self.parent = parent
        self.writes = []
        #: True once a settlement has seen it: then it is everywhere, or gone.
        self.is_settled = False
        #: True once undone, repaired, resolved or replaced: then any of its states is in order.
        self.is_contested = False
        #: True after a settlement at which it was nowhere.
        self.is_gone = False
        #: Every value it ever had, a set a field.
        self.known = {"title": {None}, "body": {None}, "status": {None}}
        #: What the last settlement found: the start of what may be in force.
        self.settled = {"title": None, "body": None, "status": None}


#: The fields each store writes; `status` is written by both.
OWN = {"a": ("title", "rating", "t"), "b": ("body", "views", "b")}


class Ledger:
    def __init__(self):
        self.entries = {}
        self.clock = 0
        self.number = 0

    def tick(self):
        self.clock += 1
        return self.clock

    def next_number(self):
        self.number += 1
        return self.number

    def make(self, model, maker, key=None, parent=None):
        born = f"c{self.next_number()}"
        self.entries[born] = Entry(model, born, maker, key, parent)
        return self.entries[born]

    def add(self, entry, write):
        entry.writes.append(write)
        for field, value in write.value.items() if write.value else ():
            entry.known[field].add(value)
        return write

    def children(self, entry):
        return [child for child in self.entries.values()
                if child.parent is not None and child.parent is entry]

    def with_id(self, model, key):
        return [entry for entry in self.entries.values()
                if entry.id == key and entry.model == model]

    def contest(self, entries):
        for entry in entries:
            entry.is_contested = True
            for child in self.children(entry):
                child.is_contested = True

    # ---- Judging

    def faults(self, store, rows, queue):
        """Compares a store's records and queue with what it was told.

        rows: {born: record}; queue: its entries. Yields a line a violation.
        """
        parked = {}
        for entry in queue:
            parked.setdefault((entry["model"], entry["id"]), []).append(entry)
        strict = 0
        faults = []
        for item in queue:
            born = item["set"].get("born")
            if born in self.entries and self.entries[born].id is None:
                self.entries[born].id = item["id"]
        for born, row in rows.items():
            if born not in self.entries:
                faults.append(f"{store}: a record that nobody made: {row}")
        for entry in self.entries.values():
            row = rows.get(entry.born)
            if row is not None and entry.id is None:
                entry.id = row["id"]
            held = [item for item in parked.get((entry.model, entry.id), [])
                    if item["state"] in ("rejected", "conflict")]
            held += [item for item in queue if item["set"].get("born") == entry.born
                     and item["state"] in ("rejected", "conflict")]
            fault, is_strict = self.judge(store, entry, row, held)
            strict += is_strict
            if fault:
                history = "; ".join(
                    f"{w.store} {w.kind} {w.value} {w.status} [{w.start},{w.end}]"
                    for w in entry.writes)
                faults.append(
                    f"{store}: {fault}: {entry.model} {entry.id} {entry.born} is {row}, "
                    f"was told: {history}; settled {entry.settled}; "
                    f"deleted by {self.deleters(entry)}; parked: {held}")
        return faults, strict

    def judge(self, store, entry, row, held):
        mine = [write for write in entry.writes if write.store == store]
        if row is not None:
            for name, (text, number, letter) in OWN.items():
                if row[text] not in entry.known[text]:
                    return f"{text} holds what nobody wrote", False
                told = row[text] and int(row[text].lstrip("X" + letter))
                if (told or None) != row[number]:
                    return f"{text} and {number} were written together", False
        if entry.is_contested:
            return None, False
        if entry.is_gone:
            return ("a deleted record is back" if row is not None else None), True
        places = [write for write in mine if write.kind in ("create", "delete")]
        possible, may_be_old = in_force(places)
        kinds = {write.kind for write in possible}
        if row is None:
            # Another store may not have it yet; one that was killed may never have made it.
            is_unknown = not entry.is_settled and (entry.maker != store or may_be_old)
            is_fine = held or is_unknown or self.deleters(entry)
            return (None if is_fine else "an acknowledged record is lost"), True
        others = {write.store for write in entry.writes} | {entry.maker}
        if kinds == {"delete"} and not may_be_old and not held and others == {store}:
            return "an acknowledged delete is lost", True
        for field in (OWN[store][0], "status"):
            writes = [write for write in mine if write.value and field in write.value]
            if field == "status" and any(
                    write.value and field in write.value and write.store != store
                    for write in entry.writes):
                continue
            possible, may_be_old = in_force(writes)
            allowed = {write.value[field] for write in possible}
            if may_be_old:
                allowed.add(entry.settled[field])
            if row[field] in allowed:
                continue
            if any(item["set"].get(field) in allowed for item in held):
                continue
            if entry.maker != store and not writes:
                continue
            return f"{field} should be one of {sorted(map(str, allowed))}", True
        return None, True

    def deleters(self, entry):
        """The stores that may have deleted it, by itself or with its parent."""
        writes = entry.writes + (entry.parent.writes if entry.parent else [])
        return {write.store for write in writes
                if write.kind == "delete" and write.status != FAILED}

    def settle(self, rows):
        """Takes what both stores and the folder agree on for what is so."""
        for entry in list(self.entries.values()):
            row = rows.get(entry.born)
            entry.writes = []
            entry.is_contested = False
            entry.is_settled = True
            entry.is_gone = row is None
            if row is not None:
                entry.settled = {field: row[field] for field in entry.settled}
