"""Many satchel processes at once on one store, and one that watches them."""

import collections
import json
import os
import signal
import sqlite3
import threading
import time

from folder import Folder
from programs import Home

SCHEMA = """type Post @model {
  id: ID!
  title: String
  views: Int
}
"""


class Fault(Exception):
    pass


class Crowd:
    def __init__(self, programs, path, random, count):
        self.home = Home(programs, path)
        self.random = random
        self.count = count
        self.lock = threading.Lock()
        self.ran = collections.Counter()
        self.ended = collections.Counter()
        self.slowest = {}
        self.faults = []
        self.wanted = {}  # What was acknowledged: {id: title}, nil for a deleted one.
        self.counted = 0
        self.home.write("schema.graphql", SCHEMA)
        for store in ("a", "b"):
            self.home.run("init", store, "--schema", "schema.graphql", "--backend", "folder",
                          "--set", "path=../remote")
        self.home.run("create", "Post", "id=shared", "views=0", folder="a")
        self.home.run("sync", folder="a")

    def run(self, seconds):
        watcher = self.home.start(["watch", "-o", "ndjson"], "a")
        while b'"ready"' not in watcher.output():
            time.sleep(0.01)
        end = time.monotonic() + seconds
        workers = [
            threading.Thread(target=self.work, args=(number, self.random.random(), end))
            for number in range(self.count)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.watched(watcher)
        self.judge()
        if self.faults:
            raise Fault("\n".join(self.faults[:5]))

    # ---- One of the many

    def work(self, number, seed, end):
        random = type(self.random)(seed)
        mine, serial = [], 0
        try:
            while time.monotonic() < end and not self.faults:
                draw = random.random()
                serial += 1
                key = f"w{number}-{serial}"
                if draw < 0.2:
                    self.command("create", "Post", f"id={key}", f"title={key}")
                    self.wanted[key] = key
                    mine.append(key)
                elif draw < 0.35 and mine:
                    key = random.choice(mine)
                    self.command("update", "Post", key, f"title={key}:{serial}")
                    self.wanted[key] = f"{key}:{serial}"
                elif draw < 0.42 and mine:
                    key = mine.pop(random.randrange(len(mine)))
                    self.command("delete", "Post", key)
                    self.wanted[key] = None
                elif draw < 0.52:
                    self.command("update", "Post", "shared", "views+=1")
                    with self.lock:
                        self.counted += 1
                elif draw < 0.58:
                    self.script(key, mine)
                elif draw < 0.62:
                    rows = "".join(json.dumps({"id": f"{key}.{n}", "title": key}) + "\n"
                                   for n in range(20))
                    self.command("import", "Post", "-", "--format", "ndjson", given=rows)
                    self.wanted.update({f"{key}.{n}": key for n in range(20)})
                elif draw < 0.72:
                    self.command("sync", *random.choice([[], ["pull"], ["push"]]), codes=(0, 3))
                elif mine and draw < 0.8:
                    key = random.choice(mine)
                    shown = self.command("get", "Post", key, "-o", "json").json()
                    if shown["title"] != self.wanted[key]:
                        raise Fault(f"{key} should be {self.wanted[key]}: {shown}")
                else:
                    self.command(*random.choice([
                        ["list", "Post", "-o", "ndjson"], ["count", "Post"], ["status"],
                        ["queue", "-o", "json"], ["log", "limit", "20"], ["export"],
                        ["list", "Post", "where", "views > 0"]]))
        except (Fault, AssertionError) as fault:
            self.faults.append(str(fault))

    def script(self, key, mine):
        lines = [f"create Post id={key}.{n} title={key}" for n in range(10)]
        lines += [f"update Post {key}.{n} title={key}:new" for n in range(10)]
        self.command("-f", "-", given="\n".join(lines))
        self.wanted.update({f"{key}.{n}": f"{key}:new" for n in range(10)})

    def command(self, *words, given="", codes=(0,)):
        process = None
        with self.lock:
            process = self.home.start(words, "a", given)
        ended = process.wait()
        with self.lock:
            name = "script" if words[0] == "-f" else words[0]
            self.ran[name] += 1
            self.ended[ended.code] += 1
            self.slowest[name] = max(self.slowest.get(name, 0), ended.seconds)
        if ended.code not in codes or b"locked" in ended.errors:
            raise Fault(str(ended))
        return ended

    # ---- What is left of it

    def judge(self):
        rows = {row["id"]: row for row in
                self.home.run("list", "Post", "-o", "json", folder="a").json()}
        self.compare("a", rows)
        for store in ("a", "b"):
            self.home.run("sync", folder=store)
        if self.home.run("queue", "-o", "json", folder="a").json():
            self.faults.append("the queue is not empty after a sync")
        self.faults += Folder(self.home.file("remote")).faults()
        exports = [self.home.run("export", folder=store).output for store in ("a", "b")]
        if exports[0] != exports[1]:
            self.faults.append("a and b differ")
        self.home.run("doctor", folder="a")

    def compare(self, store, rows):
        for key, title in self.wanted.items():
            row = rows.pop(key, None)
            if (row and row["title"]) != title:
                self.faults.append(f"{store}: {key} should be {title}: {row}")
        shared = rows.pop("shared")
        if shared["views"] != self.counted:
            self.faults.append(f"{self.counted} counted, views is {shared['views']}")
        if rows:
            self.faults.append(f"records nobody made: {list(rows)[:5]}")

    def watched(self, watcher):
        """Every change once, in order: the feed itself tells which there were."""
        store = self.home.file("a/.satchel/default.sqlite")
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as feed:
            lines = feed.execute(
                "SELECT seq, model, id, kind, coalesce(first, seq) FROM change "
                "WHERE kind <> 'heard' ORDER BY seq").fetchall()
        last = str(lines[-1][0])
        end = time.monotonic() + 20
        while f'"token":"{last}"'.encode() not in watcher.output():
            if not watcher.is_running() or time.monotonic() > end:
                break
            time.sleep(0.01)
        watcher.terminate()
        ended = watcher.wait()
        if ended.code != 0:
            self.faults.append(f"the watch: {ended}")
        events = [json.loads(line) for line in ended.lines]
        ready = next(index for index, event in enumerate(events) if event["event"] == "ready")
        start = int(events[ready]["token"])
        told = [(int(event["token"]), event["model"], event["id"], event["event"])
                for event in events[ready + 1:]]
        # What one commit did to a record is one event, with the state after the last of it.
        final = {(line[4], line[1], line[2]): line[0] for line in lines}
        wanted = [line[:4] for line in lines
                  if line[0] > start and final[line[4], line[1], line[2]] == line[0]]
        self.events = len(told)
        if told != wanted:
            missing = [line for line in wanted if line not in told]
            extra = [line for line in told if line not in wanted]
            self.faults.append(f"the watch missed {missing[:5]} and told {extra[:5]} of "
                               f"{len(wanted)}: {len(told)} told")
