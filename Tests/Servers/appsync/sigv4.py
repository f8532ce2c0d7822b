"""AWS Signature Version 4, computed and verified.

The rules are in AWS's «Create a signed AWS API request»:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import parse_qsl, quote

from .errors import HTTPFailure

ALGORITHM = "AWS4-HMAC-SHA256"
AUTHORIZATION = re.compile(
    rf"{ALGORITHM} Credential=([^/]+)/(\d{{8}})/([^/]+)/([^/]+)/aws4_request, ?"
    r"SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})")


@dataclass(frozen=True)
class Credentials:
    """A key pair. With a session token, requests must carry it."""

    access_key: str
    secret_key: str
    session_token: str | None = None


@dataclass(frozen=True)
class SignedRequest:
    """What a signature covers. Header names are in lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


def canonical_query(query: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    encoded = sorted((quote(name, safe="-_.~"), quote(value, safe="-_.~"))
                     for name, value in pairs)
    return "&".join(f"{name}={value}" for name, value in encoded)


def canonical_request(request: SignedRequest, signed: Iterable[str]) -> str:
    names = list(signed)
    headers = "".join(f"{name}:{' '.join(request.headers.get(name, '').split())}\n"
                      for name in names)
    return "\n".join((
        request.method,
        quote(request.path or "/", safe="/-_.~"),
        canonical_query(request.query),
        headers,
        ";".join(names),
        hashlib.sha256(request.body).hexdigest(),
    ))


def signature(request: SignedRequest, signed: Iterable[str], secret: str, stamp: str,
              region: str, service: str) -> str:
    """Returns the signature in hex; `stamp` is the `x-amz-date`."""
    day = stamp[:8]
    scope = f"{day}/{region}/{service}/aws4_request"
    hashed = hashlib.sha256(canonical_request(request, signed).encode()).hexdigest()
    text = "\n".join((ALGORITHM, stamp, scope, hashed))
    key = f"AWS4{secret}".encode()
    for part in (day, region, service, "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def sign(request: SignedRequest, credentials: Credentials, stamp: str, region: str,
         service: str) -> dict[str, str]:
    """Returns the headers that sign a request, for the tests' own clients."""
    headers = {name.lower(): value for name, value in request.headers.items()}
    headers["x-amz-date"] = stamp
    if credentials.session_token:
        headers["x-amz-security-token"] = credentials.session_token
    names = sorted(headers)
    complete = SignedRequest(request.method, request.path, request.query, headers, request.body)
    found = signature(complete, names, credentials.secret_key, stamp, region, service)
    scope = f"{stamp[:8]}/{region}/{service}/aws4_request"
    headers["authorization"] = (
        f"{ALGORITHM} Credential={credentials.access_key}/{scope}, "
        f"SignedHeaders={';'.join(names)}, Signature={found}")
    return headers


def verify(request: SignedRequest, known: Mapping[str, Credentials], region: str, service: str,
           now: float, skew: float) -> str:
    """Returns the access key of a request that is signed well; times are in seconds.

    Raises the 403 that AWS answers otherwise.
    """
    found = AUTHORIZATION.fullmatch(request.headers.get("authorization", ""))
    if found is None:
        raise refused("IncompleteSignatureException",
                      "Authorization header requires 'Credential', 'SignedHeaders' and "
                      "'Signature' parameters.")
    access_key, day, scope_region, scope_service, names, given = found.groups()
    credentials = known.get(access_key)
    token = request.headers.get("x-amz-security-token")
    if credentials is None or credentials.session_token != token:
        raise refused("UnrecognizedClientException",
                      "The security token included in the request is invalid.")
    if (scope_region, scope_service) != (region, service):
        raise refused("InvalidSignatureException",
                      f"Credential should be scoped to a valid region. It should be scoped to "
                      f"'{region}' and service '{service}'.")
    stamp = request.headers.get("x-amz-date", "")
    moment = seconds(stamp)
    if moment is None or stamp[:8] != day:
        raise refused("IncompleteSignatureException",
                      "Date in Credential scope does not match X-Amz-Date.")
    if abs(moment - now) > skew:
        word = "expired" if moment < now else "not yet current"
        limit = datetime.fromtimestamp(now - skew if moment < now else now + skew, UTC)
        sign_of = "<" if moment < now else ">"
        raise refused("InvalidSignatureException",
                      f"Signature {word}: {stamp} is now "
                      f"{'earlier' if moment < now else 'later'} than "
                      f"{limit:%Y%m%dT%H%M%SZ} ({sign_of} {int(skew // 60)} min.)")
    signed = names.split(";")
    unsigned = {"host", "x-amz-date"} - set(signed)
    if token is not None and "x-amz-security-token" not in signed:
        unsigned.add("x-amz-security-token")
    wanted = signature(request, signed, credentials.secret_key, stamp, region, service)
    if unsigned or not hmac.compare_digest(wanted, given):
        raise refused("InvalidSignatureException",
                      "The request signature we calculated does not match the signature you "
                      "provided. Check your AWS Secret Access Key and signing method. Consult "
                      "the service documentation for details.")
    return access_key


def seconds(stamp: str) -> float | None:
    try:
        return datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def refused(kind: str, message: str) -> HTTPFailure:
    return HTTPFailure(403, kind, message)
