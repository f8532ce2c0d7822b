"""A person at the prompt of the built program, with a workspace that syncs in the background."""

import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../ShellTests/Terminal"))
from terminal import Terminal, check, main, plain

SCHEMA = """
type Post @model { title: String! rating: Int }
"""


class Home:
    """Two workspaces, `a` and `b`, on one folder."""

    def __init__(self, programs, home):
        self.home = home
        self.satchel = os.path.join(programs, "satchel")
        self.environment = {
            "HOME": home, "PATH": f"{programs}:{os.environ['PATH']}", "LANG": "C.UTF-8",
            "TERM": "xterm-256color", "INPUTRC": os.path.join(home, "inputrc"),
        }
        with open(os.path.join(home, "schema.graphql"), "w") as file:
            file.write(SCHEMA)
        for name in ("a", "b"):
            self.run(".", "init", name, "--schema", "schema.graphql", "--backend", "folder",
                     "--set", "path=../remote")

    def run(self, folder, *words):
        done = subprocess.run(
            [self.satchel, *words], cwd=os.path.join(self.home, folder), env=self.environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        check(done.returncode == 0, f"{words}: {done}")
        return done.stdout.strip()

    def prompt(self, folder="a"):
        terminal = Terminal(
            [self.satchel], self.environment, directory=os.path.join(self.home, folder))
        terminal.expect("satchel .*> ")
        return terminal


def session(programs, home):
    home = Home(programs, home)
    t = home.prompt()
    t.expect("online")
    t.send("create Post ti\t")
    t.expect("title=")
    t.send("'Hello there' rating=4\r")
    t.expect("created Post")
    t.expect("1 delivered")
    t.send("list Po\t")
    t.expect("Post ")
    t.send("fields title,rating\r")
    t.expect("Hello there")
    t.send("lst\r")
    t.expect('did you mean "list"')
    # Another workspace's change arrives while a line is half typed, and the line stays.
    t.send("list Post where ra")
    t.expect("list Post where ra")
    home.run("b", "create", "Post", "title=from b")
    home.run("b", "sync")
    t.expect("1 received")
    t.expect("list Post where ra")
    t.send("ting is null fields title\r")
    t.expect("from b")
    t.send("half a line\x03")
    t.expect("> ")
    t.send("exit\r")
    check(t.end() == 0, "exit code")


def history(programs, home):
    home = Home(programs, home)
    t = home.prompt()
    t.send("create Post title=remembered\r")
    t.expect("created Post")
    t.expect("1 delivered")
    t.expect("satchel .*> ")
    t.send("\x04")
    check(t.end() == 0, "Ctrl-D leaves")
    again = home.prompt()
    again.send("\x1b[A")
    again.expect("create Post title=remembered")
    again.send("\x03")
    again.expect("> ")
    again.send("\x12remem")
    again.expect(r"remem\S*bered")
    again.send("\x03")
    again.expect("> ")
    again.send("exit\r")
    check(again.end() == 0, "exit code")


def offline(programs, home):
    home = Home(programs, home)
    os.rename(os.path.join(home.home, "a"), os.path.join(home.home, "c"))
    terminal = Terminal(
        [home.satchel, "--offline"], home.environment, directory=os.path.join(home.home, "c"))
    terminal.expect("satchel .*> ")
    terminal.send("create Post title=kept\r")
    terminal.expect("created Post")
    terminal.expect("1↑")
    terminal.send("exit\r")
    terminal.expect("1 change not delivered yet")
    check(terminal.end() == 0, "exit code")


def interrupt(programs, home):
    """Ctrl-C during a command gives the prompt back, and q in a watch, at once."""
    home = Home(programs, home)
    t = home.prompt()
    for key in ("\x03", "q"):
        t.send("watch Post\r")
        t.expect("watching")
        t.send(key)
        t.expect("satchel .*> ")
    t.send("count Post\r")
    t.expect("0")
    t.send("exit\r")
    check(t.end() == 0, "exit code")


def keys(programs, home):
    """However a watch ends, the terminal is as it was; no key is echoed, none needs Enter."""
    home = Home(programs, home)
    line = "satchel watch Post </dev/tty & echo pid=$!; wait $!; echo code=$?; stty -a"
    for key, code in (("q", 0), ("\x04", 0), ("\x03", 130), (signal.SIGTERM, 0)):
        # Nobody else sets the terminal back: this shell controls no jobs.
        words = line if key == signal.SIGTERM else line.replace(" & echo pid=$!; wait $!", "")
        t = Terminal(["bash", "-c", words], home.environment,
                     directory=os.path.join(home.home, "a"))
        pid = int(t.expect(r"pid=(\d+)").group(1)) if key == signal.SIGTERM else None
        t.expect("Ctrl-C ends")
        start = t.position
        if pid:
            os.kill(pid, signal.SIGTERM)
        else:
            t.send(key)
        t.expect(f"code={code}")
        check(key != "q" or "q" not in t.seen[start:t.position], f"echoed: {t.seen!r}")
        t.expect(r"iutf8|iexten")
        t.end()
        said = t.seen[start:]
        check(re.search(r"[^-]icanon", said) and re.search(r"[^-]echo ", said), f"{key!r}: {said}")
        check(re.search(r"susp = \^Z", said), f"{key!r}: {said}")
        t.close()


def stops(programs, home):
    """Ctrl-Z stops a watch, and it goes on with its keys."""
    home = Home(programs, home)
    t = Terminal(["bash", "--norc", "--noprofile", "-i"], home.environment,
                 directory=os.path.join(home.home, "a"))
    t.send("satchel watch Post\r")
    t.expect("Ctrl-C ends")
    t.send("\x1a")
    t.expect("Stopped")
    t.send("echo stopped=$(jobs -s | wc -l)\r")
    t.expect("stopped=1")
    t.send("fg\r")
    t.expect("fg")
    t.expect("satchel watch Post")
    t.send("q")
    t.expect("[#$] ")
    t.send("echo code=$?.\r")
    t.expect(r"code=0\.")
    t.send("exit\r")
    t.end()


def login(programs, home):
    """A login in another terminal: the prompt goes on by itself. `home` is a workspace of vault's."""
    environment = {
        "HOME": home, "PATH": f"{programs}:{os.environ['PATH']}", "LANG": "C.UTF-8",
        "TERM": "xterm-256color", "INPUTRC": os.path.join(home, "inputrc"),
    }
    satchel = os.path.join(programs, "satchel")
    t = Terminal([satchel], environment, directory=home)
    t.expect("the backend wants a login")
    t.send("list Task where ti")
    t.expect("list Task where ti")
    done = subprocess.run(
        [satchel, "auth", "login"], cwd=home, env=environment, input="ann\ns3cret\n",
        capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, f"{done}")
    # Somebody writes the settings at that moment: they are read once they are whole again.
    settings = os.path.join(home, "satchel.json")
    with open(settings) as file:
        whole = file.read()
    with open(settings, "w") as file:
        file.write(whole[:20])
    if t.expect("satchel.json|online")[0] != "online":
        with open(settings, "w") as file:
            file.write(whole)
        t.expect("online")
    with open(settings, "w") as file:
        file.write(whole)
    # What was half typed stays.
    t.expect("list Task where ti")
    t.send("\x03")
    t.expect("> ")
    t.send("exit\r")
    check(t.end() == 0, "exit code")


main({"session": session, "history": history, "offline": offline, "interrupt": interrupt, "keys": keys, "stops": stops,
      "login": login})
