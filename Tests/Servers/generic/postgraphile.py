"""An API of the shape that PostGraphile gives to tables: https://postgraphile.org/postgraphile/current/

Names are those of its simplified inflection, or the classic ones.
"""

from __future__ import annotations

import base64
import json

from graphql import GraphQLError, build_schema

from .store import Refused, Store

SDL = """
scalar UUID
scalar Datetime
scalar Cursor
scalar JSON
interface Node { nodeId: ID! }
type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: Cursor endCursor: Cursor }

type Query implements Node {
  query: Query!
  nodeId: ID!
  node(nodeId: ID!): Node
  posts(first: Int, last: Int, offset: Int, before: Cursor, after: Cursor,
        orderBy: [PostsOrderBy!] = [PRIMARY_KEY_ASC], condition: PostCondition): PostsConnection
  comments(first: Int, last: Int, offset: Int, before: Cursor, after: Cursor,
        orderBy: [CommentsOrderBy!] = [PRIMARY_KEY_ASC], condition: CommentCondition): CommentsConnection
  post(id: UUID!): Post
  postByNodeId(nodeId: ID!): Post
  comment(id: Int!): Comment
  commentByNodeId(nodeId: ID!): Comment
}
enum PostsOrderBy { NATURAL ID_ASC ID_DESC TITLE_ASC TITLE_DESC PRIMARY_KEY_ASC PRIMARY_KEY_DESC }
enum CommentsOrderBy { NATURAL ID_ASC ID_DESC PRIMARY_KEY_ASC PRIMARY_KEY_DESC }
input PostCondition { id: UUID title: String }
input CommentCondition { id: Int postId: UUID }
type PostsConnection { nodes: [Post]! edges: [PostsEdge!]! pageInfo: PageInfo! totalCount: Int! }
type PostsEdge { cursor: Cursor node: Post }
type CommentsConnection { nodes: [Comment]! edges: [CommentsEdge!]! pageInfo: PageInfo! totalCount: Int! }
type CommentsEdge { cursor: Cursor node: Comment }
enum PostStatus { DRAFT PUBLISHED }
type Post implements Node {
  nodeId: ID!
  id: UUID!
  title: String!
  body: String
  rating: Int
  status: PostStatus
  extra: JSON
  createdAt: Datetime!
  updatedAt: Datetime!
  comments(first: Int, last: Int, offset: Int, before: Cursor, after: Cursor,
        orderBy: [CommentsOrderBy!] = [PRIMARY_KEY_ASC], condition: CommentCondition): CommentsConnection!
}
type Comment implements Node { nodeId: ID! id: Int! content: String! postId: UUID post: Post }

type Mutation {
  createPost(input: CreatePostInput!): CreatePostPayload
  updatePostByNodeId(input: UpdatePostByNodeIdInput!): UpdatePostPayload
  updatePost(input: UpdatePostInput!): UpdatePostPayload
  deletePostByNodeId(input: DeletePostByNodeIdInput!): DeletePostPayload
  deletePost(input: DeletePostInput!): DeletePostPayload
  createComment(input: CreateCommentInput!): CreateCommentPayload
  updateComment(input: UpdateCommentInput!): UpdateCommentPayload
  deleteComment(input: DeleteCommentInput!): DeleteCommentPayload
}
input PostInput { id: UUID title: String! body: String rating: Int status: PostStatus extra: JSON createdAt: Datetime updatedAt: Datetime }
input PostPatch { id: UUID title: String body: String rating: Int status: PostStatus extra: JSON createdAt: Datetime updatedAt: Datetime }
input CommentInput { id: Int content: String! postId: UUID }
input CommentPatch { id: Int content: String postId: UUID }
input CreatePostInput { clientMutationId: String post: PostInput! }
input UpdatePostByNodeIdInput { clientMutationId: String nodeId: ID! patch: PostPatch! }
input UpdatePostInput { clientMutationId: String id: UUID! patch: PostPatch! }
input DeletePostByNodeIdInput { clientMutationId: String nodeId: ID! }
input DeletePostInput { clientMutationId: String id: UUID! }
input CreateCommentInput { clientMutationId: String comment: CommentInput! }
input UpdateCommentInput { clientMutationId: String id: Int! patch: CommentPatch! }
input DeleteCommentInput { clientMutationId: String id: Int! }
type CreatePostPayload { clientMutationId: String post: Post query: Query postEdge(orderBy: [PostsOrderBy!]): PostsEdge }
type UpdatePostPayload { clientMutationId: String post: Post query: Query }
type DeletePostPayload { clientMutationId: String post: Post deletedPostNodeId: ID query: Query }
type CreateCommentPayload { clientMutationId: String comment: Comment query: Query post: Post }
type UpdateCommentPayload { clientMutationId: String comment: Comment query: Query post: Post }
type DeleteCommentPayload { clientMutationId: String comment: Comment deletedCommentNodeId: ID query: Query }

type Subscription { listen(topic: String!): ListenPayload! }
type ListenPayload { query: Query relatedNodeId: ID relatedNode: Node }
"""
COLUMNS = {"createdAt": "created_at", "updatedAt": "updated_at", "postId": "post_id"}


