"""The sync query: base table, delta table, tombstones and pages."""

from __future__ import annotations

from typing import Any

from .documents import CREATE, DELETE, SYNC, UPDATE
from .harness import JSON, ServerCase

MINUTE = 60_000


class SyncCase(ServerCase):
    async def sync(self, **variables: Any) -> JSON:
        page: JSON = (await self.data(SYNC, variables))["syncPosts"]
        return page

    async def pages(self, **variables: Any) -> list[JSON]:
        found = [await self.sync(**variables)]
        while found[-1]["nextToken"]:
            found.append(await self.sync(**{**variables, "nextToken": found[-1]["nextToken"]}))
        return found

    async def create(self, number: str, **values: Any) -> None:
        await self.data(CREATE, {"input": {"id": number, "title": number, **values}})


class BaseTable(SyncCase):
    async def test_every_record_comes_once_over_the_pages_with_one_started_at(self) -> None:
        await self.control("seed", model="Post", count=250)
        pages = await self.pages(limit=100)
        self.assertEqual([len(each["items"]) for each in pages], [100, 100, 50])
        self.assertEqual(len({item["id"] for each in pages for item in each["items"]}), 250)
        self.assertEqual(len({each["startedAt"] for each in pages}), 1)

    async def test_a_limit_counts_what_is_looked_at_so_pages_can_be_empty(self) -> None:
        await self.control("seed", model="Post", count=50)
        pages = await self.pages(limit=10, filter={"id": {"eq": "post-0000007"}})
        self.assertEqual(len(pages), 5)
        self.assertEqual(sorted(len(each["items"]) for each in pages), [0, 0, 0, 0, 1])

    async def test_the_limit_is_100_unless_given_and_1000_at_most(self) -> None:
        await self.control("seed", model="Post", count=1_200)
        self.assertEqual(len((await self.sync())["items"]), 100)
        self.assertEqual(len((await self.sync(limit=5_000))["items"]), 1_000)

    async def test_a_page_ends_at_a_megabyte(self) -> None:
        for number in range(4):
            await self.create(str(number), content="x" * 360_000)
        self.assertEqual([len(each["items"]) for each in await self.pages(limit=100)], [3, 1])

    async def test_a_token_of_another_query_or_none_at_all_is_refused(self) -> None:
        await self.control("seed", model="Post", count=20)
        token = (await self.sync(limit=10))["nextToken"]
        for query in (f'{{ listPosts(nextToken: "{token}") {{ nextToken }} }}',
                      '{ syncPosts(nextToken: "nonsense") { nextToken } }'):
            self.assertEqual((await self.error(query))["message"],
                             "Invalid pagination token given.")


class DeltaTable(SyncCase):
    async def test_it_gives_each_write_since_then_and_the_tombstones(self) -> None:
        await self.create("a")
        started = (await self.sync())["startedAt"]
        await self.control("clock", advance_ms=5)
        await self.data(UPDATE, {"input": {"id": "a", "title": "b", "_version": 1}})
        await self.create("c")
        await self.data(DELETE, {"input": {"id": "c", "_version": 1}})
        items = (await self.sync(lastSync=started))["items"]
        found = [(each["id"], each["_version"], each["_deleted"]) for each in items]
        self.assertEqual(found, [("a", 2, None), ("c", 1, None), ("c", 2, True)])

    async def test_a_last_sync_older_than_its_time_to_live_scans_the_base_table(self) -> None:
        await self.control("seed", model="Post", count=3)
        started = (await self.sync())["startedAt"]
        await self.control("clock", advance_ms=29 * MINUTE)
        self.assertEqual(len((await self.sync(lastSync=started))["items"]), 0)
        await self.control("clock", advance_ms=2 * MINUTE)
        self.assertEqual(len((await self.sync(lastSync=started))["items"]), 3)

    async def test_its_time_to_live_can_be_changed_and_a_last_sync_disregarded(self) -> None:
        await self.control("seed", model="Post", count=3)
        started = (await self.sync())["startedAt"]
        await self.control("fault", type="base_sync", operation="syncPosts")
        self.assertEqual(len((await self.sync(lastSync=started))["items"]), 3)
        self.assertEqual(len((await self.sync(lastSync=started))["items"]), 0)
        await self.control("settings", delta_ttl_ms=1)
        await self.control("clock", advance_ms=5)
        self.assertEqual(len((await self.sync(lastSync=started))["items"]), 3)

    async def test_a_write_past_appsync_is_not_in_it_and_lacks_a_version(self) -> None:
        started = (await self.sync())["startedAt"]
        await self.control("put", model="Post", record={"id": "x", "title": "t"})
        self.assertEqual((await self.sync(lastSync=started))["items"], [])
        status, body, _ = await self.ask(SYNC, {})
        self.assertEqual((status, body["data"]["syncPosts"]["items"]), (200, [None]))
        self.assertEqual(body["errors"][0]["message"], "Cannot return null for non-nullable type: "
                         "'Int' within parent 'Post' (/syncPosts/items[0]/_version)")


