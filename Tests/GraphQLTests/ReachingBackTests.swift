import JSON
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.serialized, .timeLimit(.minutes(15))) struct `A delta that reaches back` {
    /// Hasura's own, and one whose pages go on by their stamps alone.
    static let mappings: [(name: String, post: JSONValue)] = [
        ("by offset", ["since": "updated_at"]),
        (
            "by stamps",
            [
                "since": "updated_at",
                "delta":
                    """
                query ($since: timestamptz!, $limit: Int) {
                  posts(
                    where: {updated_at: {_gte: $since}}, order_by: [{updated_at: asc}], limit: $limit
                  ) { ${fields} }
                }
                """,
            ]
        ),
    ]

    @Test(arguments: mappings)
    func `misses nothing behind a page that is full of what is known`(
        _ row: (name: String, post: JSONValue)
    ) throws {
        let api = try MappedAPI(
            "hasura",
            [
                "mapping": ["like": "hasura", "models": ["Post": row.post]],
                "overlap_ms": 600_000,
            ])
        var made: Set<String> = []
        func make(_ number: Int) throws {
            made.insert(try api.make("0190c2aa-0000-7000-8000-0000000000\(number)").id)
        }
        for number in 10..<16 { try make(number) }
        var cursor = try api.pull(limit: 4).cursor
        cursor = try api.pull(from: cursor, limit: 4).cursor
        var since = cursor?["since"]?.text ?? ""
        for number in 16..<22 {
            try make(number)
            let delta = try api.pull(from: cursor, limit: 4)
            #expect(Set(delta.ids) == made, "\(row.name)")
            #expect(delta.isComplete)
            let next = try #require(delta.cursor?["since"]?.text)
            #expect(next > since, "\(row.name)")
            (cursor, since) = (delta.cursor, next)
        }
        // With nothing new it stays where it was.
        #expect(try api.pull(from: cursor, limit: 4).cursor == cursor)
    }

    @Test func `goes on from a part of its first page in another process`() throws {
        let post: JSONValue = [
            "since": "updated_at",
            "delta":
                """
            query ($since: timestamptz!) {
              posts(where: {updated_at: {_gte: $since}}, order_by: [{updated_at: asc}]) { ${fields} }
            }
            """,
        ]
        let config: JSONValue = [
            "mapping": ["like": "hasura", "models": ["Post": post]], "overlap_ms": 600_000,
        ]
        let api = try MappedAPI("hasura", config)
        for number in 10..<16 { try api.make("0190c2aa-0000-7000-8000-0000000000\(number)") }
        let all = try api.pull()
        let since = try #require(all.cursor?["since"]?.text)
        let page = PluginPage()
        let part = try api.backend.pull(
            PluginQuery(model: "Post", cursor: all.cursor, limit: 2), onto: page, api.call)
        #expect(page.count == 2)
        let other = try MappedAPI("hasura", config, server: api.server)
        let rest = try other.pull(from: part.cursor, limit: 100)
        #expect(rest.ids.count >= 4)
        #expect(rest.cursor?["since"]?.text == since)
    }

    @Test func `is not complete where a page is full of one stamp, and nothing leads on`() throws {
        let mapping: JSONValue = [
            "models": [
                "Post": [
                    "since": "at", "list": "query { posts { ${fields} } }",
                    "delta":
                        "query ($since: String!, $limit: Int) { changes(since: $since, n: $limit) { ${fields} } }",
                ]
            ]
        ]
        let at = "2026-01-02T03:04:05.678Z"
        let rows = ["a", "b"].map { id in #"{"id": "\#(id)", "title": "x", "at": "\#(at)"}"# }
            .joined(separator: ", ")
        let deceived = try Deceived(mapping)
        try deceived.server.tell(all: [
            ["document": "changes(", "body": .string(#"{"data": {"changes": [\#(rows)]}}"#)],
            ["body": .string(#"{"data": {"posts": [\#(rows)]}}"#)],
        ])
        let all = try deceived.pull(limit: 2)
        #expect(all.isComplete)
        let full = try deceived.pull(from: all.cursor, limit: 2)
        #expect(!full.isComplete)
        #expect(full.cursor?["since"]?.text == at)
        #expect(try deceived.pull(from: full.cursor, limit: 3).isComplete)
    }

    @Test func `of an API with a mapping comes to a record behind many pages without one`() throws {
        var deceived = try Deceived(`Pages that lead back to where they were`.mapping)
        try deceived.server.tell(all: [
            [
                "document": #""after":"t120""#,
                "body":
                    #"{"data": {"posts": {"nodes": [{"id": "a", "title": "x"}], "end": null}}}"#,
            ],
            `Pages that lead back to where they were`.posts("", "t@N@"),
        ])
        let first = try deceived.pull(atMost: 1)
        #expect(first.error == nil)
        #expect(first.items.isEmpty)
        deceived = try Deceived(
            `Pages that lead back to where they were`.mapping, server: deceived.server)
        let rest = try deceived.pull(from: first.cursor)
        #expect(rest.error == nil)
        #expect(rest.items.count == 1)
        #expect(try deceived.server.count("posts(") == 121)
    }

    /// Where the error of a write is, and what becomes of it.
    static let faults: [(path: String, word: String)] = [
        (#"["createPost", "author"]"#, "unknown"), (#"["createPost"]"#, "rejected permission"),
        ("[]", "rejected permission"),
    ]

    @Test(arguments: faults)
    func `of an API with a mapping takes no error below a record for a refusal of its write`(
        _ row: (path: String, word: String)
    ) throws {
        let deceived = try Deceived([
            "models": [
                "Post": [
                    "list": "query { posts { ${fields} } }",
                    "get": "query ($id: ID!) { post(id: $id) { ${fields} } }",
                    "create":
                        "mutation ($input: PostInput!) { createPost(input: $input) { ${fields} author { id } } }",
                ]
            ]
        ])
        try deceived.server.tell([
            "body": .string(
                #"{"data": {"createPost": null}, "errors": [{"message": "no", "path": \#(row.path), "#
                    + #""extensions": {"code": "FORBIDDEN"}}]}"#)
        ])
        #expect(words(try deceived.push()) == [row.word])
    }
}