def encode(*parts: object) -> str:
    return base64.b64encode(json.dumps(parts).encode()).decode()


def columns(values: dict) -> dict:
    return {COLUMNS.get(name, name): value for name, value in values.items()}


def connection(rows: list[dict], first=None, after=None, offset=None, **_) -> dict:
    if after is not None:
        last = json.loads(base64.b64decode(after))[1]
        rows = [row for row in rows if row["id"] > last]
    rows = rows[offset or 0:]
    page = rows if first is None else rows[:first]
    cursors = [encode("primary_key_asc", row["id"]) for row in page]
    return {"nodes": page, "totalCount": len(rows),
            "edges": [{"cursor": cursor, "node": row} for cursor, row in zip(cursors, page)],
            "pageInfo": {"hasNextPage": len(page) < len(rows), "hasPreviousPage": False,
                         "startCursor": cursors[0] if cursors else None,
                         "endCursor": cursors[-1] if cursors else None}}


def classic(sdl: str) -> str:
    """The same with the names that tables get without the plugin that simplifies them."""
    for kind in ("Post", "Comment"):
        one, many = kind.lower(), kind.lower() + "s"
        sdl = sdl.replace(f"  {many}(first: Int, last: Int, offset: Int, before: Cursor, "
                          f"after: Cursor,\n        orderBy: [{kind}sOrderBy!] = "
                          f"[PRIMARY_KEY_ASC], condition: {kind}Condition): {kind}sConnection\n",
                          f"  all{kind}s(first: Int, last: Int, offset: Int, before: Cursor, "
                          f"after: Cursor, orderBy: [{kind}sOrderBy!] = [PRIMARY_KEY_ASC], "
                          f"condition: {kind}Condition): {kind}sConnection\n")
        for key in ("UUID", "Int"):
            sdl = sdl.replace(f"  {one}(id: {key}!)", f"  {one}ById(id: {key}!)")
        for verb in ("update", "delete"):
            sdl = sdl.replace(f"  {verb}{kind}(", f"  {verb}{kind}ById(")
        sdl = sdl.replace(f"patch: {kind}Patch", f"{one}Patch: {kind}Patch")
    return sdl


def make(store: Store, simplified: bool = True):
    schema = build_schema(SDL if simplified else classic(SDL))
    queries, mutations = schema.query_type.fields, schema.mutation_type.fields
    queries["query"].resolve = lambda root, info: {}
    queries["nodeId"].resolve = lambda root, info: "query"
    for kind in ("Post", "Comment"):
        bind(store, kind, queries, mutations, simplified)
        for name, field in schema.type_map[kind].fields.items():
            field.resolve = lambda row, info, name=name: row.get(COLUMNS.get(name, name))
        schema.type_map[kind].fields["nodeId"].resolve = \
            lambda row, info, kind=kind: encode(kind.lower() + "s", row["id"])
    schema.type_map["Post"].fields["comments"].resolve = lambda post, info, **more: connection(
        [row for row in store.tables["comments"].living() if row.get("post_id") == post["id"]],
        **more)
    schema.type_map["Comment"].fields["post"].resolve = lambda comment, info: \
        store.tables["posts"].get(comment.get("post_id"))

    async def listen(root, info, topic):
        async for _, row in store.changes(topic):
            yield {"listen": {"relatedNodeId": encode(topic, row["id"])}}

    field = schema.subscription_type.fields["listen"]
    field.subscribe = listen
    field.resolve = lambda root, info, topic: root["listen"]
    return schema


def bind(store: Store, kind: str, queries, mutations, simplified: bool) -> None:
    one, many = kind.lower(), kind.lower() + "s"
    table = lambda: store.tables[many]

    def write(act, found=True):
        try:
            row = act()
        except Refused as error:
            raise GraphQLError(error.message) from error
        if row is None:
            raise GraphQLError(found)
        return {one: row}

    def missing(word: str) -> str:
        return f"No values were {word}d in collection '{many}' because no values you can {word} " \
               "were found matching these criteria."

    by, patch = ("", "patch") if simplified else ("ById", f"{one}Patch")
    queries[many if simplified else f"all{kind}s"].resolve = lambda root, info, **more: connection(table().living(), **more)
    queries[one + by].resolve = lambda root, info, id: table().get(id)
    mutations[f"create{kind}"].resolve = lambda root, info, input: write(
        lambda: table().insert(columns(input[one])))
    mutations[f"update{kind}{by}"].resolve = lambda root, info, input: write(
        lambda: table().update(input["id"], columns(input[patch])), missing("update"))
    mutations[f"delete{kind}{by}"].resolve = lambda root, info, input: write(
        lambda: table().delete(input["id"]), missing("delete"))
