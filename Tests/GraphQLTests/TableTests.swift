import JSON
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.serialized, .timeLimit(.minutes(15))) struct `A table with a key of several columns` {
    private static func api() throws -> MappedAPI {
        let text = """
            type Seat @model {
              hall: String! @primaryKey(sortKeyFields: ["row", "number"])
              row: Int!
              number: Int!
              guest: String
              updatedAt: AWSDateTime
            }
            """
        return try MappedAPI("hasura", schema: try Schema.parse(text))
    }

    private static func key(_ hall: String, _ row: Int64, _ number: Int64) -> JSONObject {
        JSONObject([("hall", .string(hall)), ("row", .int(row)), ("number", .int(number))])
    }

    private static func create(
        _ model: Model, _ hall: String, _ row: Int64, _ number: Int64
    ) throws -> PluginOperation {
        let key = key(hall, row, number)
        var record = key
        record["guest"] = "ann"
        let id = try #require(model.id(of: key))
        return PluginOperation(
            key: "c-\(id.text)", model: "Seat", id: id, kind: .create, set: record,
            record: record)
    }

    @Test func `is written to by all of them, and to no other row`() throws {
        let api = try Self.api()
        let seat = try #require(api.seat)
        let places: [(String, Int64, Int64)] = [("A", 1, 1), ("A", 1, 2), ("A", 2, 1), ("B", 1, 1)]
        for (hall, row, number) in places {
            #expect(words(try api.push(try Self.create(seat, hall, row, number))) == ["ok"])
        }
        let id = try #require(seat.id(of: Self.key("A", 1, 2)))
        let shown = try #require(try api.fetch("Seat", id.text).first)
        #expect(shown["record"]?["number"] == 2)
        let update = PluginOperation(
            key: "u", model: "Seat", id: id, kind: .update, baseVersion: shown["version"],
            set: JSONObject([("guest", "bob")]))
        #expect(words(try api.push(update)) == ["ok"])
        let late = try api.push(update)
        #expect(["conflict", "unseen"].contains(words(late)[0]), "\(words(late))")
        let guests = try api.pull("Seat").records.mapValues { $0["guest"]?.text ?? "" }
        #expect(guests.values.sorted() == ["ann", "ann", "ann", "bob"])
        #expect(guests[id.text] == "bob")
        let now = try #require(try api.fetch("Seat", id.text).first?["version"])
        let delete = PluginOperation(
            key: "d", model: "Seat", id: id, kind: .delete, baseVersion: now)
        #expect(words(try api.push(delete)) == ["ok"])
        #expect(try api.pull("Seat").ids.count == 3)
        #expect(try api.fetch("Seat", id.text).first?["deleted"] == true)
        #expect(words(try api.push(try Self.create(seat, "A", 1, 1))) != ["ok"])
    }

    @Test func `is paged through without a gap, wherever a page ends`() throws {
        let api = try Self.api()
        let seat = try #require(api.seat)
        var count = 0
        for hall in ["A", "B"] {
            for row in 1...3 as ClosedRange<Int64> {
                for number in 1...3 as ClosedRange<Int64> {
                    try api.push(try Self.create(seat, hall, row, number))
                    count += 1
                }
            }
        }
        for limit in [1, 2, 3, 4, 5, 7, 100] {
            let all = try api.pull("Seat", limit: limit)
            #expect(all.items.count == count, "\(limit) a page")
            #expect(all.ids.count == count)
        }
    }
}

