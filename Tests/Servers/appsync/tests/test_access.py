"""Who is let in, and what each may do."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from appsync.sigv4 import Credentials, SignedRequest, sign

from .harness import JSON, ServerCase

BLOGS = "{ listBlogs { items { id } } }"
NOTE = "mutation N($input: CreateNoteInput!) { createNote(input: $input) { id text owner } }"


def refusal(kind: str, message: str) -> JSON:
    return {"errors": [{"errorType": kind, "message": message}]}


class Doors(ServerCase):
    async def answer(self, headers: JSON) -> tuple[int, str | None, str | None]:
        """Returns the status and, of a refusal, its type and its message."""
        status, body, _ = await self.ask(BLOGS, headers=headers)
        error = body.get("errors", [{}])[0]
        return status, error.get("errorType"), error.get("message")

    async def token(self, **values: Any) -> JSON:
        return {"Authorization": (await self.control("mint", **values))["token"]}

    async def test_a_key_is_taken_until_it_expires(self) -> None:
        self.assertEqual((await self.answer(self.key))[0], 200)
        wrong = (401, "UnauthorizedException", "You are not authorized to make this call.")
        self.assertEqual(await self.answer({"x-api-key": "da2-other"}), wrong)
        status, body, headers = await self.ask(BLOGS, headers={})
        self.assertEqual((status, body, headers["x-amzn-ErrorType"]), (
            401, refusal("UnauthorizedException", "Valid authorization header not provided."),
            "UnauthorizedException"))
        await self.control("settings", api_key_expires_ms=1)
        self.assertEqual(await self.answer(self.key), wrong)

    async def test_a_token_is_taken_until_it_expires_and_without_the_word_bearer(self) -> None:
        for values in ({}, {"algorithm": "HS256"}, {"mode": "oidc"}):
            with self.subTest(values):
                self.assertEqual((await self.answer(await self.token(**values)))[0], 200)
        expired = (401, "UnauthorizedException", "Token has expired.")
        self.assertEqual(await self.answer(await self.token(expires_in=-1)), expired)
        good = await self.token()
        self.assertEqual((await self.answer(
            {"Authorization": f"Bearer {good['Authorization']}"}))[0], 401)
        await self.control("clock", advance_ms=3_601_000)
        self.assertEqual(await self.answer(good), expired)

    async def test_every_token_can_be_made_to_expire_at_once(self) -> None:
        old = await self.token()
        await self.control("expire_tokens")
        self.assertEqual((await self.answer(old))[2], "Token has expired.")
        self.assertEqual((await self.answer(await self.token()))[0], 200)

    async def test_a_forged_token_is_refused(self) -> None:
        head, body, mark = (await self.token())["Authorization"].split(".")
        forged = {"Authorization": f"{head}.{body}.{mark[::-1]}"}
        self.assertEqual((await self.answer(forged))[0], 401)

    async def test_a_lambdas_token_is_taken_while_it_allows_it(self) -> None:
        header = {"Authorization": "custom-secret"}
        self.assertEqual((await self.answer(header))[0], 401)
        await self.control("lambda_token", token="custom-secret")
        self.assertEqual((await self.answer(header))[0], 200)
        await self.control("lambda_token", token="custom-secret", allow=False)
        self.assertEqual((await self.answer(header))[0], 401)

    async def signed(self, credentials: Credentials, offset: float = 0) -> (
            tuple[int, JSON, Any]):
        body = json.dumps({"query": BLOGS}).encode()
        stamp = datetime.fromtimestamp(datetime.now(UTC).timestamp() + offset, UTC)
        request = SignedRequest("POST", "/graphql", "", {
            "host": self.host, "content-type": "application/json"}, body)
        headers = sign(request, credentials, f"{stamp:%Y%m%dT%H%M%SZ}", "us-east-1", "appsync")
        async with self.http.post(self.url, data=body, headers=headers) as response:
            return response.status, await response.json(), response.headers

    async def test_a_signature_is_verified_with_its_session(self) -> None:
        await self.control("credentials", access_key="AKIATEST", secret_key="secret")
        await self.control("credentials", access_key="ASIATEST", secret_key="secret",
                           session_token="session")
        self.assertEqual((await self.signed(Credentials("AKIATEST", "secret")))[0], 200)
        self.assertEqual((await self.signed(Credentials("ASIATEST", "secret", "session")))[0], 200)
        status, body, headers = await self.signed(Credentials("AKIATEST", "other"))
        self.assertEqual((status, headers["x-amzn-ErrorType"]), (403, "InvalidSignatureException"))
        self.assertIn("does not match the signature you provided", body["errors"][0]["message"])
        for wrong in (Credentials("ASIATEST", "secret"), Credentials("AKIANOBODY", "secret")):
            status, body, _ = await self.signed(wrong)
            self.assertEqual((status, body["errors"][0]["errorType"]),
                             (403, "UnrecognizedClientException"))

    async def test_a_clock_too_far_off_is_refused_and_the_date_tells_by_how_much(self) -> None:
        await self.control("credentials", access_key="AKIATEST", secret_key="secret")
        credentials = Credentials("AKIATEST", "secret")
        await self.control("clock", offset_ms=3_600_000)
        status, body, headers = await self.signed(credentials)
        self.assertEqual(status, 403)
        self.assertIn("Signature expired", body["errors"][0]["message"])
        server = datetime.strptime(headers["Date"], "%a, %d %b %Y %H:%M:%S GMT")
        ahead = server.replace(tzinfo=UTC).timestamp() - datetime.now(UTC).timestamp()
        self.assertAlmostEqual(ahead, 3_600, delta=5)
        self.assertEqual((await self.signed(credentials, offset=ahead))[0], 200)

    async def test_a_mode_that_the_api_lacks_is_refused(self) -> None:
        await self.control("modes", modes=["userPools"])
        self.assertEqual((await self.answer(self.key))[0], 401)


class Rules(ServerCase):
    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.alice = await self.user("alice")
        self.bob = await self.user("bob")
        self.editor = await self.user("carol", groups=["Editors"])

    async def user(self, name: str, **values: Any) -> JSON:
        return {"Authorization": (await self.control("mint", user=name, **values))["token"]}

    async def note(self, user: JSON, text: str, **values: Any) -> JSON:
        made: JSON = (await self.data(NOTE, {"input": {"text": text, **values}}, user))
        found: JSON = made["createNote"]
        return found

    async def test_an_owner_is_written_by_the_server_and_sees_only_their_own(self) -> None:
        made = await self.note(self.alice, "a")
        self.assertEqual(made["owner"], "sub-alice::alice")
        await self.note(self.bob, "b")
        for user, texts in ((self.alice, ["a"]), (self.bob, ["b"]), (self.editor, ["a", "b"])):
            page = await self.data("{ syncNotes { items { text } } }", headers=user)
            self.assertEqual(sorted(each["text"] for each in page["syncNotes"]["items"]), texts)

    async def test_another_may_neither_read_nor_write_it(self) -> None:
        made = await self.note(self.alice, "a")
        error = await self.error(f'{{ getNote(id: "{made["id"]}") {{ text }} }}',
                                 headers=self.bob)
        self.assertEqual(error["errorType"], "Unauthorized")
        update = f'mutation {{ updateNote(input: {{id: "{made["id"]}", text: "x", _version: 1}}) ' \
                 "{ id } }"
        self.assertEqual(await self.error(update, headers=self.bob), {
            "path": ["updateNote"], "data": None, "errorType": "Unauthorized", "errorInfo": None,
            "locations": [{"line": 1, "column": 12, "sourceName": None}],
            "message": "Not Authorized to access updateNote on type Mutation"})
        await self.data(update, headers=self.editor)

    async def test_a_kind_of_caller_without_a_rule_is_named_with_the_answers_type(self) -> None:
        oidc = await self.user("dora", mode="oidc")
        error = await self.error("{ syncNotes { items { id } } }", headers=oidc)
        self.assertEqual(error["message"],
                         "Not Authorized to access syncNotes on type ModelNoteConnection")

    async def test_a_guarded_field_is_null_beside_the_rest_of_the_data(self) -> None:
        await self.note(self.alice, "a", secret="s")
        status, body, _ = await self.ask("{ listNotes { items { text secret } } }")
        self.assertEqual((status, body["data"]["listNotes"]["items"]),
                         (200, [{"text": "a", "secret": None}]))
        self.assertEqual((body["errors"][0]["path"], body["errors"][0]["message"]), (
            ["listNotes", "items", 0, "secret"], "Not Authorized to access secret on type Note"))
        mine = await self.data("{ listNotes { items { secret } } }", headers=self.alice)
        self.assertEqual(mine["listNotes"]["items"], [{"secret": "s"}])

    async def test_a_key_may_read_but_not_write_where_the_rule_says_so(self) -> None:
        await self.note(self.alice, "a")
        self.assertEqual(len((await self.data("{ listNotes { items { id } } }"))
                             ["listNotes"]["items"]), 1)
        error = await self.error(NOTE, {"input": {"text": "b"}})
        self.assertEqual(error["message"], "Not Authorized to access createNote on type Mutation")
