#!/usr/bin/env python3
"""A tap for tests: does one step of its config after the other.

    {"steps": [...], "after_state": [...], "catalog": {...}, "journal": "FILE"}

`after_state` is done instead where there is a `--state`; without a `catalog` there is no
`--discover`. Each start adds a line to the journal: arguments, config, state, catalog, and the
config file's mode.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from typing import Any


def main() -> int:
    parser = argparse.ArgumentParser()
    for option in ("--config", "--state", "--catalog", "--properties"):
        parser.add_argument(option)
    parser.add_argument("--discover", action="store_true")
    options = parser.parse_args()
    config = _file(options.config)
    state = _file(options.state)
    note = {
        "arguments": sys.argv[1:], "config": config, "state": state, "pid": os.getpid(),
        "catalog": _file(options.catalog or options.properties), "discover": options.discover,
        "mode": oct(os.stat(options.config).st_mode & 0o777),
        "folder_mode": oct(os.stat(os.path.dirname(options.config)).st_mode & 0o777),
    }
    with open(config["journal"], "a", encoding="utf-8") as journal:
        journal.write(json.dumps(note) + "\n")
    if options.discover:
        return _discover(config)
    steps = config["steps"]
    if state is not None and "after_state" in config:
        steps = config["after_state"]
    for step in steps:
        (name, value), = step.items()
        code = _do(name, value)
        if code is not None:
            return code
    return 0


def _discover(config: dict[str, Any]) -> int:
    if "catalog" not in config:
        return 2
    print("Welcome to the tap {of tests}")
    print(json.dumps(config["catalog"], indent=2))
    return 0


def _do(name: str, value: Any) -> int | None:
    out = sys.stdout.buffer
    if name == "line":
        out.write(value.encode("utf-8") + b"\n")
    elif name == "hex":
        out.write(bytes.fromhex(value))
    elif name == "message":
        out.write(json.dumps(value).encode() + b"\n")
    elif name == "records":
        stream, first, last = value
        for number in range(first, last + 1):
            record = {"id": f"{number:07}", "title": f"Record {number}"}
            out.write(json.dumps(
                {"type": "RECORD", "stream": stream, "record": record}).encode() + b"\n")
    elif name == "schema":
        out.write(json.dumps({
            "type": "SCHEMA", "stream": value, "key_properties": ["id"],
            "schema": {"properties": {"id": {"type": "string"}, "title": {"type": "string"}}},
        }).encode() + b"\n")
    elif name == "state":
        out.write(json.dumps({"type": "STATE", "value": value}).encode() + b"\n")
    elif name == "long":
        out.write(b'{"type":"RECORD","stream":"notes","record":{"id":"x","title":"')
        for _ in range(value):
            out.write(b"x" * (1 << 20))
        out.write(b'"}}\n')
    elif name == "stderr":
        print(value, file=sys.stderr, flush=True)
    elif name == "child":
        # Holds the pipes, in a session of its own where `value` says so.
        subprocess.Popen(["sleep", "600"], start_new_session=bool(value))
    elif name == "hang":
        out.flush()
        time.sleep(600)
    elif name == "wait_for":
        out.flush()
        while not os.path.exists(value):
            time.sleep(0.02)
    elif name == "exit":
        out.flush()
        return int(value)
    out.flush()
    return None


def _file(path: str | None) -> Any:
    if path is None:
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


if __name__ == "__main__":
    sys.exit(main())
