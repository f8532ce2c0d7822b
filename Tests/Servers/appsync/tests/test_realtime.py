"""The real-time protocol, message by message."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import Any

import aiohttp

from appsync.sigv4 import Credentials, SignedRequest, sign

from .documents import CREATE, DELETE, ON_CREATE, UPDATE
from .harness import JSON, ServerCase, Socket


class RealtimeCase(ServerCase):
    async def create(self, number: str, selection: str = "id title rating", **values: Any) -> None:
        query = f"mutation C($i: CreatePostInput!) {{ createPost(input: $i) {{ {selection} }} }}"
        await self.data(query, {"i": {"id": number, "title": number, **values}})

    async def subscribed(self, query: str = ON_CREATE, variables: JSON | None = None) -> Socket:
        socket = await self.connect()
        self.assertEqual(await socket.subscribe("s", query, self.key, variables),
                         {"id": "s", "type": "start_ack"})
        return socket

    async def event(self, socket: Socket) -> JSON:
        message = await socket.next()
        self.assertEqual((message["id"], message["type"]), ("s", "data"))
        payload: JSON = message["payload"]
        return payload


class Connecting(RealtimeCase):
    async def test_each_of_three_ways_authorises_it(self) -> None:
        for way in ("query", "subprotocol", "headers"):
            with self.subTest(way):
                await self.connect(way=way)
        entries = (await self.control("journal", channel="connect"))["entries"]
        self.assertEqual([each["way"] for each in entries], ["query", "subprotocol", "headers"])

    async def test_the_real_time_host_serves_it_on_the_apis_own_path(self) -> None:
        self.server.ready["realtime"], kept = self.url, self.server.ready["realtime"]
        try:
            await self.connect(way="headers")
        finally:
            self.server.ready["realtime"] = kept

    async def test_a_wrong_key_gets_a_connection_error_and_a_close(self) -> None:
        socket = await self.connect({"x-api-key": "wrong"}, init=False)
        await socket.send(type="connection_init")
        self.assertEqual(await socket.next(), {"type": "connection_error", "payload": {"errors": [{
            "errorType": "UnauthorizedException", "errorCode": 401,
            "message": "You are not authorized to make this call."}]}})
        self.assertEqual((await socket.next())["type"], "closed")

    async def test_keep_alives_come_at_once_and_then_in_time_until_they_stop(self) -> None:
        await self.control("settings", ka_interval_ms=20)
        socket = await self.connect()
        for _ in range(3):
            self.assertEqual(await socket.next("ka"), {"type": "ka"})
        await self.control("keep_alive", silent=True)
        await self.control("keep_alive", silent=True, now=True)

    async def test_a_signature_over_connect_and_over_each_start_authorises_them(self) -> None:
        credentials = Credentials("ASIATEST", "secret", "session")
        await self.control("credentials", access_key="ASIATEST", secret_key="secret",
                           session_token="session")

        def header(path: str, body: str) -> JSON:
            stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
            return dict(sign(SignedRequest("POST", path, "", {
                "accept": "application/json, text/javascript", "content-encoding": "amz-1.0",
                "content-type": "application/json; charset=UTF-8", "host": self.host,
            }, body.encode()), credentials, stamp, "us-east-1", "appsync"))

        socket = await self.connect(header("/graphql/connect", "{}"))
        data = json.dumps({"query": ON_CREATE, "variables": {}})
        self.assertEqual(
            await socket.subscribe("s", ON_CREATE, header("/graphql", data)),
            {"id": "s", "type": "start_ack"})
        refused = await socket.subscribe("t", ON_CREATE, header("/graphql", "{}"))
        self.assertEqual(refused["payload"]["errors"][0]["errorType"],
                         "InvalidSignatureException")


class Subscribing(RealtimeCase):
    async def test_stop_completes_and_no_event_follows(self) -> None:
        socket = await self.subscribed()
        await socket.send(id="s", type="stop")
        self.assertEqual(await socket.next(), {"id": "s", "type": "complete"})
        await self.create("a")
        await socket.subscribe("t", ON_CREATE, self.key)
        await self.create("b")
        self.assertEqual((await socket.next())["id"], "t")

    async def test_refusals_have_the_shapes_of_appsync(self) -> None:
        socket = await self.connect()
        table: list[tuple[str, JSON, Any]] = [
            ("subscription { onCreatePost { nope } }", self.key, [{
                "message": "Validation error of type FieldUndefined: Field 'nope' in type 'Post' "
                           "is undefined @ 'onCreatePost/nope'"}]),
            ('subscription { onCreatePost(owner: "a") { id } }', self.key, [{
                "message": "Validation error of type UnknownArgument: Unknown field argument "
                           "owner @ 'onCreatePost'"}]),
            ("{ listPosts { nextToken } }", self.key, [{
                "errorType": "UnsupportedOperation",
                "message": "Operation not supported through the realtime channel"}]),
            (ON_CREATE, {"x-api-key": "wrong"}, [{
                "errorType": "UnauthorizedException",
                "message": "You are not authorized to make this call."}]),
        ]
        for query, header, errors in table:
            with self.subTest(query):
                self.assertEqual(await socket.subscribe("s", query, header), {
                    "id": "s", "type": "error", "payload": {"errors": errors}})

    async def test_one_more_than_the_connection_takes_is_refused_with_an_object(self) -> None:
        await self.control("settings", max_subscriptions=2)
        socket = await self.connect()
        for number in ("1", "2"):
            await socket.subscribe(number, ON_CREATE, self.key)
        self.assertEqual((await socket.subscribe("3", ON_CREATE, self.key))["payload"], {
            "errors": {"errorType": "MaxSubscriptionsReachedError",
                       "message": "Max number of 2 subscriptions reached"}})
        self.assertEqual((await socket.subscribe("2", ON_CREATE, self.key))["payload"]
                         ["errors"][0]["errorType"], "DuplicatedOperationError")

    async def test_a_token_is_checked_again_at_each_start(self) -> None:
        header = {"Authorization": (await self.control("mint"))["token"]}
        socket = await self.connect(header)
        self.assertEqual((await socket.subscribe("1", ON_CREATE, header))["type"], "start_ack")
        await self.control("expire_tokens")
        refused = await socket.subscribe("2", ON_CREATE, header)
        self.assertEqual(refused["payload"]["errors"], [
            {"errorType": "UnauthorizedException", "message": "Token has expired."}])
        await self.control("expire_tokens", drop=True)
        self.assertEqual((await socket.next())["type"], "closed")


class Events(RealtimeCase):
    async def test_one_holds_what_the_mutation_selected_and_nulls_for_the_rest(self) -> None:
        socket = await self.subscribed()
        await self.create("a", "id t: title", rating=5)
        self.assertEqual(await self.event(socket), {
            "data": {"onCreatePost": {"id": "a", "title": "a", "rating": None}}})
        (left,) = (await self.control("events"))["events"]
        self.assertEqual(left["data"]["onCreatePost"]["id"], "a")
        self.assertLess(abs(time.time_ns() - left["sent_ns"]), 60 * 10**9)

    async def test_a_required_field_that_was_not_selected_nulls_it_with_an_error(self) -> None:
        socket = await self.subscribed("subscription { onCreatePost { id createdAt } }")
        await self.create("a", "id")
        self.assertEqual(await self.event(socket), {
            "data": {"onCreatePost": None}, "errors": [{
                "message": "Cannot return null for non-nullable type: 'AWSDateTime' within parent "
                           "'Post' (/onCreatePost/createdAt)",
                "path": ["onCreatePost", "createdAt"]}]})

    async def test_updates_and_deletes_have_their_own(self) -> None:
        socket = await self.subscribed("subscription { onUpdatePost { id _version } }")
        await socket.subscribe("d", "subscription { onDeletePost { id _deleted } }", self.key)
        await self.data(CREATE, {"input": {"id": "a", "title": "a"}})
        await self.data(UPDATE, {"input": {"id": "a", "title": "b", "_version": 1}})
        await self.data(DELETE, {"input": {"id": "a", "_version": 2}})
        self.assertEqual((await self.event(socket))["data"],
                         {"onUpdatePost": {"id": "a", "_version": 2}})
        self.assertEqual(await socket.next(), {"id": "d", "type": "data", "payload": {
            "data": {"onDeletePost": {"id": "a", "_deleted": True}}}})

    async def test_a_filter_judges_only_what_was_selected(self) -> None:
        query = """subscription S($f: ModelSubscriptionPostFilterInput) {
          onCreatePost(filter: $f) { id } }"""
        socket = await self.subscribed(query, {"f": {"rating": {"gt": 3}}})
        await self.create("low", rating=1)
        await self.create("unselected", "id title", rating=9)
        await self.create("high", rating=4)
        self.assertEqual((await self.event(socket))["data"], {"onCreatePost": {"id": "high"}})

    async def test_filters_too_large_are_refused(self) -> None:
        socket = await self.connect()
        query = """subscription S($f: ModelSubscriptionPostFilterInput) {
          onCreatePost(filter: $f) { id } }"""
        table: list[tuple[JSON, str]] = [
            ({"or": [{"title": {"eq": str(each)}} for each in range(11)]},
             "Filters combination exceed maximum limit 10."),
            ({name: {"ne": None} for name in (
                "id", "title", "content", "rating", "score", "published", "status", "labels",
                "contact", "link", "phone")}, "Filters exceed maximum attributes limit 10."),
            ({"and": [{"rating": {"gt": 1}}, {"rating": {"lt": 5}}]},
             "Filters with same fieldName multiple time in a group are not allowed."),
        ]
        for condition, message in table:
            with self.subTest(message):
                found = await socket.subscribe("s", query, self.key, {"f": condition})
                self.assertEqual(found["payload"]["errors"][0]["message"], message)

    async def test_an_owner_gets_their_own_and_may_not_ask_for_anothers(self) -> None:
        users = {name: {"Authorization": (await self.control("mint", user=name))["token"]}
                 for name in ("alice", "bob")}
        socket = await self.connect(users["alice"])
        query = "subscription S($o: String) { onCreateNote(owner: $o) { text owner } }"
        refused = await socket.subscribe("x", query, users["alice"], {"o": "bob"})
        self.assertEqual(refused["payload"]["errors"][0]["message"],
                         "Not Authorized to access onCreateNote on type Subscription")
        await socket.subscribe("s", query, users["alice"])
        for name in ("bob", "alice"):
            await self.data('mutation { createNote(input: {text: "t"}) { id text owner } }',
                            headers=users[name])
        self.assertEqual((await self.event(socket))["data"]["onCreateNote"]["owner"],
                         "sub-alice::alice")


class EventFaults(RealtimeCase):
    async def titles(self, socket: Socket, count: int) -> list[Any]:
        return [(await self.event(socket))["data"]["onCreatePost"]["id"] for _ in range(count)]

    async def test_they_are_lost_sent_twice_and_swapped(self) -> None:
        socket = await self.subscribed()
        for kind, wanted in (("lose", ["b"]), ("duplicate", ["a", "a", "b"]),
                             ("reorder", ["b", "a"])):
            with self.subTest(kind):
                await self.control("reset")
                await self.control("fault", on="event", type=kind, operation="onCreatePost")
                await self.create("a")
                await self.create("b")
                self.assertEqual(await self.titles(socket, len(wanted)), wanted)

    async def test_they_come_with_less_or_broken_or_late(self) -> None:
        socket = await self.subscribed("subscription { onCreatePost { id rating } }")
        await self.control("fault", on="event", type="partial", fields=["id"])
        await self.create("a", rating=1)
        self.assertEqual((await self.event(socket))["data"]["onCreatePost"],
                         {"id": "a", "rating": None})
        await self.control("fault", on="event", type="corrupt")
        await self.create("b")
        with self.assertRaises(ValueError):
            await socket.next()
        await self.control("fault", on="event", type="delay", seconds=0.05)
        await self.create("c")
        await self.create("d")
        self.assertEqual(await self.titles(socket, 2), ["d", "c"])

    async def test_a_start_is_refused_passed_over_or_throttled(self) -> None:
        socket = await self.connect()
        await self.control("fault", on="start", type="error", error_type="Unauthorized",
                           message="m")
        found = await socket.subscribe("1", ON_CREATE, self.key)
        self.assertEqual(found["payload"]["errors"][0]["errorType"], "Unauthorized")
        await self.control("fault", on="start", type="error", rate=True)
        self.assertEqual(await socket.subscribe("2", ON_CREATE, self.key), {
            "type": "error", "payload": {"errors": {
                "errorType": "LimitExceededError", "message": "Rate limit exceeded"}}})
        await self.control("fault", on="start", type="ignore")
        await socket.send(id="3", type="start", payload={"data": json.dumps(
            {"query": ON_CREATE, "variables": {}}), "extensions": {"authorization": self.key}})
        self.assertEqual((await socket.subscribe("4", ON_CREATE, self.key))["id"], "4")

    async def test_a_connection_is_refused_unanswered_or_dropped(self) -> None:
        await self.control("fault", on="connect", type="refuse", status=503)
        with self.assertRaises(aiohttp.WSServerHandshakeError) as refused:
            await self.connect()
        self.assertEqual(refused.exception.status, 503)
        await self.control("fault", on="connect", type="error", error_type="InternalFailure",
                           code=500)
        socket = await self.connect(init=False)
        await socket.send(type="connection_init")
        self.assertEqual((await socket.next())["payload"]["errors"][0]["errorCode"], 500)
        socket = await self.subscribed()
        await self.control("drop_sockets")
        self.assertEqual((await socket.next())["type"], "closed")
        await self.control("wait", subscriptions=0, open_sockets=0)
        socket = await self.subscribed()
        await self.control("drop_sockets", code=1001)
        self.assertEqual(await socket.next(), {"type": "closed", "code": 1001})
