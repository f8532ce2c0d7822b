"""The shared folder, looked at from outside."""

import json
import os
from urllib.parse import unquote


class Folder:
    def __init__(self, path):
        self.path = path
        self.keys = {}
        self.versions = {}
        self.read_to = 0
        self.seq = 0

    def faults(self):
        """Reads what the log has gained: no key twice, no version left out or given twice."""
        faults = []
        try:
            with open(os.path.join(self.path, "log.ndjson"), "rb") as file:
                file.seek(self.read_to)
                new = file.read()
        except FileNotFoundError:
            return faults
        whole = new[:new.rfind(b"\n") + 1]  # Whoever writes next cuts off half a line.
        self.read_to += len(whole)
        for text in whole.splitlines():
            line = json.loads(text)
            if line["key"] in self.keys:
                faults.append(f"applied twice: {line} and {self.keys[line['key']]}")
            self.keys[line["key"]] = line
            if line["seq"] != self.seq + 1:
                faults.append(f"log line {self.seq + 1} is missing: {line}")
            self.seq = line["seq"]
            record = (line["model"], line["id"])
            if line["version"] != self.versions.get(record, 0) + 1:
                faults.append(f"after version {self.versions.get(record, 0)} comes {line}")
            self.versions[record] = line["version"]
        return faults

    def has_journal(self):
        try:
            return os.path.getsize(os.path.join(self.path, ".satchel-folder/journal")) > 0
        except FileNotFoundError:
            return False

    def record(self, model, key):
        """A record's file; nil where there is none."""
        try:
            with open(os.path.join(self.path, model, f"{key}.json"), "rb") as file:
                return json.loads(file.read())
        except FileNotFoundError:
            return None

    def records(self, model):
        """All files of a model: {id: file}."""
        found = {}
        directory = os.path.join(self.path, model)
        if not os.path.isdir(directory):
            return found
        for name in os.listdir(directory):
            if name.endswith(".json") and not name.startswith("."):
                with open(os.path.join(directory, name), "rb") as file:
                    found[unquote(name[:-5])] = json.loads(file.read())
        return found
