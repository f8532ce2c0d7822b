import JSON
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.serialized, .timeLimit(.minutes(15))) struct `Pages that lead back to where they were` {
    static let one = #"{"id": "a", "title": "x"}, {"id": "b", "title": "y"}"#

    static func list(_ items: String, _ token: String) -> JSONValue {
        let body = #"{"data": {"listPosts": {"items": [\#(items)], "nextToken": "\#(token)"}}}"#
        return ["document": "listPosts", "body": .string(body)]
    }

    static let mapping: JSONValue = [
        "models": [
            "Post": [
                "list": [
                    "query":
                        "query ($after: String) { posts(after: $after) { nodes { ${fields} } end } }",
                    "items": "posts.nodes", "next": "posts.end",
                ]
            ]
        ]
    ]
    static let byOffset: JSONValue = [
        "models": [
            "Post": ["list": "query ($offset: Int, $limit: Int) { posts { ${fields} } }"]
        ]
    ]

    static func posts(_ items: String, _ end: String) -> JSONValue {
        ["body": .string(#"{"data": {"posts": {"nodes": [\#(items)], "end": "\#(end)"}}}"#)]
    }

    /// What is told by an API, and by a mapping of it.
    static let circles: [(name: String, mapping: JSONValue?, lies: [JSONValue])] = [
        ("the same page", nil, [list(one, "t")]),
        (
            "two that lead to each other", nil,
            [
                ["document": #""nextToken":"t""#, "body": list(one, "u")["body"] ?? .null],
                list(#"{"id": "c", "title": "z"}"#, "t"),
            ]
        ),
        ("ever new places of the same page", nil, [list(one, "t@N@")]),
        (
            "ever new places and states of a record", nil,
            [list(#"{"id": "a", "title": "@N@"}"#, "t@N@")]
        ),
        (
            "two of a mapping that lead to each other", mapping,
            [
                ["document": #""after":"t""#, "body": posts(one, "u")["body"] ?? .null],
                posts(#"{"id": "c", "title": "z"}"#, "t"),
            ]
        ),
        ("the same page of a mapping", mapping, [posts(one, "t")]),
        ("ever new places of a mapping", mapping, [posts(one, "t@N@")]),
        (
            "an offset that is not looked at", byOffset,
            [["body": .string(#"{"data": {"posts": [\#(one)]}}"#)]]
        ),
    ]

    @Test(arguments: circles) func `end the pull of that model, and say so`(
        _ row: (name: String, mapping: JSONValue?, lies: [JSONValue])
    ) throws {
        let deceived = try Deceived(row.mapping)
        try deceived.server.tell(all: row.lies)
        let pulled = try deceived.pull(atMost: 50)
        #expect(
            pulled.error?.kind == .permanent, "\(row.name): \(String(describing: pulled.error))")
        #expect(pulled.error?.message.contains("lead back") == true, "\(row.name)")
        #expect(pulled.items.count < 50, "\(row.name)")
    }

    /// A pull that was ended goes on from the cursor that it left, in this process or in another.
    @Test(arguments: circles) func `end the next pulls too, wherever in the circle they begin`(
        _ row: (name: String, mapping: JSONValue?, lies: [JSONValue])
    ) throws {
        var deceived = try Deceived(row.mapping)
        try deceived.server.tell(all: row.lies)
        var cursor = try deceived.pull(atMost: 50).cursor
        for isNew in [false, false, true, true, false] {
            if isNew { deceived = try Deceived(row.mapping, server: deceived.server) }
            let pulled = try deceived.pull(from: cursor, atMost: 50)
            let words = "\(row.name), new: \(isNew): \(String(describing: pulled.error))"
            #expect(pulled.error?.message.contains("lead back") == true, "\(words)")
            cursor = pulled.cursor
        }
    }

    /// Records that nobody may see, or that cannot be read, look alike on every page.
    @Test(arguments: ["null", "{}", #"{"id": null, "title": null}"#])
    func `are none for pages without a readable record`(_ item: String) throws {
        let items = Array(repeating: item, count: 3).joined(separator: ", ")
        for isMapped in [true, false] {
            let deceived = try isMapped ? Deceived(Self.mapping) : Deceived()
            var lies: [JSONValue] = []
            for number in 1..<9 {
                let page =
                    isMapped
                    ? Self.posts(items, "t\(number + 1)") : Self.list(items, "t\(number + 1)")
                lies.append([
                    "document": .string(#":"t\#(number)""#), "body": page["body"] ?? .null,
                ])
            }
            lies.append(["document": #":"t9""#, "body": .string(Self.last(isMapped))])
            lies.append(isMapped ? Self.posts(items, "t1") : Self.list(items, "t1"))
            try deceived.server.tell(all: lies)
            let pulled = try deceived.pull(atMost: 50)
            #expect(pulled.error == nil)
            #expect(pulled.items.count == 28)
        }
    }

    static func last(_ isMapped: Bool) -> String {
        isMapped
            ? #"{"data": {"posts": {"nodes": [{"id": "a"}], "end": null}}}"#
            : #"{"data": {"listPosts": {"items": [{"id": "a"}], "nextToken": null}}}"#
    }

    @Test func `are none where one is asked for again, or records move`() {
        var trail = PageTrail()
        func isCircle(_ place: JSONValue, _ next: JSONValue, _ ids: String...) -> Bool {
            trail.isCircle(from: place, to: next, with: ids.map { ["id": .string($0)] }) { $0 }
        }
        for _ in 1...10 {
            #expect(!isCircle(.null, "t", "a", "b"))
            #expect(!isCircle("t", "u", "c"))
        }
        // A row put in before an offset moves all others.
        #expect(!isCircle("u", "v", "c"))
        // An API that has nothing yet may be asked for long.
        for _ in 1...10 { #expect(!isCircle("w", "w")) }
        #expect(isCircle("v", "t", "d"))
        #expect(isCircle("v", "t", "d"))
        // Too large a page comes as two smaller ones.
        #expect(!isCircle(.null, 1_000, "a"))
        #expect(!isCircle(.null, 500, "a"))
        #expect(!isCircle(500, 1_000, "b"))
        #expect(isCircle(1_000, 500, "c"))
    }

    @Test func `are found behind pages without a record too`() {
        var trail = PageTrail()
        func isCircle(_ place: JSONValue, _ next: JSONValue) -> Bool {
            trail.isCircle(from: place, to: next, with: []) { $0 }
        }
        #expect(!isCircle("t", "u"))
        #expect(isCircle("u", "t"))
    }
}
