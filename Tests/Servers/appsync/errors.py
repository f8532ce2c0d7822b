"""Errors in the shapes AppSync answers with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from graphql import (
    GraphQLError,
    GraphQLSchema,
    get_named_type,
)

JSON = dict[str, Any]


class AppSyncError(Exception):
    """What a resolver raises: an item of `errors` beside a null field."""

    def __init__(self, error_type: str, message: str, data: Any = None,
                 info: Any = None) -> None:
        super().__init__(message)
        self.error_type = error_type
        self.message = message
        self.data = data
        self.info = info


class HTTPFailure(Exception):
    """A refusal of the whole request: a status and top-level errors."""

    def __init__(self, status: int, error_type: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.error_type = error_type
        self.message = message

    def body(self) -> JSON:
        return {"errors": [{"errorType": self.error_type, "message": self.message}]}


def unauthorized_exception(message: str = "You are not authorized to make this call.") -> (
        HTTPFailure):
    return HTTPFailure(401, "UnauthorizedException", message)


def not_authorized(field: str, parent: str) -> AppSyncError:
    """What a resolver or a type's rule answers, inside a 200."""
    return AppSyncError("Unauthorized", f"Not Authorized to access {field} on type {parent}")


def condition_failed(versioned: bool) -> AppSyncError:
    message = "The conditional request failed"
    if versioned:
        return AppSyncError("ConditionalCheckFailedException", message)
    return AppSyncError(
        "DynamoDB:ConditionalCheckFailedException",
        f"{message} (Service: DynamoDb, Status Code: 400, Request ID: 4CJ9VF2M1TESTREQUEST)")


def conflict_unhandled(item: Any) -> AppSyncError:
    return AppSyncError("ConflictUnhandled", "Conflict resolver rejects mutation.", item)


def locations(error: GraphQLError) -> list[JSON] | None:
    if not error.locations:
        return None
    return [{"line": each.line, "column": each.column, "sourceName": None}
            for each in error.locations]


def path_text(path: Sequence[str | int]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f"/{part}"
    return text


NON_NULL = re.compile(r"Cannot return null for non-nullable field (\w+)\.(\w+)")


def execution_error(error: GraphQLError, schema: GraphQLSchema) -> JSON:
    """Returns one item of `errors` for a fault met while executing."""
    path = list(error.path) if error.path else None
    cause = error.original_error
    if isinstance(cause, AppSyncError):
        return {"path": path, "data": cause.data, "errorType": cause.error_type,
                "errorInfo": cause.info, "locations": locations(error),
                "message": cause.message}
    found = NON_NULL.match(error.message)
    if found and path:
        parent: Any = schema.get_type(found[1])
        kind = get_named_type(parent.fields[found[2]].type).name
        return {"path": path, "locations": None, "message":
                f"Cannot return null for non-nullable type: '{kind}' within parent "
                f"'{found[1]}' ({path_text(path)})"}
    if path:
        return {"path": path, "locations": None,
                "message": f"Can't serialize value ({path_text(path)}) : {error.message}"}
    return {"path": None, "locations": locations(error), "message": error.message}
