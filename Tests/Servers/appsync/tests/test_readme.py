"""The README: each of its control commands is one the server takes."""

from __future__ import annotations

import json
import re

from appsync.control import Control

from .harness import PACKAGE, ServerCase


class Readme(ServerCase):
    async def test_every_example_runs_and_every_command_has_one(self) -> None:
        text = (PACKAGE / "README.md").read_text()
        examples = [json.loads(each) for each in re.findall(r'`(\{"command".*?\})`', text)]
        seen = set()
        for example in examples:
            with self.subTest(example):
                name = example.pop("command")
                await self.control(name, **(example | ({"timeout": 0} if name == "wait" else {})))
                seen.add(name)
        commands = {name for name in vars(Control) if not name.startswith("_")}
        # The two that the text names without an example, and the endpoint's own methods.
        self.assertEqual(commands - seen, {"faults", "clear_faults", "handle", "run"})
