"""Two workspaces and a plain GraphQL client on one AppSync-shaped API, while everything breaks."""

import collections
import http.client
import json
import os
import subprocess
import threading
import time

from programs import ROOT, Home

SCHEMA = """type Post @model {
  id: ID!
  title: String
  content: String
  a: Int
  b: Int
}
"""
STORES = ("a", "b")
#: What a command may come to while the network breaks and tokens expire; 7 where the answers about one
#: change were lost again and again.
CODES = (0, 3, 4, 5, 6, 7)


class Fault(Exception):
    pass


class Api:
    """The server, its control address, and the plain client's way to it."""

    def __init__(self, schema, *options):
        python = os.path.join(ROOT, ".build/servers/bin/python")
        self.process = subprocess.Popen(
            [python, "-m", "appsync", "--schema", schema, *options],
            cwd=os.path.join(ROOT, "Tests/Servers"), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        told = json.loads(self.process.stdout.readline())
        self.port, self.url, self.key = told["port"], told["url"], told["api_key"]

    def control(self, command, **more):
        return self.post("/__control", {"command": command, **more}, {})

    def execute(self, document, variables):
        """The answer; nil where the line broke or the answer is none."""
        try:
            return self.post("/graphql", {"query": document, "variables": variables},
                             {"x-api-key": self.key})
        except (OSError, http.client.HTTPException, ValueError):
            return None

    def post(self, path, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("POST", path, json.dumps(body),
                               {"Content-Type": "application/json", **headers})
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Trial:
    def __init__(self, programs, path, random, detection):
        self.random = random
        self.home = Home(programs, path)
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.ended = collections.Counter()
        self.faults = []
        self.wanted = {}    # What has one writer: {id: title}, nil for a deleted one.
        self.titles = collections.defaultdict(list)    # Each value that was written, in order.
        self.added = collections.Counter()    # To the field of the record that all write to.
        self.is_over = False
        self.versioned = detection == "on"
        schema = self.home.write("schema.graphql", SCHEMA)
        self.api = Api(schema, "--auth", "userPools,apiKey", "--conflict-detection", detection)
        self.mint()
        for store in STORES:
            self.home.run("init", store, "--schema", "schema.graphql", "--backend", "graphql",
                          "--set", f"url={self.api.url}", "--set", "auth=user_pools",
                          "--set", "overlap_ms=100")
            for key, value in (
                    ("contexts.default.secret_command", 'cat "$HOME/token"'),
                    ("models.Post.conflict", "local")):
                self.home.run("config", "set", key, value, folder=store)
        self.home.run("create", "Post", "id=shared", "title=shared", "a=0", "b=0",
                      folder="a")
        for store in STORES:
            self.home.run("sync", folder=store)

    def mint(self):
        token = self.api.control("mint", user="ann", mode="userPools", expires_in=3600)
        with open(self.home.file("token.new"), "w") as file:
            file.write(f"token={token['token']}\n")
        os.replace(self.home.file("token.new"), self.home.file("token"))

    def run(self, seconds):
        end = time.monotonic() + seconds
        watchers = {store: self.home.start(["watch", "--sync", "-o", "ndjson"], store)
                    for store in STORES}
        workers = [threading.Thread(target=self.guard, args=(work, *more, end))
                   for work, *more in (
                       (self.write, "a", self.random.random()),
                       (self.write, "b", self.random.random()),
                       (self.plain, self.random.random()), (self.break_things, watchers))]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for watcher in watchers.values():
            watcher.terminate()
            watcher.wait()
        self.settle()
        if not self.faults:
            self.judge()
        if self.faults:
            raise Fault("\n".join(self.faults[:10]))

    def guard(self, work, *more):
        try:
            work(*more)
        except (Fault, AssertionError, OSError, ValueError) as fault:
            self.faults.append(f"{work.__name__}: {fault!r}")

    # ---- Who writes

    def write(self, store, seed, end):
        """A person with commands, who sometimes waits for the delivery."""
        random = type(self.random)(seed)
        mine, serial = [], 0
        while time.monotonic() < end and not self.faults:
            serial += 1
            draw = random.random()
            if draw < 0.25 or not mine:
                key = f"{store}-{serial}"
                self.command(store, "create", "Post", f"id={key}", f"title={key}")
                self.note(key, key)
                mine.append(key)
            elif draw < 0.55:
                key = random.choice(mine)
                self.command(store, "update", "Post", key, f"title={key}:{serial}")
                self.note(key, f"{key}:{serial}")
            elif draw < 0.62 and len(mine) > 2:
                key = mine.pop(random.randrange(len(mine)))
                self.command(store, "delete", "Post", key, "--yes")
                self.note(key, None)
            elif draw < 0.85:
                # Each has a field of its own there; the record has three writers.
                self.command(store, "update", "Post", "shared", f"{store}+=1")
                self.added[store] += 1
            else:
                self.command(store, "sync", *random.choice([[], ["pull"], ["push"]]), codes=CODES)

    def note(self, key, title):
        with self.lock:
            self.wanted[key] = title
            self.titles[key].append(title)

    def command(self, store, *words, codes=(0,)):
        with self.lock:
            process = self.home.start(words, store)
        ended = process.wait()
        with self.lock:
            self.counts[words[0]] += 1
            self.ended[ended.code] += 1
        if ended.code not in codes:
            raise Fault(str(ended))
        return ended

    def plain(self, seed, end):
        """A client without a queue: it tries until it knows that its write is there."""
        random = type(self.random)(seed)
        serial = 0
        while time.monotonic() < end and not self.faults:
            serial += 1
            key = f"plain-{random.randrange(20)}"
            self.put(key, f"{key}:{serial}")
            # The record that all write to: a field of its own.
            self.put("shared", None, content=f"plain {serial}")
            self.counts["plain writes"] += 2
            time.sleep(random.random() * 0.2)

    def put(self, key, title, **more):
        versioned = "_version" if self.versioned else "updatedAt"
        wanted = {**({"title": title} if title else {}), **more}
        while not self.is_over:
            answer = self.api.execute(
                f"query G($id: ID!) {{ getPost(id: $id) {{ id title content {versioned} }} }}",
                {"id": key})
            if not answer or answer.get("errors"):
                continue
            found = answer["data"]["getPost"]
            if found and all(found[name] == value for name, value in wanted.items()):
                break
            values = {"input": {"id": key, **wanted}}
            kind, condition = ("Update", "") if found else ("Create", "")
            if found and self.versioned:
                values["input"]["_version"] = found["_version"]
            elif found:
                values["condition"] = {"updatedAt": {"eq": found["updatedAt"]}}
                condition = ", $condition: ModelPostConditionInput"
            passed = ", condition: $condition" if condition else ""
            # Whoever listens gets what a write selects.
            selected = "id title content a b" + (
                " _version _deleted _lastChangedAt" if self.versioned else " updatedAt")
            self.api.execute(
                f"mutation W($input: {kind}PostInput!{condition}) {{ {kind.lower()}Post("
                f"input: $input{passed}) {{ {selected} }} }}", values)
        if title:
            with self.lock:
                self.wanted[key] = title

    # ---- What breaks

    def break_things(self, watchers, end):
        random = self.random
        while time.monotonic() < end and not self.faults:
            time.sleep(random.random() * 0.4)
            draw = random.random()
            if draw < 0.45:
                kind = random.choice(["cut_after", "cut_after", "cut_before", "cut_during",
                                      "malformed", "throttled", "internal"])
                self.api.control("fault", type=kind, count=1,
                                 kind=random.choice(["mutation", "mutation", "query"]))
                self.counts[kind] += 1
            elif draw < 0.55:
                self.api.control("fault", type="status", status=503, count=random.randrange(1, 4))
                self.counts["status 503"] += 1
            elif draw < 0.75:
                self.api.control("drop_sockets")
                self.counts["sockets dropped"] += 1
            elif draw < 0.85:
                kind = random.choice(["lose", "duplicate", "reorder"])
                self.api.control("fault", on="event", type=kind)
                self.counts[f"events: {kind}"] += 1
            elif draw < 0.93:
                self.api.control("expire_tokens", drop=True)
                self.counts["tokens expired"] += 1
                time.sleep(random.random() * 0.5)
                self.mint()
                self.again(watchers)
            else:
                self.again(watchers)

    def again(self, watchers):
        """A watch that gave up, as for a login, is started anew."""
        for store, watcher in watchers.items():
            if not watcher.is_running():
                watcher.wait()
                watchers[store] = self.home.start(["watch", "--sync", "-o", "ndjson"], store)
                self.counts["watches begun anew"] += 1

    # ---- What is left of it

    def settle(self):
        self.is_over = True
        self.api.control("clear_faults")
        self.mint()
        for _ in range(20):
            codes = [self.home.run("sync", folder=store, codes=CODES).code for store in STORES]
            for store in STORES:
                for conflict in self.home.run("conflicts", "-o", "json", folder=store).json():
                    self.counts["conflicts for a person"] += 1
                    self.home.run("conflicts", "resolve", conflict["model"], conflict["id"],
                                  "--local", folder=store)
            queues = [self.home.run("queue", "-o", "json", folder=store).json()
                      for store in STORES]
            if codes == [0, 0] and not any(queues):
                break
        else:
            self.faults.append(f"it does not settle: {codes} {queues}")
        for store in STORES:
            self.home.run("sync", folder=store)

    def judge(self):
        exports = [self.home.run("export", folder=store).output for store in STORES]
        if exports[0] != exports[1]:
            self.faults.append("a and b differ")
        remote = {row["id"]: row for row in self.records()}
        local = {row["id"]: row for row in
                 self.home.run("list", "Post", "-o", "json", folder="a").json()}
        if set(remote) != set(local):
            self.faults.append(f"the API and a differ: {set(remote) ^ set(local)}")
        for key, title in self.wanted.items():
            for name, rows in (("the API", remote), ("a", local)):
                if (rows.get(key) or {}).get("title") != title:
                    self.faults.append(f"{name}: {key} should be {title}: {rows.get(key)}")
        for store in STORES:
            if remote["shared"][store] != self.added[store]:
                self.faults.append(f"{store} added 1 {self.added[store]} times, and it is "
                                   f"{remote['shared'][store]}")
        for key in self.titles:
            self.once(key)
        for store in STORES:
            self.home.run("doctor", folder=store)

    def records(self):
        rows = self.api.control("records", model="Post")["records"]
        return [row for row in rows if not row.get("_deleted")]

    def once(self, key):
        """Each write of a record with one writer was applied once, and in order."""
        effects = self.api.control("effects", model="Post", key=[key])["effects"]
        kinds = [each["verb"] for each in effects]
        self.counts["writes applied"] += len(kinds)
        if kinds.count("create") > 1 or kinds.count("delete") > 1:
            self.faults.append(f"{key} was made or deleted twice: {kinds}")
        if len(kinds) > len(self.titles[key]):
            self.faults.append(f"{key} was written {len(self.titles[key])} times, and "
                               f"{len(kinds)} writes were applied: {kinds}")