class Tombstones(SyncCase):
    async def test_they_go_after_thirty_days_and_then_the_id_is_free(self) -> None:
        await self.create("a")
        await self.data(DELETE, {"input": {"id": "a", "_version": 1}})
        await self.control("clock", advance_ms=29 * 24 * 60 * MINUTE)
        self.assertEqual(len((await self.sync())["items"]), 1)
        await self.control("clock", advance_ms=2 * 24 * 60 * MINUTE)
        self.assertEqual(len((await self.sync())["items"]), 0)
        await self.create("a")

    async def test_a_reset_table_and_a_hard_delete_leave_none(self) -> None:
        await self.create("a")
        await self.create("b")
        await self.control("remove", model="Post", key=["a"])
        self.assertEqual([each["id"] for each in (await self.sync())["items"]], ["b"])
        await self.control("reset")
        self.assertEqual((await self.sync())["items"], [])


class Queries(SyncCase):
    async def test_an_index_orders_by_its_sort_key_and_pages(self) -> None:
        await self.data('mutation { createBlog(input: {id: "b", name: "B"}) { id } }')
        for title in ("bb", "aa", "cc", "ab"):
            await self.create(title, blogID="b")
        query = """query Q($title: ModelStringKeyConditionInput, $way: ModelSortDirection,
                           $next: String) {
          postsByBlog(blogID: "b", title: $title, sortDirection: $way, limit: 3, nextToken: $next) {
            items { title } nextToken } }"""

        async def titles(**variables: Any) -> tuple[list[str], str | None]:
            page = (await self.data(query, variables))["postsByBlog"]
            return [each["title"] for each in page["items"]], page["nextToken"]

        first, token = await titles()
        self.assertEqual((first, (await titles(next=token))), (["aa", "ab", "bb"], (["cc"], None)))
        self.assertEqual(await titles(title={"beginsWith": "a"}, way="DESC"), (["ab", "aa"], None))
        nested = await self.data('{ getBlog(id: "b") { posts(limit: 2) { items { title } } } }')
        self.assertEqual(nested["getBlog"]["posts"]["items"], [{"title": "aa"}, {"title": "ab"}])

    async def test_a_composite_key_lists_a_partition_and_a_range_of_it(self) -> None:
        for day, line in (("2024-01-02", 1), ("2024-01-02", 2), ("2024-02-01", 1)):
            await self.data(f"""mutation {{ createOrderLine(input: {{customerID: "c", line: {line},
                orderDate: "{day}", product: "p", quantity: 1}}) {{ line }} }}""")
        query = """query Q($range: ModelOrderLinePrimaryCompositeKeyConditionInput) {
          listOrderLines(customerID: "c", orderDateLine: $range) { items { orderDate line } } }"""
        whole = await self.data(query)
        self.assertEqual([(each["orderDate"], each["line"])
                          for each in whole["listOrderLines"]["items"]],
                         [("2024-01-02", 1), ("2024-01-02", 2), ("2024-02-01", 1)])
        part = await self.data(query, {"range": {"between": [
            {"orderDate": "2024-01-01"}, {"orderDate": "2024-01-31"}]}})
        self.assertEqual(len(part["listOrderLines"]["items"]), 2)

    async def test_many_to_many_goes_over_the_join_model(self) -> None:
        await self.create("p")
        await self.data('mutation { createTag(input: {id: "t", label: "L"}) { id } }')
        await self.data('mutation { createPostTags(input: {postId: "p", tagId: "t"}) { id } }')
        found = await self.data('{ getPost(id: "p") { tags { items { tag { label } } } } }')
        self.assertEqual(found["getPost"]["tags"]["items"], [{"tag": {"label": "L"}}])
