import JSON
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.serialized, .timeLimit(.minutes(15))) struct `An API that detects conflicts` {
    @Test func `gives pages, then what changed, tombstones among it`() throws {
        let api = try AppSync()
        try api.server.control(["command": "seed", "model": "Post", "count": 25])
        let all = try api.pull(limit: 10)
        #expect(all.ids.count == 25)
        #expect(all.pages == 3)
        #expect(api.welcome.capabilities.pull.hasDelta)
        let first = try #require(all.items.first)
        let id = try #require(first["id"]?.text)
        #expect(first["version"] == 1)
        #expect(first["record"]?["_version"] == nil)
        let quiet = try api.pull(from: all.cursor)
        try api.push(.update(id, ["title": "changed"], on: 1))
        let other = all.ids.first { $0 != id } ?? ""
        try api.push(.delete(other, on: 1))
        let delta = try api.pull(from: quiet.cursor)
        #expect(delta.records[id]?["title"] == "changed")
        #expect(delta.records[other] == .null)
        #expect(delta.isComplete)
    }

    @Test func `gives of a delta only what each record is now, however often it was written`()
        throws
    {
        let api = try AppSync()
        try api.server.control(["command": "seed", "model": "Post", "count": 3])
        let all = try api.pull()
        let ids = all.ids.sorted()
        for version: Int64 in 1...3 {
            try api.push(.update(ids[0], ["title": .string("\(version)")], on: .int(version)))
        }
        try api.push(.update(ids[1], ["title": "last"], on: 1))
        try api.push(.delete(ids[1], on: 2))
        let delta = try api.pull(from: all.cursor)
        #expect(delta.items.filter { $0["id"]?.text == ids[0] }.map { $0["version"] } == [4])
        #expect(delta.records[ids[0]]?["title"] == "3")
        #expect(delta.items.filter { $0["id"]?.text == ids[1] }.count == 1)
        #expect(delta.records[ids[1]] == .null)
    }

    @Test func `gives nothing of a delta that breaks off, for it may be older than what is known`()
        throws
    {
        let api = try AppSync(AppSyncServer(), JSONObject([("page", 1)]))
        try api.server.control(["command": "seed", "model": "Post", "count": 1])
        let all = try api.pull()
        let id = try #require(all.ids.first)
        for version: Int64 in 1...3 {
            try api.push(.update(id, ["title": .string("\(version)")], on: .int(version)))
        }
        try api.server.fault(
            "status", ["operation": "syncPosts", "skip": 1, "count": 1, "status": 500])
        let page = PluginPage()
        let query = PluginQuery(model: "Post", cursor: all.cursor, limit: 100)
        #expect(
            failure { _ = try api.backend.pull(query, onto: page, api.call) }?.kind == .retryable)
        #expect(page.count == 0)
        #expect(try api.pull(from: all.cursor).records[id]?["title"] == "3")
    }

    @Test func `goes on after pages without a record, and does not ask twice for one`() throws {
        let api = try AppSync()
        try api.server.control(["command": "seed", "model": "Post", "count": 30])
        try api.server.fault("empty_page", ["operation": "syncPosts", "count": 3])
        let all = try api.pull(limit: 10)
        #expect(all.ids.count == 30)
        #expect(try api.server.journal("syncPosts").count == 6)
    }

    @Test func `comes to a record behind however many pages without one`() throws {
        let api = try AppSync()
        try api.server.control(["command": "seed", "model": "Post", "count": 30])
        try api.server.fault("empty_page", ["operation": "syncPosts", "count": 1_100])
        let page = PluginPage()
        let first = try api.backend.pull(
            PluginQuery(model: "Post", limit: 10), onto: page, api.call)
        #expect(page.count == 0)
        #expect(first.more)
        #expect(first.isComplete)
        // What was gone through once need not be again, nor in another process.
        let other = try AppSync(api.server)
        let before = try api.server.journal("syncPosts").count
        let all = try other.pull(from: first.cursor, limit: 10)
        #expect(all.ids.count == 30)
        let later = try api.server.journal("syncPosts").dropFirst(before)
        #expect(later.allSatisfy { $0["variables"]?["nextToken"]?.text != nil })
    }

    @Test func `tells of a record made anew that the server's merge passed over`() throws {
        let api = try AppSync()
        let base = try api.make("p1", ["rating": 1])
        try api.push(.update("p1", ["title": "theirs"], on: base))
        var anew = PluginOperation.create("p1", title: "new")
        anew.kind = .replace
        anew.baseVersion = base
        let verdict = try api.push(anew)[0]
        #expect(verdict?.word == "conflict")
        #expect(verdict?.record?["title"] == "theirs")
        anew.baseVersion = verdict?.version
        let again = try api.push(anew)[0]
        #expect(again?.word == "ok")
        #expect(again?.record?["title"] == "new")
    }

    /// Pages of five, as the API gives them; a page of the host's holds twelve records.
    static let gathering: [(time: Int64, pages: Int)] = [(600_000, 3), (0, 5)]

    @Test(arguments: gathering)
    func `gives several pages as one where they come fast, and never more than was asked for`(
        _ row: (time: Int64, pages: Int)
    ) throws {
        let api = try AppSync(
            AppSyncServer(), JSONObject([("page", 5)]), gathering: row.time)
        try api.server.control(["command": "seed", "model": "Post", "count": 23])
        let all = try api.pull(limit: 12)
        #expect(all.ids.count == 23)
        #expect(all.items.count == 23)
        #expect(all.pages == row.pages)
        #expect(try api.server.journal("syncPosts").count == 5)
        #expect(try api.pull(from: all.cursor, limit: 12).isComplete)
    }

    @Test func `keeps the pages before one that fails, and goes on from there`() throws {
        let api = try AppSync(AppSyncServer(), JSONObject([("page", 5)]))
        try api.server.control(["command": "seed", "model": "Post", "count": 23])
        try api.server.fault(
            "status", ["operation": "syncPosts", "skip": 2, "count": 2, "status": 500])
        let page = PluginPage()
        let query = PluginQuery(model: "Post", limit: 100)
        let end = try api.backend.pull(query, onto: page, api.call)
        #expect(page.count == 10)
        #expect(end.more)
        #expect(failure { _ = try api.pull(from: end.cursor) }?.kind == .retryable)
        let rest = try api.pull(from: end.cursor)
        #expect(rest.ids.count == 13)
        #expect(rest.cursor?["since"] != nil)
    }

    @Test func `misses nothing that is written while pages come`() throws {
        let api = try AppSync()
        try api.server.control(["command": "seed", "model": "Post", "count": 4])
        let page = PluginPage()
        let query = PluginQuery(model: "Post", limit: 2)
        let end = try api.backend.pull(query, onto: page, api.call)
        try api.make("late")
        let rest = try api.pull(from: end.cursor, limit: 2)
        let next = try api.pull(from: rest.cursor)
        #expect(next.ids.contains("late"))
    }

    @Test func `takes a cursor that is too old for expired, and one that is not as it is`() throws {
        let api = try AppSync()
        try api.make("p1")
        let cursor = try #require(try api.pull().cursor)
        try api.server.control(["command": "settings", "delta_ttl_ms": 1])
        #expect(try api.pull(from: cursor).ids == ["p1"])
        var old = try #require(cursor.members)
        let since = try #require(old["since"]?.integer)
        old["since"] = .int(since - 31 * 86_400_000)
        #expect(failure { _ = try api.pull(from: .object(old)) }?.kind == .cursorExpired)
        old = try #require(cursor.members)
        old["base"] = .int(since - 25 * 3_600_000)
        #expect(failure { _ = try api.pull(from: .object(old)) }?.kind == .cursorExpired)
        let patient = try AppSync(api.server, JSONObject([("full_after_hours", 0)]))
        #expect(try patient.pull(from: .object(old)).ids == ["p1"])
    }

    @Test func `sends only what changed, and selects everything`() throws {
        let api = try AppSync()
        let base = try api.make("p1", ["content": "text", "rating": 3])
        let verdicts = try api.push(.update("p1", ["rating": nil], on: base))
        #expect(words(verdicts) == ["ok"])
        #expect(verdicts[0]?.version == 2)
        #expect(verdicts[0]?.record?["content"] == "text")
        let entry = try #require(try api.server.journal("updatePost").first)
        #expect(entry["variables"]?["input"] == ["id": "p1", "rating": nil, "_version": 1])
        let made = try #require(try api.server.journal("createPost").first)
        #expect(made["variables"]?["input"]?["_version"] == nil)
        #expect(made["variables"]?["input"]?["createdAt"] == nil)
        for field in AppSync.schema.model("Post")?.fields ?? [] {
            #expect(verdicts[0]?.record?[field.name] != nil, "\(field.name)")
        }
    }

    @Test func `answers each write with what became of it`() throws {
        let api = try AppSync("--strategy", "OPTIMISTIC_CONCURRENCY")
        let base = try api.make("p1")
        #expect(try api.push(.update("p1", ["title": "two"], on: base))[0]?.version == 2)
        let stale = try api.push(.update("p1", ["title": "three"], on: base))[0]
        #expect(stale?.word == "conflict")
        #expect(stale?.version == 2)
        #expect(stale?.record?["title"] == "two")
        #expect(words(try api.push(.delete("p1", on: base))) == ["conflict"])
        #expect(words(try api.push(.delete("p1", on: 2))) == ["ok"])
        #expect(words(try api.push(.delete("p1", on: 2))) == ["ok"])
        #expect(words(try api.push(.update("p1", ["title": "x"], on: 2))) == ["gone"])
        #expect(words(try api.push(.update("never", ["title": "x"], on: nil))) == ["unseen"])
        try api.make("p2")
        let second = try api.push(.create("p2", title: "mine"))[0]
        #expect(second?.word == "conflict")
        #expect(second?.record?["title"] == "one")
        try api.server.control(["command": "settings", "conflict_data": false])
        #expect(words(try api.push(.update("p2", ["title": "x"], on: 7))) == ["unseen"])
    }

    @Test func `brings a deleted record back when it is made anew on its tombstone`() throws {
        let api = try AppSync()
        let base = try api.make("p1", ["content": "old"])
        let gone = try api.push(.delete("p1", on: base))[0]?.version
        var again = PluginOperation.create("p1", title: "again")
        again.kind = .replace
        again.baseVersion = gone
        let verdict = try api.push(again)[0]
        #expect(verdict?.word == "ok")
        #expect(verdict?.record?["title"] == "again")
        #expect(verdict?.record?["content"] == .null)
    }

    @Test func `makes a record anew whose id was deleted once, as the server lets it`() throws {
        let api = try AppSync()
        let base = try api.make("p1", ["content": "old"])
        try api.push(.delete("p1", on: base))
        let verdict = try api.push(.create("p1", title: "again"))[0]
        #expect(verdict?.word == "ok")
        #expect(verdict?.version == 3)
        #expect(verdict?.record?["title"] == "again")
        #expect(verdict?.record?["content"] == .null)
        #expect(try api.pull().records["p1"]?["title"] == "again")
        // More than one in a push, and another's in between.
        for id in ["a", "b", "c"] { try api.push(.delete(id, on: try api.make(id))) }
        #expect(
            words(try api.push(.create("a"), .create("d"), .create("b"), .create("c")))
                == ["ok", "ok", "ok", "ok"])
    }

    @Test func `refuses what is made on a tombstone that the server keeps, and says what to do`()
        throws
    {
        let api = try AppSync()
        try api.push(.delete("p1", on: try api.make("p1")))
        try api.server.fault("conflict", ["operation": "updatePost"])
        let verdict = try api.push(.create("p1"))[0]
        #expect(verdict?.word == "rejected deleted", "\(String(describing: verdict))")
        guard case .rejected(let message, _, _)? = verdict else { return }
        #expect(message.contains("p1") && message.contains("another id"))
    }

    @Test func `has done what it cannot answer for a parent that is missing`() throws {
        let api = try AppSync()
        try api.make("p1")
        try api.push(.create("t1", model: "Tag", title: nil, ["label": "x"]))
        let verdicts = try api.push(
            .create("j1", model: "PostTags", title: nil, ["postID": "nosuch", "tagID": "t1"]),
            .create("j2", model: "PostTags", title: nil, ["postID": "p1", "tagID": "t1"]))
        #expect(words(verdicts) == ["ok", "ok"], "\(verdicts)")
        #expect(verdicts[0]?.record?["postID"] == "nosuch")
        #expect(try api.server.effects("PostTags", "j1").count == 1)
        let change = PluginOperation.delete("j1", on: 1, model: "PostTags")
        #expect(words(try api.push(change)) == ["ok"])
    }

    @Test func `tells of an edit that the server's merge passed over`() throws {
        let api = try AppSync()
        let base = try api.make("p1", ["rating": 1])
        try api.push(.update("p1", ["title": "theirs"], on: base))
        let other = try api.push(.update("p1", ["rating": 5], on: base))[0]
        #expect(other?.word == "conflict")
        #expect(other?.record?["rating"] == 1)
        #expect(other?.version == 3)
    }

    @Test func `takes a merged list as the server has it`() throws {
        let api = try AppSync()
        let base = try api.make("p1", ["labels": ["a"]])
        try api.push(.update("p1", ["title": "theirs"], on: base))
        let merged = try api.push(.update("p1", ["labels": ["b"]], on: base))[0]
        #expect(merged?.word == "ok")
        #expect(merged?.record?["labels"]?.elements?.contains("b") == true)
    }

    @Test func `keeps what the schema does not know of an enum, and nested values`() throws {
        let api = try AppSync()
        let place: JSONValue = [
            "city": "Bern", "country": "CH", "zip": nil,
            "position": ["latitude": .double(46.9), "longitude": .double(7.4)],
        ]
        try api.make("p1", ["place": place, "places": [place], "moods": ["CALM"]])
        var schema = AppSync.schema
        for index in schema.enums.indices { schema.enums[index].values = ["OTHER"] }
        let narrow = try AppSync(api.server, schema: schema)
        let record = try #require(try narrow.pull().records["p1"])
        #expect(record["place"] == place)
        #expect(record["places"] == [place])
        #expect(record["moods"] == ["CALM"])
        #expect(record["status"] == "DRAFT")
    }

    @Test func `reaches records by keys of several fields`() throws {
        let api = try AppSync()
        let id = "[\"c#1|\",\"2026-01-02\",7]"
        let line = PluginOperation(
            key: "k", model: "OrderLine", id: RecordID(id), kind: .create,
            set: JSONObject([
                ("customerID", "c#1|"), ("orderDate", "2026-01-02"), ("line", 7),
                ("product", "tea"), ("quantity", 1),
            ]))
        #expect(words(try api.push(line)) == ["ok"])
        #expect(try api.pull("OrderLine").ids == [id])
        let change = PluginOperation.update(id, ["quantity": 2], on: 1, model: "OrderLine")
        #expect(words(try api.push(change)) == ["ok"])
        let found = try api.fetch("OrderLine", id, "[\"none\",\"2026-01-02\",7]", "no key")
        #expect(found.first { $0["id"] == .string(id) }?["record"]?["quantity"] == 2)
        #expect(found.filter { $0["deleted"] == true }.count == 2)
        #expect(words(try api.push(.delete(id, on: 2, model: "OrderLine"))) == ["ok"])
    }

    @Test func `knows the keys of a join model by either of their spellings`() throws {
        let api = try AppSync("--key-attributes", "on")
        try api.make("p1")
        #expect(
            words(try api.push(.create("t1", model: "Tag", title: nil, ["label": "x"]))) == ["ok"])
        let join = PluginOperation.create(
            "j1", model: "PostTags", title: nil, ["postID": "p1", "tagID": "t1"])
        let verdict = try api.push(join)[0]
        #expect(verdict?.record?["postID"] == "p1")
        #expect(try api.pull("PostTags").records["j1"]?["tagID"] == "t1")
        let input = try api.server.journal("createPostTags")[0]["variables"]?["input"]
        #expect(input?["postId"] == "p1")
        #expect(words(try api.push(.delete("j1", on: 1, model: "PostTags"))) == ["ok"])
    }

    @Test func `fetches many records in few requests, and knows the gone from the hidden`() throws {
        let api = try AppSync()
        try api.server.control(["command": "seed", "model": "Post", "count": 60])
        let ids = try api.pull().ids
        let page = PluginPage()
        try api.backend.fetch(
            model: "Post", ids: (ids + ["none"]).map { RecordID($0) }, onto: page, api.call)
        #expect(page.count == 61)
        #expect(try api.server.journal("getPost").count == 3)
        try api.server.fault("denied", ["operation": "getPost"])
        #expect(failure { _ = try api.fetch("Post", ids[0]) }?.kind == .permanent)
    }

    @Test func `asks for a filter only where it judges as Satchel does`() throws {
        // Otherwise what was written a moment ago is asked for, if it does not come.
        let api = try AppSync(AppSyncServer(), JSONObject([("overlap_ms", 0)]))
        try api.make("p1", ["rating": 1])
        try api.make("p2", ["rating": 5])
        let filter: JSONValue = [
            "and": [
                ["field": "rating", "op": "ge", "value": 3],
                ["field": "publishedAt", "op": "ge", "value": "2020-01-01T00:00:00Z"],
            ]
        ]
        let some = try api.pull(filter: filter)
        #expect(some.ids == ["p2"])
        let entry = try #require(try api.server.journal("syncPosts").last)
        #expect(entry["variables"]?["filter"] == ["rating": ["ge": 3]])
        // What does not match any more has to be told.
        try api.push(.update("p2", ["rating": 0], on: 1))
        let delta = try api.pull(from: some.cursor, filter: filter)
        #expect(delta.records["p2"]?["rating"] == 0)
    }
}
