"""The server as a process: how it starts, tells that it is ready, and ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import unittest
import urllib.error
import urllib.request

from .harness import FIXTURES, PACKAGE, RunningServer

SCHEMA = str(FIXTURES / "schema.graphql")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "appsync", *arguments], cwd=PACKAGE.parent,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


class Process(unittest.TestCase):
    def test_it_tells_where_it_listens_and_ends_with_its_input(self) -> None:
        server = RunningServer("--auth", "iam,apiKey", "--set", "max_subscriptions=3")
        self.assertEqual(server.ready["url"], f"http://127.0.0.1:{server.ready['port']}/graphql")
        request = urllib.request.Request(server.ready["control"], method="POST", data=json.dumps(
            [{"command": "settings"}, {"command": "outputs", "url": "u"}]).encode())
        with urllib.request.urlopen(request) as response:
            settings, outputs = json.loads(response.read())
        self.assertEqual(settings["max_subscriptions"], 3)
        self.assertEqual((outputs["data"]["default_authorization_type"],
                          outputs["data"]["authorization_types"]), ("AWS_IAM", ["API_KEY"]))
        self.assertEqual(server.stop(), 0)

    def test_it_ends_at_a_signal(self) -> None:
        server = RunningServer()
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(), 0)
        self.assertEqual(server.stop(), 0)

    def test_it_prints_the_files_of_an_api(self) -> None:
        self.assertIn("type Query {", run("--schema", SCHEMA, "--print", "sdl").stdout)
        made = json.loads(run("--schema", SCHEMA, "--print", "configuration").stdout)
        kept = json.loads((FIXTURES / "amplifyconfiguration.json").read_text())
        self.assertEqual(made, kept)

    def test_a_setting_that_is_not_known_ends_it_at_once(self) -> None:
        ended = run("--schema", SCHEMA, "--set", "nope=1")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("no such setting: nope", ended.stderr)