extension MappedAPI {
    fileprivate var seat: Model? { schema.model("Seat") }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `A live query of a long table` {
    private static func id(_ number: Int) -> String {
        let digits = "\(number)"
        return "0190c2aa-0000-7000-8000-" + String(repeating: "0", count: 12 - digits.count)
            + digits
    }

    @Test func `tells of the row beyond its end once that changes, and calls none deleted`() throws
    {
        let ears = try Ears()
        var posts = try MappedAPI.schema("hasura")
        posts.models.removeAll { $0.name == "Comment" }
        let api = try MappedAPI("hasura", schema: posts, host: ears.host)
        try api.server.control(["command": "fill", "table": "posts", "rows": 1_001])
        try api.backend.subscribe(models: nil, filters: nil, api.call)
        func write(_ number: Int, _ title: String) throws {
            let answer = try api.server.execute(
                """
                mutation { update_posts(where: {id: {_eq: "\(Self.id(number))"}},
                  _set: {title: "\(title)"}) { affected_rows } }
                """)
            #expect(answer["data"]?["update_posts"]?["affected_rows"] == 1)
        }
        // What is written before the first snapshot is no event: once one is told, it was there.
        var round = 0
        while !ears.turn(api.backend, atMost: 500).ids.contains(Self.id(900)) {
            round += 1
            try write(900, "round \(round)")
            try #require(round < 500)
        }
        _ = ears.hear(api.backend) { !$0.isEmpty }
        // The oldest row is not among the thousand; it comes in, and crowds another out.
        try write(0, "in at last")
        let told = ears.hear(api.backend) { told in
            told.ids.contains(Self.id(0)) && told.ids.contains(Self.id(1))
        }
        for case .event(_, let id, _, let isDeleted) in told {
            #expect(!isDeleted, "\(id) is there")
        }
        #expect(try api.fetch("Post", Self.id(1)).first?["record"]?["title"] == "t1")
        // One that is deleted may have been crowded out: the host looks, and finds it gone.
        try api.server.execute(
            "mutation { delete_posts(where: {id: {_eq: \"\(Self.id(500))\"}}) { affected_rows } }")
        _ = ears.hear(api.backend) { $0.ids.contains(Self.id(500)) }
        #expect(try api.fetch("Post", Self.id(500)).first?["deleted"] == true)
        // A deletion beyond the end is told by nobody; a pull finds it.
        try api.server.execute(
            "mutation { delete_posts(where: {id: {_eq: \"\(Self.id(1))\"}}) { affected_rows } }")
        #expect(try api.pull().ids.contains(Self.id(1)) == false)
        #expect(try api.pull().ids.count == 999)
    }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `Two writers of an API without conditions` {
    static let first = "0190c2aa-0000-7000-8000-000000000001"

    @Test(arguments: ["postgraphile", "classic"])
    func `learn of each other, also where no column tells versions`(_ shape: String) throws {
        let api = try MappedAPI(shape)
        let made = try api.make("c", model: "Comment", ["content": "one"])
        let ours: (JSONValue) -> PluginOperation = {
            .update(made.id, $0, on: made.version, model: "Comment")
        }
        #expect(words(try api.push(ours(["content": "theirs"]))) == ["ok"])
        let second = try api.push(ours(["postId": .string(Self.first)]))
        #expect(words(second) == ["conflict"])
        #expect(second.first??.record?["content"] == "theirs")
        let deleted = try api.push(.delete(made.id, on: made.version, model: "Comment"))
        #expect(words(deleted) == ["conflict"])
        #expect(try api.server.effects("comments", made.id).count == 2)
    }

    @Test func `keep each other's fields even in the moment between look and write`() throws {
        let api = try MappedAPI("postgraphile")
        let made = try api.make(Self.first, ["rating": 1])
        try api.server.control([
            "command": "fault", "type": "meanwhile", "document": "mutation", "table": "posts",
            "id": .string(Self.first), "set": ["body": "theirs", "rating": 9],
        ])
        let verdict = try api.push(.update(Self.first, ["title": "ours"], on: made.version))
        #expect(words(verdict) == ["ok"])
        // The answer tells what came in between.
        let record = try #require(verdict.first??.record)
        #expect(record["title"] == "ours")
        #expect(record["body"] == "theirs")
        #expect(record["rating"] == 9)
        #expect(try api.fetch("Post", Self.first).first?["version"] == verdict.first??.version)
    }
}
