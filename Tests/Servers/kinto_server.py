"""A real Kinto for the tests: `kinto_server.py FIFO STATE`.

Listens on a port that the system chose and writes a line to FIFO for each step it has done, the
first `ready PORT`. The server itself is a child, so that it can go and come back on that port:

    SIGHUP   the server is started anew and keeps its data, by way of the file STATE
    SIGUSR1  it is killed and comes back empty, but for the accounts
    SIGUSR2  it goes, connections are refused; once more, and it is back with its data

Between the network and Kinto is a layer that does, as `/__test__` is told, what networks and busy
servers do; see `Faults`.
"""

import json
import os
import pickle
import signal
import socket
import sys
import threading
import traceback

COMMANDS = (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM)
ACCOUNTS = {"ann": "correct-horse"}
# Where the stores in memory have what they hold.
DATA = ("_store", "_cemetery", "_timestamps")
SETTINGS = {
    "kinto.storage_backend": "kinto.core.storage.memory",
    "kinto.cache_backend": "kinto.core.cache.memory",
    "kinto.permission_backend": "kinto.core.permission.memory",
    "kinto.userid_hmac_secret": "tests",
    "kinto.includes": "kinto.plugins.accounts kinto.plugins.flush",
    "multiauth.policies": "account",
    "multiauth.policy.account.use":
        "kinto.plugins.accounts.authentication.AccountsAuthenticationPolicy",
    "kinto.account_create_principals": "system.Everyone",
    "kinto.bucket_create_principals": "system.Authenticated",
    "kinto.experimental_collection_schema_validation": "true",
    "kinto.paginate_by": "100",
    "kinto.batch_max_requests": "20",
}


class Port:
    """A port that stays ours while nobody listens on it."""

    def __init__(self):
        self._reserved = self._bound(0)
        self.number = self._reserved.getsockname()[1]
        self.listener = None

    def open(self):
        self.listener = self._bound(self.number)
        self.listener.listen(64)

    def close(self):
        self.listener.close()
        self.listener = None

    @staticmethod
    def _bound(number):
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        found.bind(("127.0.0.1", number))
        return found


class Child:
    """A process with the server; made when it answers."""

    def __init__(self, port, state):
        ready, tell = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, COMMANDS)
            os.close(ready)
            try:
                serve(port.listener, state, tell)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        os.close(tell)
        if not os.read(ready, 1):
            sys.exit("the server did not start")
        os.close(ready)

    def end(self, number):
        os.kill(self.pid, number)
        os.waitpid(self.pid, 0)


def supervise(fifo, state):
    parent = os.getppid()
    # Without waiting: it fails where whoever wanted to read is gone already.
    steps = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
    signal.pthread_sigmask(signal.SIG_BLOCK, COMMANDS)
    port = Port()
    port.open()
    child = Child(port, state)
    with open(steps, "w", encoding="ascii") as told:

        def tell(words):
            told.write(words + "\n")
            told.flush()

        tell(f"ready {port.number}")
        while True:
            command = signal.sigtimedwait(COMMANDS, 2)
            if command is None:
                if os.getppid() == parent:
                    continue
                # A test run that was killed cannot end what it began.
                number = signal.SIGTERM
            else:
                number = command.si_signo
            if child is not None:
                child.end(signal.SIGKILL if number == signal.SIGUSR1 else signal.SIGTERM)
            if number == signal.SIGTERM:
                return
            if number == signal.SIGUSR1 and os.path.exists(state):
                os.remove(state)
            if number == signal.SIGUSR2 and child is not None:
                child = None
                port.close()
            else:
                if port.listener is None:
                    port.open()
                child = Child(port, state)
            tell("done")


def serve(listener, state, ready):
    import waitress
    from kinto import main as make_kinto

    kinto = make_kinto({}, **SETTINGS)
    stores = [kinto.registry.storage, kinto.registry.permission]
    restore(stores, state)
    provide_accounts(kinto)

    def leave(*_):
        save(stores, state)
        os._exit(0)

    signal.signal(signal.SIGTERM, leave)
    server = waitress.create_server(Faults(kinto), sockets=[listener], threads=8)
    os.write(ready, b"1")
    server.run()


