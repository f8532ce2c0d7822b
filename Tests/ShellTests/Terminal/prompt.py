"""What a person sees of the prompt."""

import os
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from terminal import Failure, Terminal, check, main, plain

PASTE = "\x1b[200~{}\x1b[201~"


def start(probe, home, **changes):
    environment = {
        "HOME": home, "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8",
        "INPUTRC": os.path.join(home, "inputrc"),
    }
    environment.update(changes)
    terminal = Terminal([probe], environment)
    terminal.expect("satchel blog ●> ")
    return terminal


def history_of(home):
    with open(os.path.join(home, ".local/state/satchel/history")) as file:
        return [line for line in file.read().split("\n") if line and not line.startswith("#")]


def typing(probe, home):
    t = start(probe, home)
    t.send("list Post\r")
    t.expect(r"ran <list Post>")
    t.expect("satchel blog ●> ")
    # An accented letter goes with one backspace, also under the C locale.
    t.send("xé\x7f\x7fstatus\r")
    t.expect(r"ran <status>")
    t.send("exit\r")
    t.expect("left")
    check(t.end() == 0, "exit code")


def locale(probe, home):
    t = start(probe, home, LANG="C", LC_ALL="C")
    t.send("é\x7fstatus\r")
    t.expect(r"ran <status>")
    t.close()


def control_c(probe, home):
    t = start(probe, home)
    t.send("half a line")
    t.expect("half a line")
    t.send("\x03")
    t.expect(r"\^C\r\n")
    t.expect("satchel blog ●> ")
    t.send("wait\r")
    t.expect("waiting")
    t.send("\x03")
    t.expect("cancelled")
    t.expect("satchel blog ●> ")
    t.send("status\r")
    t.expect("ran <status>")
    t.close()


def control_d(probe, home):
    t = start(probe, home)
    # With text it deletes the character under the cursor: nothing at the line's end.
    t.send("status\x04\r")
    t.expect("ran <status>")
    t.expect("satchel blog ●> ")
    t.send("list 'open\r")
    t.expect(r"\.\.\.> ")
    t.send("\x04")
    t.expect("satchel blog ●> ")
    t.send("\x04")
    t.expect("left")
    check(t.end() == 0, "exit code")


def continuation(probe, home):
    t = start(probe, home)
    t.send("create Post body='one\r")
    t.expect(r"\.\.\.> ")
    t.send("two'\r")
    t.expect(r"ran <create Post body='one\|two'>")
    t.send("list \\\r")
    t.expect(r"\.\.\.> ")
    t.send("Post\r")
    t.expect(r"ran <list \\\|Post>")
    t.expect("satchel blog ●> ")
    t.send("list 'x\r")
    t.expect(r"\.\.\.> ")
    t.send("\x03")
    t.expect("satchel blog ●> ")
    t.send("status\r")
    t.expect("ran <status>")
    t.close()


def history(probe, home):
    t = start(probe, home)
    for line in ["list Post", " list Secret", "create User password=x", "status", "status"]:
        t.send(line + "\r")
        t.expect("ran <")
        t.expect("satchel blog ●> ")
    t.send("create Post body='a\rb'\r")
    t.expect(r"ran <create Post body='a\|b'>")
    t.send("exit\r")
    t.end()
    lines = history_of(home)
    check(lines == ["list Post", "status", "create Post body='a", "b'", "exit"], lines)
    mode = os.stat(os.path.join(home, ".local/state/satchel/history")).st_mode & 0o777
    check(mode == 0o600, oct(mode))
    # After a restart: up, up, up is the command of two lines, then status.
    t = start(probe, home)
    t.send("\x1b[A\x1b[A\x1b[A\r")
    t.expect(r"ran <status>")
    t.expect("satchel blog ●> ")
    # Ctrl-R searches.
    t.send("\x12list")
    t.expect("reverse-i-search")
    t.settle()
    t.send("\r")
    t.expect("ran <list Post>")
    t.close()


def notice(probe, home):
    t = start(probe, home)
    t.send("notice\r")
    t.expect("armed")
    t.expect("satchel blog ●> ")
    t.send("list Po")
    t.expect("list Po")
    with open(os.path.join(home, "tell"), "w"):
        pass
    t.expect("delivered Post 0190c2aa\r\n")
    # The prompt and what was typed show again below, and typing goes on.
    t.expect(r"satchel blog ●> (\x1b\[[0-9;?]*[a-zA-Z])*list Po")
    t.send("st\r")
    t.expect("ran <list Post>")
    t.send("queue\r")
    t.expect("satchel blog ● 1↑> ")
    t.close()


