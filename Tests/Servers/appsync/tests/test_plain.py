"""The API without conflict detection, as Gen 2 makes it."""

from __future__ import annotations

from .documents import LIST, PLAIN_CREATE, PLAIN_DELETE, PLAIN_UPDATE
from .harness import JSON, ServerCase


class Plain(ServerCase):
    arguments = ("--conflict-detection", "off")

    async def create(self, number: str, **values: object) -> JSON:
        made: JSON = (await self.data(
            PLAIN_CREATE, {"input": {"id": number, "title": number, **values}}))["createPost"]
        return made

    async def test_a_write_on_condition_of_updated_at_is_safe(self) -> None:
        made = await self.create("p")
        await self.control("clock", advance_ms=10)
        condition = {"updatedAt": {"eq": made["updatedAt"]}}
        changed = await self.data(
            PLAIN_UPDATE, {"input": {"id": "p", "rating": 1}, "condition": condition})
        self.assertNotEqual(changed["updatePost"]["updatedAt"], made["updatedAt"])
        for document in (PLAIN_UPDATE, PLAIN_DELETE):
            error = await self.error(document, {"input": {"id": "p"}, "condition": condition})
            self.assertEqual(error["errorType"], "DynamoDB:ConditionalCheckFailedException")
            self.assertIn("The conditional request failed", error["message"])

    async def test_a_delete_is_for_good(self) -> None:
        await self.create("p")
        gone = await self.data(PLAIN_DELETE, {"input": {"id": "p"}})
        self.assertEqual(gone["deletePost"]["title"], "p")
        self.assertEqual(await self.data('{ getPost(id: "p") { id } }'), {"getPost": None})
        self.assertEqual((await self.data(LIST))["listPosts"], {"items": [], "nextToken": None})

    async def test_a_second_create_and_a_write_to_what_is_gone_fail(self) -> None:
        await self.create("p")
        for document, values in ((PLAIN_CREATE, {"id": "p", "title": "b"}),
                                 (PLAIN_UPDATE, {"id": "no"}), (PLAIN_DELETE, {"id": "no"})):
            error = await self.error(document, {"input": values})
            self.assertEqual(error["errorType"], "DynamoDB:ConditionalCheckFailedException")

    async def test_a_list_pages_and_filters_after_the_limit(self) -> None:
        await self.control("seed", model="Post", count=30)
        found, token, pages = 0, None, 0
        while True:
            page = (await self.data(LIST, {"limit": 10, "nextToken": token, "filter": {
                "rating": {"lt": 5}}}))["listPosts"]
            found, token, pages = found + len(page["items"]), page["nextToken"], pages + 1
            if token is None:
                break
        self.assertEqual((found, pages), (5, 3))

    async def test_filters_judge_as_dynamodb_does(self) -> None:
        await self.create("a", rating=1, labels=["x", "y"], content="Hello")
        await self.create("b", rating=5)
        table = [
            ({"rating": {"between": [2, 9]}}, ["b"]),
            ({"rating": {"ne": 1}}, ["b"]),
            ({"content": {"attributeExists": False}}, ["b"]),
            ({"content": {"contains": "ell"}}, ["a"]),
            ({"content": {"ne": "z"}}, ["a", "b"]),
            ({"content": {"eq": None}}, []),
            ({"labels": {"contains": "y"}}, ["a"]),
            ({"content": {"size": {"gt": 3}}}, ["a"]),
            ({"rating": {"attributeType": "number"}}, ["a", "b"]),
            ({"title": {"beginsWith": "b"}}, ["b"]),
            ({"or": [{"rating": {"eq": 1}}, {"title": {"eq": "b"}}]}, ["a", "b"]),
            ({"not": {"rating": {"eq": 1}}}, ["b"]),
            ({"and": [{"rating": {"ge": 1}}, {"rating": {"lt": 5}}]}, ["a"]),
            ({"status": {"eq": "DRAFT"}, "rating": {"gt": 1}}, ["b"]),
        ]
        for condition, wanted in table:
            with self.subTest(condition):
                page = (await self.data(LIST, {"filter": condition}))["listPosts"]
                self.assertEqual(sorted(each["id"] for each in page["items"]), wanted)
