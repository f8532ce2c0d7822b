"""A person at a terminal is asked: for consent, for secrets. One command a terminal, or the prompt."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../ShellTests/Terminal"))
from terminal import Terminal, check, main


class Home:
    """A workspace whose folder is the home itself."""

    def __init__(self, programs, home, *init):
        self.home = home
        self.satchel = os.path.join(programs, "satchel")
        self.environment = {
            "HOME": home, "PATH": f"{programs}:{os.environ['PATH']}", "LANG": "C.UTF-8",
            "TERM": "xterm-256color", "INPUTRC": os.path.join(home, "inputrc"),
        }
        if init:
            self.run("init", *init)

    def run(self, *words, code=0):
        done = subprocess.run(
            [self.satchel, *words], cwd=self.home, env=self.environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        check(done.returncode == code, f"{words}: {done}")
        return done.stdout.strip()

    def terminal(self, *words):
        return Terminal([self.satchel, *words], self.environment, directory=self.home)


def login(programs, home):
    """What is secret is not shown while it is typed; settings are, and have defaults."""
    home = Home(programs, home)
    t = home.terminal("auth", "login")
    t.expect(r"Address \[https://example.com\]: ")
    t.send("\r")
    t.expect("User name: ")
    t.send("ann-the-user\r")
    t.expect("Token: ")
    t.send("s3cret\r")
    t.expect("vault knows you now; 2 secrets kept")
    check(t.end() == 0, "exit code")
    check("ann-the-user" not in t.seen and "s3cret" not in t.seen, f"shown: {t.seen!r}")
    again = home.terminal("auth", "login")
    again.expect(r"User name \(empty: as before\): ")
    again.send("\r")
    again.expect(r"Token \(empty: as before\): ")
    again.send("\x03")
    check(again.end() == 130, "Ctrl-C ends it")
    home.run("auth")


def prompt(programs, home):
    """The prompt takes secrets too, and background sync goes on with them."""
    home = Home(programs, home)
    t = home.terminal()
    t.expect("satchel .*> ")
    t.send("auth login\r")
    t.expect("Address")
    t.send("\r")
    t.expect("User name: ")
    t.send("ann\r")
    t.expect("Token: ")
    t.send("s3cret\r")
    t.expect("vault knows you now")
    t.expect("online")
    t.send("exit\r")
    check(t.end() == 0, "exit code")
    check("s3cret" not in t.seen, f"shown: {t.seen!r}")


def trust(programs, home):
    home = Home(programs, home, "--set", "path=remote")
    with open(os.path.join(home.home, "satchel.json"), "a") as file:
        file.write("// from elsewhere\n")
    home.run("sync", code=9)
    for answer, code in (("\r", 9), ("n\r", 9), ("y\r", 0)):
        t = home.terminal("trust")
        t.expect("contexts.default.backend")
        t.expect(r"start these programs\? \[y/N\] ")
        t.send(answer)
        check(t.end() == code, f"exit code after {answer!r}")
    home.run("sync")


def remove(programs, home):
    home = Home(programs, home, "--set", "path=remote")
    home.run("context", "add", "spare", "--backend", "folder", "--set", "path=other")
    home.run("create", "Task", "title=x", "-c", "spare")
    t = home.terminal("context", "remove", "spare")
    t.expect(r"lose 1 undelivered change\? \[y/N\] ")
    t.send("no\r")
    check(t.end() == 9, "exit code after no")
    check(home.run("count", "Task", "-c", "spare") == "1", "it is still there")


def contexts(programs, home):
    """The prompt, its store and its background sync go over to the context that is chosen."""
    home = Home(programs, home, "--set", "path=remote")
    home.run("context", "add", "spare", "--backend", "folder", "--set", "path=other")
    t = home.terminal()
    t.expect("satchel default .*> ")
    t.expect("online")
    t.send("context use spare\r")
    t.expect("spare is in use now")
    t.expect("satchel spare .*> ")
    t.send("create Task title=x\r")
    t.expect("1 delivered")
    t.send("context remove default\r")
    t.expect("default is removed")
    t.send("count Task\r")
    t.expect("1")
    t.send("exit\r")
    check(t.end() == 0, "exit code")
    check(os.path.isdir(os.path.join(home.home, "other/Task")), "delivered to the other folder")


main({"login": login, "prompt": prompt, "trust": trust, "remove": remove, "contexts": contexts})
