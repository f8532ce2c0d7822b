"""The generated API: what Amplify makes of a schema."""

from __future__ import annotations

import json
import unittest

from graphql import build_client_schema, get_introspection_query, print_type

from appsync.amplify import SchemaError, read_schema
from appsync.names import index_query, plural
from appsync.sdl import Flavour, generate

from .harness import FIXTURES, ServerCase


class Names(unittest.TestCase):
    def test_plurals_are_those_of_amplify(self) -> None:
        table = {"Post": "Posts", "Category": "Categories", "Boy": "Boys", "Class": "Classes",
                 "Box": "Boxes", "Status": "Statuses", "PostTags": "PostTags",
                 "Person": "People", "Series": "Series"}
        self.assertEqual({name: plural(name) for name in table}, table)

    def test_an_index_without_a_query_field_names_its_keys(self) -> None:
        self.assertEqual(index_query("Customers", ("accountRepresentativeID",)),
                         "customersByAccountRepresentativeID")
        self.assertEqual(index_query("Posts", ("blogID", "title")), "postsByBlogIDAndTitle")


class Relations(unittest.TestCase):
    def fields(self, text: str, model: str) -> list[str]:
        return list(read_schema(text).models[model].fields)

    def keys(self, text: str, model: str, field: str) -> tuple[str, ...]:
        relation = read_schema(text).models[model].fields[field].relation
        assert relation
        return relation.keys

    def test_a_has_many_puts_its_key_on_the_child(self) -> None:
        text = "type Blog @model { posts: [Post] @hasMany } type Post @model { title: String }"
        self.assertIn("blogPostsId", self.fields(text, "Post"))

    def test_a_belongs_to_shares_the_key_of_its_has_many(self) -> None:
        text = """type Blog @model { posts: [Post] @hasMany }
                  type Post @model { blog: Blog @belongsTo }"""
        self.assertEqual(self.keys(text, "Post", "blog"), ("blogPostsId",))

    def test_a_has_one_holds_the_key_itself(self) -> None:
        text = "type Project @model { team: Team @hasOne } type Team @model { name: String }"
        self.assertIn("projectTeamId", self.fields(text, "Project"))

    def test_references_name_the_key_of_the_child_as_in_gen_2(self) -> None:
        text = """type Team @model { members: [Member] @hasMany(references: ["teamId"]) }
                  type Member @model { teamId: ID team: Team @belongsTo(references: ["teamId"]) }"""
        self.assertEqual(self.fields(text, "Member")[:3], ["id", "teamId", "team"])
        self.assertEqual(self.keys(text, "Team", "members"), ("teamId",))

    def test_a_join_model_has_two_keys_and_two_indexes(self) -> None:
        text = (FIXTURES / "schema.graphql").read_text()
        join = read_schema(text).models["PostTags"]
        self.assertEqual(list(join.fields)[:5], ["id", "postId", "tagId", "post", "tag"])
        self.assertEqual([each.name for each in join.indexes], ["byPost", "byTag"])
        old = read_schema(text, key_attributes=False).models["PostTags"]
        self.assertEqual(list(old.fields)[:3], ["id", "postID", "tagID"])

    def test_one_name_may_stand_for_a_list_of_one(self) -> None:
        text = """
          type Blog @model @auth(rules: [{ allow: groups, groups: "Admins", operations: read }]) {
            id: ID! @primaryKey(sortKeyFields: "name")
            name: String!
            posts: [Post] @hasMany(indexName: "byBlog", fields: "id")
          }
          type Post @model { blogID: ID! @index(name: "byBlog", sortKeyFields: "title")
                             title: String! }
          type Query { custom: String }"""
        blog, post = read_schema(text).models.values()
        self.assertEqual((blog.key, blog.rules[0].groups, "list" in blog.rules[0].operations),
                         (("id", "name"), ("Admins",), True))
        self.assertEqual(post.indexes[0].fields, ("blogID", "title"))
        self.assertEqual(self.keys(text, "Blog", "posts"), ("blogID",))

    def test_a_directive_of_the_first_transformer_is_refused(self) -> None:
        with self.assertRaisesRegex(SchemaError, "Post has @key"):
            read_schema('type Post @model @key(fields: ["a"]) { a: ID! }')

    def test_operations_can_be_switched_off(self) -> None:
        text = "type Log @model(subscriptions: null, mutations: {create: \"addLog\"}) { id: ID! }"
        made = generate(read_schema(text), Flavour())
        self.assertNotIn("type Subscription", made)
        self.assertIn("addLog(", made)
        self.assertNotIn("updateLog(", made)


class Introspection(ServerCase):
    async def printed(self, *names: str) -> str:
        schema = build_client_schema(await self.data(get_introspection_query()))
        return "\n".join(print_type(schema.type_map[name]) for name in names)

    async def test_it_shows_the_schema_that_amplify_generates(self) -> None:
        self.assertEqual(await self.printed("Tag", "ModelTagConnection", "CreateTagInput",
                                            "UpdateTagInput", "DeleteTagInput"), TAG)

    async def test_a_composite_key_is_in_every_argument(self) -> None:
        text = await self.printed("Query", "DeleteOrderLineInput", "UpdateOrderLineInput",
                                  "CreateOrderLineInput")
        self.assertIn("getOrderLine(customerID: ID!, orderDate: AWSDate!, line: Int!): OrderLine",
                      text)
        self.assertIn("listOrderLines(customerID: ID, orderDateLine: "
                      "ModelOrderLinePrimaryCompositeKeyConditionInput, ", text)
        self.assertIn("input UpdateOrderLineInput {\n  customerID: ID!\n  orderDate: AWSDate!\n"
                      "  line: Int!\n  product: String\n", text)

    async def test_the_fixtures_are_those_the_server_prints(self) -> None:
        made = await self.control("outputs", url="https://example.com/graphql")
        kept = json.loads((FIXTURES / "amplify_outputs.json").read_text())
        self.assertEqual(made, kept)
        note = kept["data"]["model_introspection"]["models"]["OrderLine"]
        self.assertEqual(note["primaryKeyInfo"], {
            "isCustomPrimaryKey": True, "primaryKeyFieldName": "customerID",
            "sortKeyFieldNames": ["orderDate", "line"]})


class PlainIntrospection(ServerCase):
    arguments = ("--conflict-detection", "off", "--subscription-filters", "off")

    async def test_without_conflict_detection_there_is_no_sync_and_no_version(self) -> None:
        sdl = (await self.control("schema"))["sdl"]
        for word in ("_version", "syncPosts", "startedAt", "lastSync"):
            self.assertNotIn(word, sdl)
        self.assertIn("onCreatePost: Post", sdl)


TAG = """\
type Tag {
  id: ID!
  label: String!
  posts(filter: ModelPostTagsFilterInput, sortDirection: ModelSortDirection, limit: Int, \
nextToken: String): ModelPostTagsConnection
  createdAt: AWSDateTime!
  updatedAt: AWSDateTime!
  _version: Int!
  _deleted: Boolean
  _lastChangedAt: AWSTimestamp!
}
type ModelTagConnection {
  items: [Tag]!
  nextToken: String
  startedAt: AWSTimestamp
}
input CreateTagInput {
  id: ID
  label: String!
  _version: Int
}
input UpdateTagInput {
  id: ID!
  label: String
  _version: Int
}
input DeleteTagInput {
  id: ID!
  _version: Int
}"""
