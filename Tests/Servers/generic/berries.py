"""A GraphQL API as people write one with Strawberry: its own words for everything.

Posts have a version, a change feed with tombstones, and answers that are unions; comments have
pages by offset, errors in the payload, and nothing to tell one state from another by.
"""

from __future__ import annotations

import enum
from collections.abc import AsyncGenerator
from typing import Annotated, Optional, Union

import strawberry
from strawberry.asgi import GraphQL

from .store import Refused, Store


@strawberry.enum
class Status(enum.Enum):
    DRAFT = "DRAFT"
    PUBLISHED = "PUBLISHED"


@strawberry.type
class Cover:
    colour: str
    width: Optional[int]


@strawberry.input
class CoverInput:
    colour: str
    width: Optional[int] = None


@strawberry.type
class Post:
    id: strawberry.ID
    title: str
    body: Optional[str]
    rating: Optional[int]
    tags: Optional[list[str]]
    status: Optional[Status]
    cover: Optional[Cover]
    version: int
    deleted: bool
    updated_at: str


@strawberry.type
class Comment:
    id: strawberry.ID
    content: str
    post_id: Optional[strawberry.ID]


@strawberry.input
class PostInput:
    id: strawberry.ID
    title: str
    body: Optional[str] = None
    rating: Optional[int] = None
    tags: Optional[list[str]] = None
    status: Optional[Status] = None
    cover: Optional[CoverInput] = None


@strawberry.input
class PostPatch:
    title: Optional[str] = strawberry.UNSET
    body: Optional[str] = strawberry.UNSET
    rating: Optional[int] = strawberry.UNSET
    tags: Optional[list[str]] = strawberry.UNSET
    status: Optional[Status] = strawberry.UNSET
    cover: Optional[CoverInput] = strawberry.UNSET


@strawberry.input
class CommentInput:
    id: strawberry.ID
    content: Optional[str] = strawberry.UNSET
    post_id: Optional[strawberry.ID] = strawberry.UNSET


@strawberry.type
class PostPage:
    nodes: list[Post]
    end: Optional[str]
    has_more: bool


@strawberry.type
class Changes:
    posts: list[Post]
    until: int


@strawberry.type
class Stale:
    message: str
    current: Optional[Post]


@strawberry.type
class Denied:
    message: str
    code: str
    field: Optional[str]


@strawberry.type
class Problem:
    message: str
    code: str
    field: Optional[str]


@strawberry.type
class CommentPayload:
    comment: Optional[Comment]
    errors: list[Problem]


Written = Annotated[Union[Post, Stale, Denied], strawberry.union("Written")]


def post(row: dict) -> Post:
    cover = row.get("cover")
    return Post(
        id=strawberry.ID(row["id"]), title=row["title"], body=row.get("body"),
        rating=row.get("rating"), tags=row.get("tags"), status=row.get("status"),
        cover=Cover(colour=cover.colour, width=cover.width) if cover else None,
        version=row["version"], deleted=row["deleted"], updated_at=row["updated_at"])


def comment(row: dict) -> Comment:
    return Comment(id=strawberry.ID(row["id"]), content=row["content"],
                   post_id=row.get("post_id"))


def given(values: object) -> dict:
    return {name: value for name, value in vars(values).items() if value is not strawberry.UNSET}


def denied(error: Refused) -> Denied:
    return Denied(message=error.message, code=error.kind, field=error.field)


def make(store: Store) -> GraphQL:
    def stale(key: str, version: Optional[int]) -> Optional[Stale]:
        row = store.tables["posts"].get(key)
        if row is None:
            return Stale(message="it is gone", current=None)
        if version is not None and row["version"] != version:
            return Stale(message="it has changed", current=post(row))
        return None

    @strawberry.type
    class Query:
        @strawberry.field
        def posts(self, first: int, after: Optional[str] = None) -> PostPage:
            rows = [row for row in store.tables["posts"].living() if row["id"] > (after or "")]
            page = rows[:first]
            return PostPage(nodes=[post(row) for row in page], has_more=len(rows) > first,
                            end=page[-1]["id"] if page else None)

        @strawberry.field
        def post_changes(self, since: int, first: int, skip: int = 0) -> Changes:
            rows = store.tables["posts"].changed(since)[skip:skip + first]
            return Changes(posts=[post(row) for row in rows], until=store.revision)

        @strawberry.field
        def revision(self) -> int:
            return store.revision

        @strawberry.field
        def post(self, id: strawberry.ID) -> Optional[Post]:
            row = store.tables["posts"].get(id)
            return post(row) if row else None

        @strawberry.field
        def comments(self, limit: int = 20, offset: int = 0) -> list[Comment]:
            rows = store.tables["comments"].living()
            return [comment(row) for row in rows[offset:offset + limit]]

        @strawberry.field
        def comment(self, id: strawberry.ID) -> Optional[Comment]:
            row = store.tables["comments"].get(id)
            return comment(row) if row else None

    @strawberry.type
    class Mutation:
        @strawberry.mutation
        def create_post(self, input: PostInput) -> Written:
            try:
                return post(store.tables["posts"].insert(vars(input)))
            except Refused as error:
                if error.kind == "unique":
                    return Stale(message=error.message, current=post(
                        store.tables["posts"].rows[input.id]))
                return denied(error)

        @strawberry.mutation
        def update_post(self, id: strawberry.ID, patch: PostPatch,
                        version: Optional[int] = None) -> Written:
            try:
                return stale(id, version) or post(
                    store.tables["posts"].update(id, given(patch)))
            except Refused as error:
                return denied(error)

        @strawberry.mutation
        def delete_post(self, id: strawberry.ID, version: Optional[int] = None) -> Written:
            return stale(id, version) or post(store.tables["posts"].delete(id))

        @strawberry.mutation
        def create_comment(self, input: CommentInput) -> CommentPayload:
            return payload(lambda: store.tables["comments"].insert(given(input)))

        @strawberry.mutation
        def update_comment(self, input: CommentInput) -> CommentPayload:
            return payload(lambda: store.tables["comments"].update(input.id, given(input)))

        @strawberry.mutation
        def delete_comment(self, id: strawberry.ID) -> CommentPayload:
            return payload(lambda: store.tables["comments"].delete(id))

    @strawberry.type
    class Subscription:
        @strawberry.subscription
        async def post_changed(self) -> AsyncGenerator[Post, None]:
            async for _, row in store.changes("posts"):
                yield post(row)

        @strawberry.subscription
        async def comment_written(self) -> AsyncGenerator[Comment, None]:
            async for kind, row in store.changes("comments"):
                if kind != "delete":
                    yield comment(row)

        @strawberry.subscription
        async def comment_gone(self) -> AsyncGenerator[strawberry.ID, None]:
            async for kind, row in store.changes("comments"):
                if kind == "delete":
                    yield strawberry.ID(row["id"])

    return GraphQL(strawberry.Schema(Query, Mutation, Subscription),
                   subscription_protocols=("graphql-transport-ws", "graphql-sse"))


def payload(write) -> CommentPayload:
    try:
        row = write()
    except Refused as error:
        return CommentPayload(comment=None, errors=[
            Problem(message=error.message, code=error.kind, field=error.field)])
    if row is None:
        return CommentPayload(comment=None, errors=[
            Problem(message="there is no such comment", code="not_found", field=None)])
    return CommentPayload(comment=comment(row), errors=[])
