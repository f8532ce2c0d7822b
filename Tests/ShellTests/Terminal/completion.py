"""Completion as bash and zsh do it, with their real line editors."""

import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from terminal import Failure, Terminal, check, main, plain

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))

# What is typed (with Tab as the last key), and the line the shell then runs.
SAME = [
    ("satchel cou\t", "satchel count "),
    ("satchel list Po\t", "satchel list Post "),
    ("satchel create Post ti\t", "satchel create Post title="),
    ("satchel create Post status=DR\t", "satchel create Post status=DRAFT "),
    ("satchel create Post title=a:b status=DR\t", "satchel create Post title=a:b status=DRAFT "),
    ("satchel create Post 'title=a b' status=DR\t", "satchel create Post 'title=a b' status=DRAFT "),
    ("satchel create Post title=a\\ b status=DR\t", "satchel create Post title=a\\ b status=DRAFT "),
    ("satchel create Post author=an\t", "satchel create Post author=a1 "),
    ("satchel get Post zeb\t", "satchel get Post 0191ffff "),
    ("satchel get Tag re\t", "satchel get Tag red\\ wine "),
    ("satchel get Tag a\t", "satchel get Tag a:b "),
    ("satchel get Tag a:\t", "satchel get Tag a:b "),
    ("satchel list Post where status = DR\t", "satchel list Post where status = DRAFT "),
    ("satchel list Post where rating st\t", "satchel list Post where rating startswith "),
    ("satchel list Post --outp\t", "satchel list Post --output "),
    ("satchel list Post --output=nd\t", "satchel list Post --output=ndjson "),
    ("satchel list Post sort -ra\t", "satchel list Post sort -rating "),
    ("satchel queue retry 1\t", "satchel queue retry 12 "),
    ("satchel xyzzy \t", "satchel xyzzy "),
    ("satchel import Post note\t", "satchel import Post notes.csv "),
    ("satchel create Post title=@note\t", "satchel create Post title=@notes.csv "),
]

BASH = [
    ("satchel get Tag 're\t", "satchel get Tag 'red wine' "),
    ("satchel get Tag \"re\t", "satchel get Tag \"red wine\" "),
    ("satchel create Post status=\"DR\t", "satchel create Post status=\"DRAFT\" "),
    ("satchel get Tag it\t", "satchel get Tag it\\'s "),
    ("satchel list Post --where 'rating ge 3 and status = DR\t",
     "satchel list Post --where 'rating ge 3 and status = DRAFT' "),
]

ZSH = [
    ("satchel get Tag 're\t", "satchel get Tag 'red wine' "),
    ("satchel get Tag \"re\t", "satchel get Tag \"red wine\" "),
    ("satchel get Tag it\t", "satchel get Tag it\\'s "),
    ("satchel list Post --where 'rating ge 3 and status = DR\t",
     "satchel list Post --where 'rating ge 3 and status = DRAFT' "),
]


def prepare(probe, home):
    os.makedirs(os.path.join(home, "bin"))
    os.symlink(probe, os.path.join(home, "bin/satchel"))
    with open(os.path.join(home, "notes.csv"), "w"):
        pass
    return {
        "HOME": home, "PATH": os.path.join(home, "bin") + ":" + os.environ["PATH"], "TERM": "dumb",
        "LANG": "C.UTF-8", "ZDOTDIR": home, "INPUTRC": "/dev/null", "COLUMNS": "200",
    }


def try_all(t, cases, show):
    """Shows each line instead of running it: what is typed comes after `show`."""
    for typed, wanted in cases:
        t.send(typed)
        t.settle(0.25)
        t.send(show)
        got = t.expect(r"LINE<(.*?)>END").group(1)
        check(got == wanted, f"{typed!r} became {got!r}, not {wanted!r}")


def bash(probe, home):
    t = Terminal(["bash", "--norc", "-i"], prepare(probe, home), columns=200, directory=home)
    t.send("PS1='ready> '; bind 'set bell-style none'\r")
    t.send("bind -x '\"\\C-g\": printf \"LINE<%s>END\\n\" \"$READLINE_LINE\"; READLINE_LINE=\"\"'\r")
    t.send(f"source {ROOT}/completions/satchel.bash\r")
    t.settle(0.5)
    try_all(t, SAME + BASH, "\x07")
    # A second Tab lists, with what each id stands for; the word stays.
    t.send("satchel get Post hel\t\t")
    t.expect(r"0190c2aa  \(Hello, world\)")
    t.settle()
    t.send("\x07")
    check(t.expect(r"LINE<(.*?)>END").group(1) == "satchel get Post hel", "the word stays")
    t.close()


def zsh(probe, home):
    environment = prepare(probe, home)
    with open(os.path.join(home, ".zshrc"), "w") as file:
        file.write(
            f"PS1='ready> '; fpath=({ROOT}/completions $fpath); autoload -Uz compinit\n"
            "compinit -D -u; setopt no_beep no_auto_menu no_auto_list\n"
            "show() { zle -I; print -r -- \"LINE<$BUFFER>END\"; BUFFER=; }\n"
            "zle -N show; bindkey '^G' show\n")
    t = Terminal(["zsh", "-i"], environment, columns=200, directory=home)
    t.expect("ready> ")
    t.settle(0.5)
    try_all(t, SAME + ZSH, "\x07")
    t.send("satchel get Post hel\t")
    t.expect(r"0190c2aa +-- Hello, world")
    t.settle()
    t.send("\x07")
    check(t.expect(r"LINE<(.*?)>END").group(1) == "satchel get Post hel", "the word stays")
    t.close()


main({"bash": bash, "zsh": zsh})
