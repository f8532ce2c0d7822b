"""SigV4 against vectors of AWS's own test suite, and what the server refuses."""

from __future__ import annotations

import unittest
from typing import NamedTuple

from appsync.errors import HTTPFailure
from appsync.sigv4 import Credentials, SignedRequest, seconds, sign, signature, verify

SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
STAMP = "20150830T123600Z"


class Vector(NamedTuple):
    """A case of the «aws-sig-v4-test-suite», by its name there."""

    name: str
    method: str
    headers: dict[str, str]
    query: str
    body: bytes
    signature: str


VECTORS = [
    Vector("get-vanilla", "GET", {}, "", b"",
           "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    Vector("get-vanilla-query-order-key-case", "GET", {}, "Param2=value2&Param1=value1", b"",
           "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    Vector("get-header-key-duplicate", "GET", {"my-header1": "value2,value2,value1"}, "", b"",
           "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
    Vector("get-header-value-multiline", "GET", {"my-header1": "value1,value2,value3"}, "", b"",
           "ba17b383a53190154eb5fa66a1b836cc297cc0a3d70a5d00705980573d8ff790"),
    Vector("post-vanilla", "POST", {}, "", b"",
           "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    Vector("post-x-www-form-urlencoded", "POST",
           {"content-type": "application/x-www-form-urlencoded"}, "", b"Param1=value1",
           "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
]


class Signatures(unittest.TestCase):
    def test_they_equal_those_of_the_suite(self) -> None:
        for vector in VECTORS:
            with self.subTest(vector.name):
                headers = {"host": "example.amazonaws.com", "x-amz-date": STAMP, **vector.headers}
                request = SignedRequest(vector.method, "/", vector.query, headers, vector.body)
                self.assertEqual(
                    signature(request, sorted(headers), SECRET, STAMP, "us-east-1", "service"),
                    vector.signature)

    def refusal(self, request: SignedRequest, *, now: str = STAMP,
                known: Credentials = Credentials("AKIDEXAMPLE", SECRET)) -> str | None:
        try:
            verify(request, {known.access_key: known}, "us-east-1", "appsync",
                   seconds(now) or 0, 300)
        except HTTPFailure as failure:
            self.assertEqual(failure.status, 403)
            return failure.error_type
        return None

    def signed(self, credentials: Credentials = Credentials("AKIDEXAMPLE", SECRET),
               body: bytes = b"{}", service: str = "appsync") -> SignedRequest:
        request = SignedRequest("POST", "/graphql", "", {"host": "api.example.com"}, body)
        headers = sign(request, credentials, STAMP, "us-east-1", service)
        return SignedRequest("POST", "/graphql", "", headers, body)

    def test_a_good_one_is_taken(self) -> None:
        self.assertIsNone(self.refusal(self.signed()))

    def test_another_secret_another_body_and_another_service_are_refused(self) -> None:
        wrong = Credentials("AKIDEXAMPLE", SECRET[::-1])
        self.assertEqual(self.refusal(self.signed(wrong)), "InvalidSignatureException")
        good = self.signed()
        other = SignedRequest("POST", "/graphql", "", good.headers, b"{} ")
        self.assertEqual(self.refusal(other), "InvalidSignatureException")
        self.assertEqual(self.refusal(self.signed(service="s3")), "InvalidSignatureException")

    def test_a_clock_five_minutes_off_is_taken_and_six_are_not(self) -> None:
        self.assertIsNone(self.refusal(self.signed(), now="20150830T124100Z"))
        self.assertIsNone(self.refusal(self.signed(), now="20150830T123100Z"))
        for now in ("20150830T124200Z", "20150830T123000Z"):
            self.assertEqual(self.refusal(self.signed(), now=now), "InvalidSignatureException")

    def test_a_session_needs_its_token_and_signs_it(self) -> None:
        session = Credentials("AKIDEXAMPLE", SECRET, "session")
        self.assertIsNone(self.refusal(self.signed(session), known=session))
        self.assertEqual(self.refusal(self.signed(), known=session),
                         "UnrecognizedClientException")
        added = self.signed()
        unsigned = SignedRequest("POST", "/graphql", "",
                                 {**added.headers, "x-amz-security-token": "session"}, added.body)
        self.assertEqual(self.refusal(unsigned, known=session), "InvalidSignatureException")

    def test_no_credential_at_all_is_incomplete(self) -> None:
        request = SignedRequest("POST", "/graphql", "", {"authorization": "AWS4-HMAC-SHA256 x"},
                                b"")
        self.assertEqual(self.refusal(request), "IncompleteSignatureException")
