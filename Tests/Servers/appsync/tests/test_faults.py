"""Faults on demand, and the journal that tells what came of them."""

from __future__ import annotations

import asyncio
import json
import time

import aiohttp

from .documents import CREATE, SYNC, UPDATE
from .harness import ServerCase

POST = {"input": {"id": "p", "title": "a"}}


class RequestFaults(ServerCase):
    async def applied(self) -> int:
        return len((await self.control("effects", model="Post", key=["p"]))["effects"])

    async def test_a_status_strikes_as_often_as_it_is_told_with_a_retry_after(self) -> None:
        await self.control("fault", type="status", status=503, retry_after=2, count=2,
                           operation="createPost")
        for _ in range(2):
            status, body, headers = await self.ask(CREATE, POST)
            self.assertEqual((status, headers["Retry-After"]), (503, "2"))
            self.assertEqual(body["errors"][0]["errorType"], "ServiceUnavailableException")
        await self.data(CREATE, POST)
        self.assertEqual(await self.applied(), 1)

    async def test_it_passes_over_others_and_over_the_first_ones(self) -> None:
        await self.control("fault", type="status", status=500, operation="update*", skip=1)
        await self.data(CREATE, POST)
        update = {"input": {"id": "p", "title": "b", "_version": 1}}
        await self.data(UPDATE, update)
        self.assertEqual((await self.ask(UPDATE, update))[0], 500)

    async def test_a_reply_is_lost_after_its_effect_and_a_request_before_it(self) -> None:
        for kind, effects in (("cut_before", 0), ("cut_after", 1), ("cut_during", 2)):
            with self.subTest(kind):
                await self.control("fault", type=kind)
                if kind == "cut_during":
                    await self.control("reset")
                with self.assertRaises(aiohttp.ClientError):
                    await self.ask(CREATE, POST)
                self.assertEqual(await self.applied(), effects)

    async def test_an_answer_is_no_json(self) -> None:
        await self.control("fault", type="malformed")
        with self.assertRaises(ValueError):
            await self.ask(SYNC)

    async def test_errors_inside_a_200(self) -> None:
        await self.data(CREATE, POST)
        update = {"input": {"id": "p", "title": "b", "_version": 1}}
        table = {
            "throttled": "DynamoDB:ProvisionedThroughputExceededException",
            "internal": "InternalFailure", "conflict": "ConflictUnhandled",
            "condition": "ConditionalCheckFailedException", "denied": "Unauthorized",
            "disabled": "OperationDisabled",
        }
        for kind, error_type in table.items():
            with self.subTest(kind):
                await self.control("fault", type=kind)
                error = await self.error(UPDATE, update)
                self.assertEqual(error["errorType"], error_type)
                if kind == "conflict":
                    self.assertEqual(error["data"]["id"], "p")
        await self.control("fault", type="conflict", data=False)
        self.assertIsNone((await self.error(UPDATE, update))["data"])
        await self.control("fault", type="internal", after=True)
        await self.error(UPDATE, update)
        self.assertEqual(await self.applied(), 2)

    async def test_401_and_413(self) -> None:
        await self.control("fault", type="unauthorized", message="Token has expired.")
        self.assertEqual((await self.ask(SYNC))[1]["errors"][0]["message"], "Token has expired.")
        await self.control("fault", type="too_large")
        self.assertEqual((await self.ask(SYNC))[0], 413)
        large = {"input": {"title": "x" * 1_048_576}}
        self.assertEqual((await self.ask(CREATE, large))[0], 413)

    async def test_part_of_the_data_is_null_beside_an_error(self) -> None:
        await self.control("seed", model="Post", count=3)
        await self.control("fault", type="partial")
        status, body, _ = await self.ask(SYNC)
        items = body["data"]["syncPosts"]["items"]
        self.assertEqual((status, items[0], len(items)), (200, None, 3))
        self.assertEqual((body["errors"][0]["path"], body["errors"][0]["errorType"]),
                         (["syncPosts", "items", 0], "Unauthorized"))

    async def test_an_empty_page_with_a_token_loses_nothing(self) -> None:
        await self.control("seed", model="Post", count=3)
        await self.control("fault", type="empty_page", count=2)
        token: str | None = None
        pages: list[int] = []
        while not pages or token:
            page = (await self.data(SYNC, {"nextToken": token}))["syncPosts"]
            token = page["nextToken"]
            pages.append(len(page["items"]))
        self.assertEqual(pages, [0, 0, 3])

    async def test_a_latency_lets_others_pass(self) -> None:
        await self.control("settings", latency_ms=50)
        await asyncio.gather(*(self.data(SYNC) for _ in range(10)))
        self.assertGreater((await self.control("counters"))["max_in_flight"], 1)

    async def test_a_delayed_request_is_overtaken(self) -> None:
        await self.control("fault", type="delay", seconds=60, operation="createPost")
        late = asyncio.create_task(self.ask(CREATE, POST))
        await self.control("wait", counters={"delayed": 1})
        await self.data(CREATE, POST)
        late.cancel()

    async def test_an_answer_over_the_limit_is_an_error(self) -> None:
        await self.control("settings", response_bytes=200)
        await self.control("seed", model="Post", count=5)
        error = await self.error(SYNC)
        self.assertEqual((error["errorType"], error["message"]),
                         ("MappingTemplate", "Transformation too large."))

    async def test_a_command_that_is_wrong_says_what_there_is(self) -> None:
        for command in ({"command": "nope"}, {"command": "fault", "type": "nope"},
                        {"command": "settings", "nope": 1}, {"command": "clock", "nope": 1}):
            async with self.http.post(self.server.ready["control"], json=command) as response:
                self.assertEqual(response.status, 400)
                self.assertIn("nope", (await response.json())["error"])


