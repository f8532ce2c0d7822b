"""Taps that misbehave, secrets that must not show, and what is left behind."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

from .talk import SingerTest, Talk

SECRET = 'pass"word/é-7301'


def ids(records: list[dict[str, object]]) -> list[object]:
    return [record["id"] for record in records]


class Hostile(SingerTest):
    def test_what_is_no_message_is_passed_over(self) -> None:
        talk = self.talk([
            {"line": "Hello, I am a tap"}, {"line": ""}, {"line": "[1]"}, {"line": "null"},
            {"line": '{"type": 7}'}, {"line": '{"type": "DANCE"}'}, {"hex": "fffe0a"},
            {"records": ["notes", 1, 2]},
        ])
        records, last = talk.pages()
        self.assertEqual(len(records), 2)
        self.assertTrue(last["complete"])
        self.assertTrue(any("Hello, I am a tap" in line for line in talk.logs))

    def test_records_that_cannot_be_read_are_handed_over_to_be_kept_aside(self) -> None:
        lines = [
            '{"type":"RECORD","stream":"notes","record":{"id":"a","title":NaN}}',
            '{"type":"RECORD","stream":"notes","record":{"title":"no key"}}',
            '{"type":"RECORD","stream":"notes","record":{"id":"b","title":"\\ud800"}}',
            '{"type":"RECORD","stream":"notes","record":[1]}',
            '{"type":"RECORD","stream":"notes","record":{"id":"c","title":',
            '{"type":"RECORD","stream":"notes","record":' + '{"a":' * 5000 + '1' + '}' * 5001,
        ]
        latin = b'{"type":"RECORD","stream":"notes","record":{"id":"d","title":"\xe9"}}\n'
        talk = self.talk([
            *({"line": line} for line in lines), {"hex": latin.hex()},
            {"line": '{"type":"RECORD","stream":"notes","record":{"id":"e","title":7}}'},
            {"records": ["notes", 1, 1]},
        ])
        records, last = talk.pages()
        self.assertEqual(len(records), 9)
        for each in records[:7]:
            self.assertIsInstance(each["record"], str)
        self.assertEqual(records[7]["record"], {"id": "e", "title": "7"})
        self.assertTrue(last["complete"])

    def test_a_line_without_end_is_told_of_and_not_kept_in_memory(self) -> None:
        talk = self.talk([{"long": 40}, {"records": ["notes", 1, 1]}])
        records, _ = talk.pages()
        self.assertEqual(len(records), 2)
        self.assertIsInstance(records[0]["record"], str)
        with open(f"/proc/{talk.process.pid}/status", encoding="ascii") as file:
            peak = next(line for line in file if line.startswith("VmHWM"))
        self.assertLess(int(peak.split()[1]), 120_000, "kilobytes")

    def test_a_record_of_an_unknown_stream_that_cannot_be_read_leaves_the_pull_incomplete(
        self,
    ) -> None:
        talk = self.talk([{"records": ["notes", 1, 1]}, {"line": '{"type":"RECORD","rec'}])
        records, last = talk.pages()
        self.assertEqual((len(records), last["complete"]), (1, False))

    def test_a_flood_of_logs_is_drained(self) -> None:
        talk = self.talk([{"stderr": "x" * 1000}] * 300 + [{"records": ["notes", 1, 1]}])
        self.assertEqual(len(talk.pages()[0]), 1)
        self.assertLess(len(talk.logs), 290)

    def test_a_tap_without_end_is_killed_with_its_children_when_the_pull_is_cancelled(self) -> None:
        talk = self.talk([{"child": False}, {"records": ["notes", 1, 1]}, {"hang": True}])
        head = talk.pull()["result"]
        tap = self.journal()[0]["pid"]
        id = talk.send("pull", model="Note", cursor=head["cursor"], limit=10)
        time.sleep(0.2)
        start = time.monotonic()
        talk.cancel(id)
        self.assertEqual(talk.answer(id)["error"]["data"]["kind"], "cancelled")
        self.assertLess(time.monotonic() - start, 1.9)
        self.eventually(lambda: not self.left(tap))
        # It is of use all the same.
        self.assertEqual(ids(talk.pull()["result"]["records"]), ["0000001"])

    def test_nothing_is_left_when_the_input_ends_or_the_backend_is_killed(self) -> None:
        for number in (None, signal.SIGTERM, signal.SIGKILL):
            talk = self.talk([{"child": False}, {"records": ["notes", 1, 1]}, {"hang": True}])
            talk.pull()
            tap = self.journal()[-1]["pid"]
            self.assertTrue(self.is_running(tap))
            start = time.monotonic()
            if number is None:
                talk.close()
                self.assertLess(time.monotonic() - start, 2.0)
            else:
                talk.process.send_signal(number)
            self.eventually(lambda: not self.left(tap), 3.0)

    def test_a_child_in_another_session_does_not_hold_the_end_up(self) -> None:
        talk = self.talk([{"child": True}, {"records": ["notes", 1, 1]}])
        records, last = talk.pages()
        self.assertEqual((len(records), last["complete"]), (1, True))
        for pid in self.group_of(lambda line: line == ["sleep", "600"]):
            os.kill(pid, signal.SIGKILL)

    def test_secrets_travel_in_a_private_file_and_show_nowhere(self) -> None:
        talk = self.talk(
            [{"stderr": f"logging in with {SECRET}"}, {"line": f"token {SECRET}"},
             {"records": ["notes", 1, 1]}, {"stderr": f"ERROR {SECRET} refused"}, {"exit": 1}],
            secrets={"password": SECRET, "login.token": "t0ken-9"})
        _, error = talk.pages()
        note = self.journal()[0]
        self.assertEqual(note["config"]["password"], SECRET)
        self.assertEqual(note["config"]["login"], {"token": "t0ken-9"})
        self.assertEqual((note["mode"], note["folder_mode"]), ("0o600", "0o700"))
        shown = " ".join([*talk.logs, error["message"], *note["arguments"]])
        self.assertNotIn(SECRET, shown)
        self.assertNotIn("t0ken-9", shown)
        self.assertIn("*** refused", error["message"])
        self.assertEqual(os.listdir(self.temporary), [])

    def test_settings_that_are_wrong_are_named(self) -> None:
        wrong: list[tuple[dict[str, Any], str]] = [
            ({"tap": ""}, "tap"), ({"tap": "'"}, "tap"), ({"tap": [1]}, "tap"),
            ({"state": "missing.json"}, "missing.json"), ({"state": "{"}, "state"),
            ({"catalog": "{}", "properties": "{}"}, "catalog"), ({"models": "a"}, "models"),
            ({"keys": {"a": 7}}, "keys"),
        ]
        for config, word in wrong:
            answer = self.talk([], **config).greeting
            self.assertEqual(answer["error"]["data"]["kind"], "permanent", answer)
            self.assertIn(word, answer["error"]["message"])

    def test_a_tap_that_is_not_there_is_said(self) -> None:
        talk = self.talk([], tap="tap-that-is-nowhere --fast")
        for answer in (talk.ask("ping"), talk.pull(), talk.ask("schema")):
            self.assertIn("tap-that-is-nowhere", answer["error"]["message"])
        self.assertEqual(self.talk([]).ask("ping")["result"], {})

    def test_it_asks_for_the_tap_and_its_secrets(self) -> None:
        talk = self.talk([])
        answers: dict[str, str] = {}
        asked = []
        given = {"tap": "tap-x", "tap_config": "{}", "secrets": "password, key", "password": "p",
                 "key": "k"}
        while True:
            question = talk.ask("configure", answers=answers)["result"]
            if question.get("done"):
                break
            asked.append((question["key"], question["secret"]))
            answers[question["key"]] = given[question["key"]]
        self.assertEqual(asked, [
            ("tap", False), ("tap_config", False), ("secrets", False), ("password", True),
            ("key", True)])
        self.assertNotIn("password", question["config"])

    def test_the_identity_is_of_the_tap_and_its_source(self) -> None:
        def identity(**config: object) -> str:
            talk: Talk = self.talk([], **{"source": None, **config})  # type: ignore[arg-type]
            return str(talk.greeting["result"]["identity"])

        plain = identity()
        self.assertEqual(plain, identity(tap_config={"start_date": "2024-01-01"}))
        self.assertNotEqual(plain, identity(tap_config={"host": "elsewhere"}))
        self.assertIn(":mine", identity(source="mine"))

    def left(self, tap: int) -> list[object]:
        """What is left of a run: processes of its group, files."""
        return [*self.group_of(lambda line: False, tap), *os.listdir(self.temporary)]

    def group_of(self, matches, tap: int = -1) -> list[int]:  # type: ignore[no-untyped-def]
        found = []
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                    state, _, group, *_ = file.read().rsplit(") ", 1)[1].split()
                with open(f"/proc/{name}/cmdline", encoding="utf-8") as file:
                    line = file.read().split("\0")[:-1]
            except (OSError, ValueError, IndexError):
                continue
            if state != "Z" and (int(group) == tap or matches(line)):
                found.append(int(name))
        return found
