import JSON
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

private let shapes = ["strawberry", "hasura", "postgraphile", "classic"]
private let first = "0190c2aa-0000-7000-8000-000000000001"
private let second = "0190c2aa-0000-7000-8000-000000000002"

@Suite(.serialized, .timeLimit(.minutes(15))) struct `An API that a mapping tells of` {
    @Test(arguments: shapes) func `makes, changes, shows and deletes records`(
        _ shape: String
    ) throws {
        let api = try MappedAPI(shape)
        let made = try api.make(first, ["rating": 3])
        #expect(made.id == first)
        let shown = try api.fetch("Post", first).first
        #expect(shown?["record"]?["title"] == "one")
        #expect(shown?["record"]?["rating"] == 3)
        #expect(shown?["version"] == made.version)
        let changed = try api.push(.update(first, ["title": "two"], on: made.version))
        #expect(words(changed) == ["ok"])
        #expect(changed[0]?.record?["rating"] == 3)
        #expect(try api.fetch("Post", first).first?["version"] == changed[0]?.version)
        let version = try #require(changed[0]?.version)
        #expect(words(try api.push(.update(first, ["rating": .null], on: version))) == ["ok"])
        let now = try #require(try api.fetch("Post", first).first)
        #expect(now["record"]?["rating"] == .null)
        #expect(words(try api.push(.delete(first, on: now["version"]))) == ["ok"])
        #expect(try api.fetch("Post", first).first?["deleted"] == true)
        #expect(try api.server.effects("posts", first).count == 4)
    }

    @Test(arguments: shapes) func `finds that somebody else was first`(_ shape: String) throws {
        let api = try MappedAPI(shape)
        let made = try api.make(first)
        let theirs = try api.push(.update(first, ["title": "theirs"], on: made.version))
        let ours = try api.push(.update(first, ["title": "ours"], on: made.version))
        #expect(words(theirs) == ["ok"])
        #expect(["conflict", "unseen"].contains(words(ours)[0]), "\(words(ours))")
        let deleted = try api.push(.delete(first, on: made.version))
        #expect(["conflict", "unseen"].contains(words(deleted)[0]), "\(words(deleted))")
        #expect(try api.fetch("Post", first).first?["record"]?["title"] == "theirs")
        #expect(try api.server.effects("posts", first).count == 2)
        let again = try api.push(.create(first, title: "again"))
        #expect(["conflict", "unseen"].contains(words(again)[0]), "\(words(again))")
    }

    @Test(arguments: shapes) func `takes what is gone already for deleted`(_ shape: String) throws {
        let api = try MappedAPI(shape)
        let made = try api.make(first)
        try api.push(.delete(first, on: made.version))
        let again = try api.push(.delete(first, on: made.version))
        #expect(["ok", "unseen", "gone"].contains(words(again)[0]), "\(words(again))")
        let late = try api.push(.update(first, ["title": "late"], on: made.version))
        #expect(["gone", "unseen"].contains(words(late)[0]), "\(words(late))")
    }

    @Test(arguments: shapes) func `says why it refuses, and for which field`(
        _ shape: String
    ) throws {
        let api = try MappedAPI(shape)
        let long = JSONValue.string(String(repeating: "x", count: 81))
        let made = try api.make(first)
        let refused = try api.push(
            .update(first, ["title": long], on: made.version),
            .create(second, title: "forbidden"))
        guard case .rejected(let message, _, _)? = refused[0] else {
            Issue.record("\(words(refused))")
            return
        }
        #expect(message.contains("title_length"))
        #expect(words(refused)[1].hasPrefix("rejected"))
        if shape == "strawberry" || shape == "hasura" {
            #expect(words(refused)[1].contains("permission"))
        }
        let nothing = try api.push(.update(first, ["title": .null], on: made.version))
        #expect(words(nothing) == ["rejected required title"])
        #expect(try api.fetch("Post", first).first?["record"]?["title"] == "one")
    }

    @Test(arguments: shapes) func `gives all pages of records, once each`(_ shape: String) throws {
        let api = try MappedAPI(shape)
        for number in 10..<35 {
            try api.make("0190c2aa-0000-7000-8000-0000000000\(number)")
            try api.make("c\(number)", model: "Comment", ["content": "hi"])
        }
        for model in ["Post", "Comment"] {
            let all = try api.pull(model, limit: 10)
            #expect(all.ids.count == 25)
            #expect(all.items.count == 25)
            #expect(all.isComplete)
        }
    }

    @Test func `looks for more after a page that is shorter than asked for`() throws {
        let api = try MappedAPI("hasura")
        for number in 10..<35 {
            try api.make("0190c2aa-0000-7000-8000-0000000000\(number)")
        }
        try api.server.control(["command": "cap", "rows": 10])
        #expect(try api.pull(limit: 1_000).ids.count == 25)
    }

    @Test(arguments: shapes) func `does not know what became of a write without an answer`(
        _ shape: String
    ) throws {
        let api = try MappedAPI(shape)
        let made = try api.make(first)
        try api.server.fault("cut_after", "mutation")
        let lost = failure {
            try api.push(.update(first, ["title": "two"], on: made.version))
        }
        #expect(lost?.kind == .retryable)
        #expect(try api.fetch("Post", first).first?["record"]?["title"] == "two")
        try api.server.fault("status", "mutation", code: 429)
        let version = try #require(try api.fetch("Post", first).first?["version"])
        #expect(
            failure { try api.push(.update(first, ["title": "three"], on: version)) }?.name
                == "rate_limited")
    }

    @Test(arguments: shapes) func `says what it can do, and no more`(_ shape: String) throws {
        let able = try MappedAPI(shape).welcome.capabilities
        // Comments have nothing to make a condition of.
        #expect(able.push?.idempotency == PluginCapabilities.Push.Idempotency.none)
        var posts = try MappedAPI.schema(shape)
        posts.models.removeAll { $0.name == "Comment" }
        for index in posts.models.indices { posts.models[index].relations = [] }
        let alone = try MappedAPI(shape, schema: posts).welcome.capabilities
        let isSafe = shape == "strawberry" || shape == "hasura"
        typealias Idempotency = PluginCapabilities.Push.Idempotency
        #expect(alone.push?.idempotency == (isSafe ? Idempotency.conditional : Idempotency.none))
        #expect(able.pull.hasDelta == (shape == "strawberry"))
        #expect(able.pull.hasTombstones == (shape == "strawberry"))
        #expect(able.sendsEvents == (shape == "strawberry" || shape == "hasura"))
        #expect(able.push?.assignsIDs == (shape != "strawberry"))
    }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `An API with tables behind it` {
    @Test(arguments: ["hasura", "postgraphile"]) func `gives the ids of numbered rows`(
        _ shape: String
    ) throws {
        let api = try MappedAPI(shape)
        let post = try api.make(first)
        let made = try api.make(
            "ours", model: "Comment", ["content": "a", "postId": .string(post.id)])
        #expect(made.id == "1")
        let record = try #require(try api.fetch("Comment", "1").first?["record"])
        #expect(record["id"] == "1")
        #expect(record["postId"] == .string(first))
        let changed = try api.push(
            .update("1", ["content": "b"], on: made.version, model: "Comment"))
        #expect(words(changed) == ["ok"])
    }

    @Test(arguments: ["hasura", "postgraphile"]) func `keeps JSON as the text that it is here`(
        _ shape: String
    ) throws {
        let api = try MappedAPI(shape)
        try api.make(first, ["extra": "{\"a\":[1,\"x\"]}"])
        let record = try #require(try api.fetch("Post", first).first?["record"])
        #expect(record["extra"] == "{\"a\":[1,\"x\"]}")
    }

    @Test func `refuses credentials that it does not know`() throws {
        let server = try GenericServer("hasura")
        try server.control(["command": "token", "token": "right"])
        let secrets: JSONValue = ["credential": "right"]
        let api = try MappedAPI(
            "hasura", ["auth": "header"], secrets: secrets, server: server)
        try api.make(first)
        let wrong = failure {
            _ = try MappedAPI(
                "hasura", ["auth": "header"], secrets: ["credential": "wrong"], server: server)
        }
        #expect(wrong?.kind == .auth)
        try server.control(["command": "token", "token": "other"])
        #expect(failure { _ = try api.pull() }?.kind == .auth)
    }

    @Test(arguments: ["hasura", "postgraphile"]) func `tells its schema`(_ shape: String) throws {
        let api = try MappedAPI(shape, schema: Schema())
        guard case .models(let description) = try api.backend.schema(api.call) else {
            Issue.record("no models")
            return
        }
        let schema = try Schema(protocolJSON: .object(description))
        let names = shape == "hasura" ? ["posts", "comments", "seats"] : ["Post", "Comment"]
        #expect(Set(schema.models.map(\.name)) == Set(names))
        let post = try #require(schema.model(names[0]))
        let comment = try #require(schema.model(names[1]))
        #expect(post.key == ["id"])
        #expect(post.field("id")?.type == .scalar(.id))
        #expect(post.field("extra")?.type == .scalar(.json))
        let stamp = shape == "hasura" ? "updated_at" : "updatedAt"
        #expect(post.field(stamp)?.isReadOnly == true)
        #expect(post.field(stamp)?.type == .scalar(.dateTime))
        #expect(comment.field("id")?.type == .scalar(.id))
        #expect(comment.relation("post")?.fields == [shape == "hasura" ? "post_id" : "postId"])
        #expect(post.relation("comments")?.kind == .hasMany)
        #expect(post.relations.count == 1)
        let pulled = try MappedAPI(shape, schema: schema, server: api.server)
        try pulled.push(
            .create(first, model: names[0], title: "one"))
        #expect(try pulled.pull(names[0]).ids == [first])
    }

    @Test(arguments: ["hasura", "postgraphile"]) func `is recognized by who asks for Amplify's`(
        _ shape: String
    ) throws {
        let server = try GenericServer(shape)
        let api = try MappedAPI(
            shape, ["mapping": .null], schema: Schema(), secrets: ["api_key": "any"],
            server: server)
        let error = failure { _ = try api.backend.schema(api.call) }
        #expect(error?.hint?.contains("mapping \(shape)") == true, "\(String(describing: error))")
    }

    @Test func `only marks what is deleted, where a field tells that`() throws {
        let api = try MappedAPI(
            "hasura",
            [
                "mapping": [
                    "like": "hasura",
                    "models": ["Post": ["since": "updated_at", "deleted": "hidden"]],
                ]
            ])
        #expect(api.welcome.capabilities.pull.hasTombstones)
        let made = try api.make(first)
        let all = try api.pull()
        #expect(all.ids == [first])
        #expect(words(try api.push(.delete(first, on: made.version))) == ["ok"])
        #expect(try api.fetch("Post", first).first?["deleted"] == true)
        #expect(try api.pull(from: all.cursor).records[first] == .null)
        let row = try api.server.execute(
            "query ($id: uuid!) { posts_by_pk(id: $id) { hidden } }", ["id": .string(first)])
        #expect(row["data"]?["posts_by_pk"]?["hidden"] == true)
    }

    @Test func `gives what changed where a field tells when`() throws {
        let api = try MappedAPI(
            "hasura", ["mapping": ["like": "hasura", "models": ["Post": ["since": "updated_at"]]]])
        #expect(api.welcome.capabilities.pull.hasDelta)
        #expect(!api.welcome.capabilities.pull.hasTombstones)
        for number in 10..<20 { try api.make("0190c2aa-0000-7000-8000-0000000000\(number)") }
        let all = try api.pull(limit: 4)
        #expect(all.ids.count == 10)
        let quiet = try api.pull(from: all.cursor, limit: 4)
        try api.make(first)
        let delta = try api.pull(from: quiet.cursor, limit: 4)
        #expect(delta.ids.contains(first))
        #expect(delta.items.count < 4)
    }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `An API with a feed of changes` {
    @Test func `gives what changed, and what was deleted`() throws {
        let api = try MappedAPI("strawberry")
        let one = try api.make(first, ["cover": ["colour": "red"], "tags": ["a"]])
        try api.make(second)
        let all = try api.pull(limit: 1)
        #expect(all.ids.count == 2)
        #expect(all.records[first]?["cover"]?["colour"] == "red")
        #expect(try api.pull(from: all.cursor).items.isEmpty)
        let changed = try api.push(.update(first, ["title": "two"], on: one.version))
        try api.push(.delete(second, on: 1))
        let delta = try api.pull(from: all.cursor)
        #expect(delta.records[first]?["title"] == "two")
        #expect(delta.records[second] == .null)
        #expect(delta.items.first { $0["id"] == .string(first) }?["version"] == changed[0]?.version)
    }

    @Test func `misses nothing that is written while pages come`() throws {
        let api = try MappedAPI("strawberry")
        for number in 10..<14 { try api.make("0190c2aa-0000-7000-8000-0000000000\(number)") }
        let page = PluginPage()
        let end = try api.backend.pull(PluginQuery(model: "Post", limit: 2), onto: page, api.call)
        try api.push(
            .update("0190c2aa-0000-7000-8000-000000000010", ["title": "late"], on: 1))
        let rest = try api.pull(from: end.cursor, limit: 2)
        let next = try api.pull(from: rest.cursor)
        #expect(next.ids == ["0190c2aa-0000-7000-8000-000000000010"])
    }

    @Test func `tells its schema as far as types can`() throws {
        let api = try MappedAPI("strawberry", schema: Schema())
        guard case .models(let description) = try api.backend.schema(api.call) else {
            Issue.record("no models")
            return
        }
        let schema = try Schema(protocolJSON: .object(description))
        #expect(Set(schema.models.map(\.name)) == ["Post", "Comment"])
        let post = try #require(schema.model("Post"))
        #expect(post.key == ["id"])
        #expect(post.field("tags")?.isList == true)
        #expect(post.field("status")?.type == .enumeration("Status"))
        #expect(post.field("cover")?.type == .nested("Cover"))
        #expect(post.field("updatedAt")?.isReadOnly == true)
        #expect(post.field("title")?.isRequired == true)
        #expect(schema.nestedType("Cover")?.fields.map(\.name) == ["colour", "width"])
    }

    @Test func `asks for everything again after a day`() throws {
        let api = try MappedAPI("strawberry")
        try api.make(first)
        var cursor = try #require(try api.pull().cursor?.members)
        let base = try #require(cursor["base"]?.integer)
        cursor["base"] = .int(base - 25 * 3_600_000)
        #expect(failure { _ = try api.pull(from: .object(cursor)) }?.kind == .cursorExpired)
    }
}