class Malformed(ServerCase):
    async def test_what_is_not_graphql_is_a_400(self) -> None:
        for body, message in ((b"", "Request body is empty."),
                              (b"meow", "Unable to parse GraphQL query."),
                              (b"[]", "Unable to parse GraphQL query."),
                              (b'{"query": "{"}', "Unable to parse GraphQL query.")):
            with self.subTest(body):
                async with self.http.post(self.url, data=body, headers=self.key) as response:
                    self.assertEqual((response.status, await response.json()), (400, {"errors": [{
                        "errorType": "MalformedHttpRequestException", "message": message}]}))

    async def test_what_is_not_of_the_schema_is_a_200(self) -> None:
        status, body, _ = await self.ask("{badfield}")
        self.assertEqual((status, body), (200, {"data": None, "errors": [{
            "path": None, "locations": [{"line": 1, "column": 2, "sourceName": None}],
            "message": "Validation error of type FieldUndefined: Field 'badfield' in type 'Query' "
                       "is undefined @ 'badfield'"}]}))


class TheJournal(ServerCase):
    async def test_it_tells_what_was_asked_with_secrets_hashed(self) -> None:
        await self.data(CREATE, POST)
        entry = (await self.control("journal", operation="createPost"))["entries"][0]
        self.assertEqual((entry["operation"], entry["kind"], entry["variables"], entry["query"],
                          entry["status"], entry["mode"]),
                         ("C", "mutation", POST, CREATE, 200, "apiKey"))
        self.assertEqual(entry["effects"][0], {
            "model": "Post", "verb": "create", "field": "createPost", "key": ["p"], "version": 1,
            "number": 1})
        self.assertRegex(entry["headers"]["x-api-key"], "^sha256:")
        self.assertNotIn(self.key["x-api-key"], json.dumps(entry))

    async def test_a_wait_ends_when_what_it_waits_for_happens(self) -> None:
        waiting = asyncio.create_task(
            self.control("wait", counters={"applied:createPost": 1}, timeout=5))
        await self.data(CREATE, POST)
        self.assertTrue((await waiting)["held"])
        self.assertFalse((await self.control("wait", open_sockets=3, timeout=0.01))["held"])


class Pages(ServerCase):
    async def test_kept_answers_are_fast_and_end_with_the_next_write(self) -> None:
        await self.control("settings", cache_pages=True)
        await self.control("seed", model="Post", count=2_000)
        first = await self.data(SYNC, {"limit": 1_000})
        await self.control("settings", cache_pages=False)
        slow = await self.data(SYNC, {"limit": 1_000})
        self.assertEqual(slow["syncPosts"]["items"], first["syncPosts"]["items"])
        await self.control("settings", cache_pages=True)
        begun = time.monotonic()
        self.assertEqual(await self.data(SYNC, {"limit": 1_000}), first)
        self.assertLess(time.monotonic() - begun, 0.1)
        await self.data(CREATE, POST)
        self.assertNotEqual(await self.data(SYNC, {"limit": 1_000}), first)

    async def test_the_requests_of_all_pages_can_be_had_beforehand(self) -> None:
        await self.control("settings", cache_pages=True)
        await self.control("seed", model="Post", count=25)
        walked = await self.control("pages", query=SYNC, variables={"limit": 10})
        self.assertEqual((len(walked["bodies"]), walked["items"]), (3, 25))
        size = 0
        for body in walked["bodies"]:
            async with self.http.post(self.url, data=body, headers=self.key) as response:
                size += len(await response.read())
        self.assertEqual(size, walked["bytes"])
