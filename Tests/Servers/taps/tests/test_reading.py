"""Records, states and cursors."""

from __future__ import annotations

import json
import os
from typing import Any

from .talk import NOTE, SingerTest

MARK = {"bookmarks": {"notes": {"at": 1}}}
CATALOG = {
    "streams": [
        {
            "tap_stream_id": "notes", "stream": "notes", "key_properties": ["id"],
            "schema": {"properties": {"id": {"type": "string"}, "title": {"type": "string"}}},
            "metadata": [],
        },
        {"tap_stream_id": "other", "stream": "other", "schema": {"properties": {}}},
    ]
}


def ids(records: list[Any]) -> list[str]:
    return [record["id"] for record in records]


def numbers(first: int, last: int) -> list[str]:
    return [f"{number:07}" for number in range(first, last + 1)]


class Reading(SingerTest):
    def test_pages_bring_every_record_once(self) -> None:
        talk = self.talk([{"schema": "notes"}, {"records": ["notes", 1, 25]}, {"state": MARK}])
        records, last = talk.pages(limit=10)
        self.assertEqual(ids(records), numbers(1, 25))
        self.assertEqual(last["cursor"]["base"], {"value": MARK})
        self.assertEqual(len(self.journal()), 1)

    def test_the_state_comes_back_to_the_tap(self) -> None:
        talk = self.talk(
            [{"schema": "notes"}, {"records": ["notes", 1, 3]}, {"state": MARK}],
            tap_config={"after_state": [{"schema": "notes"}, {"records": ["notes", 4, 4]}]})
        _, last = talk.pages()
        records, last = talk.pages(last["cursor"])
        self.assertEqual(ids(records), ["0000004"])
        self.assertEqual([note["state"] for note in self.journal()], [None, MARK])

    def test_a_tap_without_state_is_read_whole_each_time(self) -> None:
        talk = self.talk([{"records": ["notes", 1, 3]}])
        _, last = talk.pages()
        self.assertIsNone(last["cursor"])
        self.assertEqual(ids(talk.pages()[0]), numbers(1, 3))
        # As older versions wrote it.
        again = talk.pull({"v": 1, "whole": True})
        self.assertEqual(again["error"]["data"]["kind"], "cursor_expired")

    def test_models_share_a_run(self) -> None:
        pet = {**NOTE, "name": "Pets"}
        talk = self.talk(
            [{"records": ["pets", 1, 2]}, {"records": ["notes", 1, 3]}, {"state": MARK}],
            told=[NOTE, pet])
        notes, last = talk.pages()
        pets, whole = talk.pages(model="Pets")
        self.assertEqual((ids(notes), ids(pets)), (numbers(1, 3), numbers(1, 2)))
        self.assertEqual(len(self.journal()), 1)
        # The state says nothing of pets: the run that goes on with notes brings all of them.
        talk.pages(last["cursor"])
        self.assertIsNone(whole["cursor"])
        self.assertEqual(ids(talk.pages(model="Pets")[0]), numbers(1, 2))
        self.assertEqual(len(self.journal()), 2)

    def test_a_cursor_outlives_the_backend_and_skips_nothing(self) -> None:
        steps = [{"records": ["notes", 1, 9]}]
        first = self.talk(steps)
        head = first.pull(limit=4)["result"]
        first.close()
        rest, _ = self.talk(steps).pages(head["cursor"], limit=4)
        self.assertEqual(ids(rest), numbers(5, 9))
        # Other records than before: everything comes again.
        other = self.talk([{"records": ["notes", 2, 9]}])
        self.assertEqual(ids(other.pages(head["cursor"], limit=4)[0]), numbers(2, 9))
        fewer = self.talk([{"records": ["notes", 1, 2]}])
        self.assertEqual(ids(fewer.pages(head["cursor"], limit=4)[0]), numbers(1, 2))

    def test_a_tap_that_dies_loses_nothing_and_goes_on_from_its_last_state(self) -> None:
        steps = [
            {"records": ["notes", 1, 10]}, {"state": MARK}, {"records": ["notes", 11, 12]},
            {"stderr": "CRITICAL the server is gone"}, {"exit": 3},
        ]
        talk = self.talk(
            steps, tap_config={"after_state": [{"records": ["notes", 11, 20]}]})
        head = talk.pull(limit=11)["result"]
        self.assertEqual(head["cursor"]["base"], {"value": MARK})
        records, error = talk.pages(head["cursor"])
        self.assertEqual(ids(records), numbers(12, 12))
        self.assertEqual(error["data"]["kind"], "retryable")
        self.assertIn("exit code 3", error["message"])
        self.assertIn("the server is gone", error["message"])
        rest, _ = talk.pages(head["cursor"])
        self.assertEqual(ids(rest), numbers(12, 20))
        self.assertEqual(self.journal()[-1]["state"], MARK)

    def test_a_new_version_of_a_table_expires_the_cursor(self) -> None:
        def version(number: int) -> dict[str, Any]:
            return {"message": {"type": "ACTIVATE_VERSION", "stream": "notes", "version": number}}

        talk = self.talk(
            [{"records": ["notes", 1, 3]}, version(1), {"state": MARK}],
            tap_config={"after_state": [{"records": ["notes", 1, 2]}, version(2), {"state": MARK}]})
        _, last = talk.pages()
        _, error = talk.pages(last["cursor"])
        self.assertEqual(error["data"]["kind"], "cursor_expired")
        records, last = talk.pages()
        self.assertEqual(ids(records), numbers(1, 2))
        self.assertEqual(len(self.journal()), 2)
        _, same = talk.pages(last["cursor"])
        self.assertNotIn("data", same)

    def test_large_states_fit_a_cursor(self) -> None:
        for size in (10, 100, 2_000):
            names = [os.urandom(20).hex() for _ in range(size)]
            state = {"bookmarks": {"notes": {name: 1 for name in names}}}
            folder = os.path.join(self.folder, "journal")
            if os.path.exists(folder):
                os.unlink(folder)
            talk = self.talk([{"records": ["notes", 1, 1]}, {"state": state}])
            _, last = talk.pages()
            self.assertLess(len(json.dumps(last["cursor"])), 4096)
            talk.pages(last["cursor"])
            self.assertEqual(self.journal()[-1]["state"], state)

    def test_the_catalog_chooses_the_streams_of_the_workspace(self) -> None:
        talk = self.talk([{"records": ["notes", 1, 1]}], tap_config={"catalog": CATALOG})
        talk.pages()
        talk.pages()
        self.assertEqual(len(self.journal(discoveries=True)), 1)
        chosen = {
            entry["stream"]: entry["selected"] for entry in self.journal()[0]["catalog"]["streams"]
        }
        self.assertEqual(chosen, {"notes": True, "other": False})

    def test_an_empty_stream_is_empty_and_an_unknown_one_is_refused(self) -> None:
        talk = self.talk([], tap_config={"catalog": CATALOG})
        records, last = talk.pages()
        self.assertEqual((records, last["complete"]), ([], True))
        talk = self.talk([{"records": ["things", 1, 1]}])
        _, error = talk.pages()
        self.assertEqual(error["data"]["kind"], "permanent")
        self.assertIn("things", error["message"])

    def test_slow_taps_bring_what_they_have(self) -> None:
        gate = os.path.join(self.folder, "gate")
        talk = self.talk(
            [{"records": ["notes", 1, 3]}, {"wait_for": gate}, {"records": ["notes", 4, 5]}])
        head = talk.pull()["result"]
        self.assertEqual((ids(head["records"]), head["more"]), (numbers(1, 3), True))
        open(gate, "w", encoding="ascii").close()
        self.assertEqual(ids(talk.pages(head["cursor"])[0]), numbers(4, 5))

    def test_many_records_take_little_memory(self) -> None:
        talk = self.talk([{"records": ["notes", 1, 200_000]}])
        records, _ = talk.pages()
        self.assertEqual(len(records), 200_000)
        with open(f"/proc/{talk.process.pid}/status", encoding="ascii") as file:
            peak = next(line for line in file if line.startswith("VmHWM"))
        self.assertLess(int(peak.split()[1]), 60_000, "kilobytes")

    def test_two_streams_that_would_be_one_model_are_refused(self) -> None:
        talk = self.talk(
            [{"records": ["a-note", 1, 1]}, {"records": ["a_note", 1, 1]}],
            told=[{**NOTE, "name": "ANote"}])
        _, error = talk.pages(model="ANote")
        self.assertIn("a_note=NAME", error["message"])
