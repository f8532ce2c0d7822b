"""Writes with conflict detection, and each way to settle a stale one."""

from __future__ import annotations

from typing import Any

from .documents import CREATE, DELETE, UPDATE
from .harness import JSON, ServerCase


class VersionedCase(ServerCase):
    async def create(self, **values: Any) -> JSON:
        made: JSON = (await self.data(CREATE, {"input": values}))["createPost"]
        return made

    async def update(self, **values: Any) -> JSON:
        changed: JSON = (await self.data(UPDATE, {"input": values}))["updatePost"]
        return changed


class Writes(VersionedCase):
    async def test_a_create_gives_version_one_a_default_and_stamps(self) -> None:
        made = await self.create(title="a")
        self.assertEqual((made["_version"], made["_deleted"], made["status"]), (1, None, "DRAFT"))
        self.assertRegex(made["createdAt"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertGreater(made["_lastChangedAt"], 1_600_000_000_000)

    async def test_a_second_create_of_an_id_fails_even_on_a_tombstone(self) -> None:
        await self.create(id="p", title="a")
        for _ in range(2):
            error = await self.error(CREATE, {"input": {"id": "p", "title": "b"}})
            self.assertEqual((error["errorType"], error["data"], error["path"]),
                             ("ConditionalCheckFailedException", None, ["createPost"]))
            await self.data(DELETE, {"input": {"id": "p", "_version": 1}}) if _ == 0 else None

    async def test_an_update_changes_only_what_it_names(self) -> None:
        await self.create(id="p", title="a", rating=3, labels=["x"])
        changed = await self.update(id="p", title="b", _version=1)
        self.assertEqual((changed["title"], changed["rating"], changed["labels"],
                          changed["_version"]), ("b", 3, ["x"], 2))

    async def test_a_condition_that_fails_is_told_as_such(self) -> None:
        await self.create(id="p", title="a")
        error = await self.error(UPDATE, {"input": {"id": "p", "title": "b", "_version": 1},
                                          "condition": {"title": {"eq": "z"}}})
        self.assertEqual(error["errorType"], "ConditionalCheckFailedException")

    async def test_a_delete_leaves_a_tombstone_for_get_and_sync(self) -> None:
        await self.create(id="p", title="a")
        gone = (await self.data(DELETE, {"input": {"id": "p", "_version": 1}}))["deletePost"]
        self.assertEqual((gone["_deleted"], gone["_version"], gone["title"]), (True, 2, "a"))
        found = await self.data('{ getPost(id: "p") { _deleted } }')
        self.assertEqual(found, {"getPost": {"_deleted": True}})

    async def test_an_update_of_what_never_was_has_two_answers(self) -> None:
        error = await self.error(UPDATE, {"input": {"id": "no", "title": "b"}})
        self.assertEqual(error["message"], "No existing item found in the data source")
        error = await self.error(UPDATE, {"input": {"id": "no", "title": "b", "_version": 3}})
        self.assertEqual((error["errorType"], error["data"]), ("ConflictUnhandled", None))

    async def test_variables_are_refused_in_appsyncs_words(self) -> None:
        table = [
            ({"title": None}, "Variable 'title' has coerced Null value for NonNull type 'String!'"),
            ({}, "Variable 'title' has coerced Null value for NonNull type 'String!'"),
            ({"title": "a", "nope": 1}, "The variables input contains a field name 'nope' that is "
             "not defined for input object type 'CreatePostInput' "),
            ({"title": "a", "publishedAt": "2024-01-01"}, "Variable 'publishedAt' has an invalid "
             "value. Unable to parse `2024-01-01` as a valid AWSDateTime"),
        ]
        for values, message in table:
            with self.subTest(message):
                error = await self.error(CREATE, {"input": values})
                self.assertEqual((error["message"], error["path"]), (message, None))


class Scalars(VersionedCase):
    async def test_each_takes_and_refuses_what_appsync_does(self) -> None:
        table: dict[str, tuple[list[Any], list[Any]]] = {
            "publishedAt": (["2024-02-29T10:20Z", "2024-01-02T03:04:05.123456789+05:30",
                             "2024-01-02T03:04:05-01:00:30"],
                            ["2024-02-30T10:20Z", "2024-01-02T03:04:05", "2024-01-02"]),
            "editedOn": (["1970-01-01", "1970-01-01Z", "1970-01-01+05:00"], ["1970-1-1"]),
            "readAt": (["12:30", "12:30:24.5Z"], ["25:00", "12"]),
            "viewedAt": ([0, -5, 1_700_000_000], ["5", 1.5]),
            "contact": (["a@example.com"], ["a@", "a b@example.com"]),
            "extra": (['{"a":1}', '"text"', "null"], ["{a:1}", {"a": 1}]),
            "link": (["https://example.com/a", "mailto:a@example.com"],
                     ["example.com", "https://example.com//a"]),
            "phone": (["+1 555-555 0100", "5555550100"], ["call me"]),
            "address": (["127.0.0.1", "10.0.0.0/8", "::1", "2001:db8::/32"], ["300.0.0.1"]),
            "rating": ([2_147_483_647], [2_147_483_648, "1"]),
        }
        for name, (good, bad) in table.items():
            for value in good:
                with self.subTest(name, value=value):
                    query = f"""mutation C($i: CreatePostInput!) {{
                      createPost(input: $i) {{ {name} }} }}"""
                    answer = await self.data(query, {"i": {"title": "a", name: value}})
                    self.assertEqual(answer["createPost"][name], value)
            for value in bad:
                with self.subTest(name, value=value):
                    error = await self.error(CREATE, {"input": {"title": "a", name: value}})
                    self.assertIn(f"Variable '{name}' has an invalid value", error["message"])


class Automerge(VersionedCase):
    async def test_a_stale_update_merges_by_field_and_answers_something_else(self) -> None:
        await self.create(id="p", title="a", labels=["x"])
        await self.update(id="p", title="server", _version=1)
        merged = await self.update(id="p", title="mine", rating=4, labels=["x", "y"], _version=1)
        self.assertEqual((merged["title"], merged["rating"], merged["labels"],
                          merged["_version"]), ("server", 4, ["x", "x", "y"], 3))

    async def test_a_write_without_a_version_is_stale_too(self) -> None:
        await self.create(id="p", title="a")
        self.assertEqual((await self.update(id="p", title="b"))["title"], "a")

    async def test_a_stale_delete_is_refused(self) -> None:
        await self.create(id="p", title="a")
        await self.update(id="p", title="b", _version=1)
        error = await self.error(DELETE, {"input": {"id": "p", "_version": 1}})
        self.assertEqual(error["errorType"], "ConflictUnhandled")


class OptimisticConcurrency(VersionedCase):
    arguments = ("--strategy", "OPTIMISTIC_CONCURRENCY")

    async def stale(self) -> JSON:
        await self.create(id="p", title="a", rating=1)
        await self.update(id="p", title="b", _version=1)
        return await self.error(
            'mutation { updatePost(input: {id: "p", title: "c", _version: 1}) { id _version } }')

    async def test_a_stale_update_is_refused_with_what_was_selected_of_the_item(self) -> None:
        self.assertEqual(await self.stale(), {
            "path": ["updatePost"], "data": {"id": "p", "_version": 2},
            "errorType": "ConflictUnhandled", "errorInfo": None,
            "locations": [{"line": 1, "column": 12, "sourceName": None}],
            "message": "Conflict resolver rejects mutation."})

    async def test_the_item_can_be_missing(self) -> None:
        await self.control("settings", conflict_data=False)
        self.assertIsNone((await self.stale())["data"])

    async def test_an_update_of_a_tombstone_conflicts(self) -> None:
        await self.create(id="p", title="a")
        await self.data(DELETE, {"input": {"id": "p", "_version": 1}})
        error = await self.error(UPDATE, {"input": {"id": "p", "title": "b", "_version": 1}})
        self.assertEqual((error["errorType"], error["data"]["_deleted"]),
                         ("ConflictUnhandled", True))

    async def test_a_lambda_can_let_the_new_value_win(self) -> None:
        await self.control("settings", strategy="LAMBDA_RESOLVE")
        await self.create(id="p", title="a")
        await self.update(id="p", title="b", _version=1)
        self.assertEqual((await self.update(id="p", title="c", _version=1))["title"], "c")
