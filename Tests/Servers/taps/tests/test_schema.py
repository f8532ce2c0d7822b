"""Models of JSON schemas, and records in their form."""

from __future__ import annotations

from typing import Any

from .talk import SingerTest

PROPERTIES: dict[str, Any] = {
    "id": {"type": "integer"},
    "when": {"type": ["null", "string"], "format": "date-time"},
    "day": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
    "either": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": ["string", "null"]}]},
    "mixed": {"type": ["integer", "string", "null"]},
    "price": {"type": ["null", "number", "integer"]},
    "state": {"type": ["string", "null"], "enum": ["OPEN", "DONE", None]},
    "odd": {"type": "string", "enum": ["a b", "c"]},
    "tags": {"type": "array", "items": {"type": ["string", "null"]}},
    "any_list": {"type": "array", "items": {}},
    "home": {"type": "object", "properties": {"city": {"type": "string"}, "extra": {}}},
    "free": {"type": ["object", "null"]},
    "unknown": {},
    "referred": {"$ref": "#/definitions/flag"},
    "First name": {"type": "string"},
    "_sdc_path": {"type": "string"},
    "2020": {"type": "string"},
    "sdc_path": {"type": "integer"},
}
TYPES = {
    "id": "Int", "when": "AWSDateTime", "day": "AWSDate", "either": "String", "mixed": "String",
    "price": "Float", "state": "NotesState", "odd": "String", "tags": "String",
    "any_list": "AWSJSON", "home": "NotesHome", "free": "AWSJSON", "unknown": "AWSJSON",
    "referred": "Boolean", "First_name": "String", "sdc_path": "String", "f2020": "String",
}


def stream(name: str, key: list[str], **more: Any) -> dict[str, Any]:
    return {
        "tap_stream_id": name, "stream": name, "key_properties": key, "metadata": [],
        "schema": {"type": "object", "properties": PROPERTIES,
                   "definitions": {"flag": {"type": "boolean"}}},
        **more,
    }


def record(stream: str, **fields: Any) -> dict[str, Any]:
    return {"message": {"type": "RECORD", "stream": stream, "record": fields}}


class Schemas(SingerTest):
    def schema(self, *streams: Any, **config: Any) -> dict[str, Any]:
        config = {"models": {}, **config}
        talk = self.talk([], [], tap_config={"catalog": {"streams": list(streams)}}, **config)
        return talk.ask("schema")

    def test_types_are_those_of_the_schema(self) -> None:
        result = self.schema(stream("notes", ["id"]))["result"]
        model, = result["models"]
        self.assertEqual((model["name"], model["key"]), ("Notes", ["id"]))
        self.assertEqual({each["name"]: each["type"] for each in model["fields"]}, TYPES)
        self.assertEqual(result["enums"], {"NotesState": ["OPEN", "DONE"]})
        self.assertEqual(
            {each["name"]: each["type"] for each in result["types"]["NotesHome"]},
            {"city": "String", "extra": "AWSJSON"})
        self.assertEqual([f["name"] for f in model["fields"] if f.get("list")], ["tags"])
        self.assertEqual([f["name"] for f in model["fields"] if f.get("required")], ["id"])

    def test_names_of_models(self) -> None:
        for name, model in [
            ("notes", "Notes"), ("public-user_accounts", "PublicUserAccounts"), ("2020", "S2020"),
        ]:
            found = self.schema(stream(name, ["id"]))["result"]["models"][0]["name"]
            self.assertEqual(found, model)
        named = self.schema(stream("notes", ["id"]), models="notes=Paper")["result"]
        self.assertEqual(named["models"][0]["name"], "Paper")
        twice = self.schema(stream("a-b", ["id"]), stream("a_b", ["id"]))
        self.assertIn("a_b=NAME", twice["error"]["message"])
        chosen = self.schema(stream("a", ["id"]), stream("b", ["id"]), streams="b")["result"]
        self.assertEqual([model["name"] for model in chosen["models"]], ["B"])

    def test_records_take_the_form_of_the_fields(self) -> None:
        result = self.schema(stream("notes", ["id"]))["result"]
        steps = [record("notes", **{
            "id": 7, "when": "2024-01-31 12:30:00", "mixed": 3, "free": {"a": [1]}, "unknown": "x",
            "home": {"city": "Oslo", "extra": [2]}, "First name": "Ann", "2020": "yes",
            "big": 12345678901234567890, "price": None,
        })]
        talk = self.talk(steps, result["models"], types=result["types"], models={})
        found, _ = talk.pages(model="Notes")
        self.assertEqual(found[0]["id"], "7")
        self.assertEqual(found[0]["record"], {
            "id": 7, "when": "2024-01-31T12:30:00Z", "mixed": "3", "free": '{"a":[1]}',
            "unknown": '"x"', "home": {"city": "Oslo", "extra": "[2]"}, "First_name": "Ann",
            "f2020": "yes", "big": 12345678901234567890, "price": None,
        })

    def test_a_stream_without_key_gets_one_of_its_content(self) -> None:
        result = self.schema(stream("notes", []))["result"]
        self.assertEqual(result["models"][0]["key"], ["satchel_id"])
        steps = [record("notes", id=1), record("notes", id=2), record("notes", id=1)]
        found, _ = self.talk(steps, result["models"], models={}).pages(model="Notes")
        self.assertEqual(found[0], found[2])
        self.assertNotEqual(found[0]["id"], found[1]["id"])
        self.assertEqual(found[0]["record"]["satchel_id"], found[0]["id"])

    def test_keys_can_be_chosen_and_may_have_several_fields(self) -> None:
        result = self.schema(stream("notes", []), keys="notes=id+day")["result"]
        self.assertEqual(result["models"][0]["key"], ["id", "day"])
        found, _ = self.talk([record("notes", id=1, day="é")], result["models"], models={}).pages(
            model="Notes")
        self.assertEqual(found[0]["id"], '[1,"é"]')

    def test_a_tap_that_discovers_nothing_is_run_for_its_schema(self) -> None:
        talk = self.talk([{"schema": "notes"}, {"records": ["notes", 1, 2]}], [], models={})
        model, = talk.ask("schema")["result"]["models"]
        self.assertEqual((model["name"], model["key"]), ("Notes", ["id"]))