def paste(probe, home):
    t = start(probe, home)
    t.send(PASTE.format("list Post\ncreate Post body='a\nb'\n# done\nstatus"))
    t.send("\r")
    t.expect("ran <list Post>")
    t.expect(r"ran <create Post body='a\|b'>")
    t.expect("ran <status>")
    t.expect("satchel blog ●> ")
    t.send(PASTE.format("list Post\ndelete Post 1\n"))
    t.send("\r")
    t.expect("pasted 2 commands:\r\n  list Post\r\n  delete Post 1\r\n")
    t.expect("y/N")
    t.send("n\r")
    t.expect("satchel blog ●> ")
    t.send("status\r")
    check("ran <delete" not in t.expect("ran <status>").string, "refused, yet run")
    t.expect("satchel blog ●> ")
    t.send(PASTE.format("list Post\ndelete Post 1"))
    t.send("\r")
    t.expect("y/N")
    t.send("y\r")
    t.expect("ran <list Post>")
    t.expect("ran <delete Post 1>")
    t.expect("satchel blog ●> ")
    t.send(PASTE.format("history fail\nstatus\nlist Post"))
    t.send("\r")
    t.expect("2 more pasted commands were not run")
    t.close()


def completion(probe, home):
    t = start(probe, home)
    t.send("cou\tPo\twh\tstatus = DR\t\r")
    t.expect(r"ran <count Post where status = DRAFT ?>")
    t.expect("satchel blog ●> ")
    t.send("get Post zeb\t\r")
    t.expect(r"ran <get Post 0191ffff ?>")
    t.expect("satchel blog ●> ")
    t.send("get Post hel\t\t")
    t.expect(r"0190c2aa +Hello, world\r\n")
    t.expect(r"0190c2bb +Help wanted\r\n")
    t.expect("get Post hel")
    t.send("\x15create Post ti\tx st\tP\t\r")
    t.expect(r"ran <create Post title=x status=PUBLISHED ?>")
    t.expect("satchel blog ●> ")
    t.send("get Tag re\t\r")
    t.expect(r"ran <get Tag red\\ wine ?>")
    t.expect("satchel blog ●> ")
    t.send("get Tag 're\t\r")
    t.expect(r"ran <get Tag 'red wine' ?>")
    t.expect("satchel blog ●> ")
    t.send("get Tag it\t\r")
    t.expect(r"ran <get Tag it\\'s ?>")
    t.expect("satchel blog ●> ")
    t.send("import Post posts.\t\r")
    t.expect(r"ran <import Post posts.csv ?>")
    t.close()


def window(probe, home):
    t = start(probe, home)
    t.send("a line that is half typed")
    t.settle()
    t.resize(20)
    t.settle()
    t.send(" on\r")
    t.expect("ran <a line that is half typed on>")
    t.close()


def stop(probe, home):
    """Stopped and continued, the terminal takes keys as before."""

    def state(pid):
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0]

    t = start(probe, home)
    t.send("sta")
    t.expect("sta")
    os.kill(t.pid, signal.SIGSTOP)
    while state(t.pid) != "T":
        time.sleep(0.01)
    os.kill(t.pid, signal.SIGCONT)
    t.expect("sta")
    t.send("tus\r")
    t.expect("ran <status>")
    t.close()


def vi(probe, home):
    with open(os.path.join(home, "inputrc"), "w") as file:
        file.write("$if satchel\nset editing-mode vi\n$endif\n")
    t = start(probe, home)
    t.send("xstatus\x1b0x\r")
    t.expect("ran <status>")
    t.close()


def hangup(probe, home):
    t = start(probe, home)
    os.kill(t.pid, signal.SIGTERM)
    check(t.end() is not None, "ended")


def invalid(probe, home):
    t = start(probe, home)
    t.send(b"x\xff\r")
    t.expect("ran <x")
    t.close()


main({
    name: scenario for name, scenario in list(globals().items())
    if callable(scenario) and getattr(scenario, "__module__", "") == "__main__"
    and name not in ("start", "history_of")
})