def save(stores, state):
    with open(state + ".new", "wb") as file:
        kept = [{name: getattr(store, name, None) for name in DATA} for store in stores]
        pickle.dump(kept, file)
    os.replace(state + ".new", state)


def restore(stores, state):
    if os.path.exists(state):
        with open(state, "rb") as file:
            for store, kept in zip(stores, pickle.load(file)):
                store.__dict__.update(kept)


def provide_accounts(kinto):
    from pyramid.request import Request

    for name, password in ACCOUNTS.items():
        request = Request.blank(f"/v1/accounts/{name}", method="PUT")
        request.headers["If-None-Match"] = "*"
        request.content_type = "application/json"
        request.body = json.dumps({"data": {"password": password}}).encode()
        request.get_response(kinto)


class Faults:
    """A WSGI layer with rules, given as JSON to `/__test__`: `{"rules": [...], "do": ...}`.

    A rule has `path` (part of the path and query), `method`, `times`, and what to do:

        "status": 503, "headers": {}   answer so, without asking Kinto
        "add": {"Backoff": "3"}        answer as Kinto does, with more headers
        "lose": true                   let Kinto do it, and break the answer off
        "drop": true                   break off without asking Kinto
        "hang": true                   answer when `{"do": "release"}` comes
        "flood": true                  answer without end

    `do` is `flush` (everything but the accounts), `purge` (tombstones), or `release`. The answer
    has the `requests` since the last time, as `METHOD PATH?QUERY`.
    """

    def __init__(self, kinto):
        self._kinto = kinto
        self._lock = threading.Lock()
        self._rules = []
        self._requests = []
        self._released = threading.Event()

    def __call__(self, environ, start_response):
        path = environ["PATH_INFO"]
        if path == "/__test__":
            return self._control(environ, start_response)
        place = path + ("?" + environ["QUERY_STRING"] if environ["QUERY_STRING"] else "")
        rule = self._note(environ["REQUEST_METHOD"], place)
        if "status" in rule:
            body = json.dumps({"code": rule["status"], "errno": 201, "error": "Test"}).encode()
            headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
            headers.update(rule.get("headers", {}))
            start_response(f"{rule['status']} Test", list(headers.items()))
            return [body]
        if rule.get("hang"):
            self._released.wait(60)
        if rule.get("flood"):
            start_response("200 OK", [("Content-Type", "application/json")])
            return iter(lambda: b'{"data": [' + b" " * 65536, None)
        if rule.get("lose"):
            b"".join(self._kinto(environ, lambda *_: None))
        if rule.get("lose") or rule.get("drop"):
            start_response("200 OK", [("Content-Length", "1000")])
            return self._broken()

        def start(status, headers, *more):
            return start_response(status, headers + list(rule.get("add", {}).items()), *more)

        return self._kinto(environ, start)

    @staticmethod
    def _broken():
        yield b"{"
        raise ConnectionError("broken off for a test")

    def _note(self, method, place):
        with self._lock:
            self._requests.append(f"{method} {place}")
            for rule in self._rules:
                if rule.get("path", "") in place and rule.get("method", method) == method:
                    rule["times"] = rule.get("times", 1) - 1
                    if rule["times"] <= 0:
                        self._rules.remove(rule)
                    return rule
        return {}

    def _control(self, environ, start_response):
        length = int(environ.get("CONTENT_LENGTH") or 0)
        told = json.loads(environ["wsgi.input"].read(length) or b"{}")
        storage = self._kinto.registry.storage
        with self._lock:
            if "rules" in told:
                self._rules = told["rules"]
            requests, self._requests = self._requests, []
        if told.get("do") == "release":
            self._released.set()
        if told.get("do") == "purge":
            storage.purge_deleted("record", "*", max_retained=0)
        if told.get("do") == "flush":
            storage.flush()
            self._kinto.registry.permission.flush()
            self._kinto.registry.cache.flush()
            provide_accounts(self._kinto)
        body = json.dumps({"requests": requests}).encode()
        start_response(
            "200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
        return [body]


if __name__ == "__main__":
    supervise(*sys.argv[1:])
