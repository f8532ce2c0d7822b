import JSON
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.serialized, .timeLimit(.minutes(15))) struct `More records than the host takes at a time` {
    static let mapping: JSONValue = [
        "models": ["Post": ["list": "query { posts { ${fields} } }"]]
    ]

    static func rows(_ range: Range<Int>, _ title: String = "x") -> String {
        range.map { #"{"id": "p\#($0)", "title": "\#(title)"}"# }.joined(separator: ", ")
    }

    static func list(_ rows: String, isMapped: Bool) -> JSONValue {
        isMapped
            ? ["body": .string(#"{"data": {"posts": [\#(rows)]}}"#)]
            : [
                "body": .string(
                    #"{"data": {"listPosts": {"items": [\#(rows)], "nextToken": null}}}"#)
            ]
    }

    static func deceived(
        _ isMapped: Bool, server: LyingServer? = nil, holding: Int64 = 600_000
    ) throws -> Deceived {
        // A conditional expression would make JSON's null of nil.
        try isMapped
            ? Deceived(mapping, server: server, holding: holding)
            : Deceived(server: server, holding: holding)
    }

    static func ids(_ items: [JSONValue]) -> [String] { items.compactMap { $0["id"]?.text } }

    @Test(arguments: [true, false]) func `come in parts, of one answer`(_ isMapped: Bool) throws {
        let deceived = try Self.deceived(isMapped)
        try deceived.server.tell(Self.list(Self.rows(0..<1_200), isMapped: isMapped))
        let pulled = try deceived.pull(limit: 500)
        #expect(pulled.error == nil)
        #expect(pulled.isComplete)
        #expect(pulled.most == 500)
        #expect(Self.ids(pulled.items) == (0..<1_200).map { "p\($0)" })
        #expect(try deceived.server.count("osts") == 1)
        // A later pull asks anew.
        try deceived.server.tell(Self.list(Self.rows(0..<3), isMapped: isMapped))
        #expect(try deceived.pull(from: pulled.cursor, limit: 500).items.count == 3)
    }

    @Test(arguments: [true, false])
    func `are asked for again where that is long ago, or something was written since`(
        _ isMapped: Bool
    ) throws {
        for isLate in [true, false] {
            let deceived = try Self.deceived(isMapped, holding: isLate ? 0 : 600_000)
            try deceived.server.tell(Self.list(Self.rows(0..<1_200), isMapped: isMapped))
            var pulled = try deceived.pull(limit: 500, atMost: 1)
            if !isLate { _ = try deceived.push() }
            try deceived.server.tell(
                Self.list(
                    Self.rows(0..<1_000) + ", " + Self.rows(1_000..<1_200, "y"), isMapped: isMapped)
            )
            pulled = try deceived.pull(from: pulled.cursor, limit: 500)
            #expect(Self.ids(pulled.items) == (500..<1_200).map { "p\($0)" })
            #expect(pulled.items.last?["record"]?["title"] == "y")
        }
    }

    @Test(arguments: [true, false]) func `go on in another process, and at another size`(
        _ isMapped: Bool
    ) throws {
        var deceived = try Self.deceived(isMapped)
        try deceived.server.tell(Self.list(Self.rows(0..<1_200), isMapped: isMapped))
        var cursor: JSONValue?
        var ids: [String] = []
        for limit in [500, 3, 250, 400, 1_000] {
            let page = PluginPage()
            let query = PluginQuery(model: "Post", cursor: cursor, limit: limit)
            let end = try deceived.backend.pull(query, onto: page, deceived.call)
            // Asked for again, as a host does to which it was too large, it is the same.
            let again = PluginPage()
            #expect(try deceived.backend.pull(query, onto: again, deceived.call).more == end.more)
            #expect(again.bytes == page.bytes)
            let items = "[" + String(decoding: page.bytes, as: UTF8.self) + "]"
            ids += Self.ids(try JSONValue.parse(items).elements ?? [])
            cursor = end.cursor
            #expect(end.more == (limit < 1_000))
            deceived = try Self.deceived(isMapped, server: deceived.server)
        }
        #expect(ids == (0..<1_200).map { "p\($0)" })
    }

    @Test(arguments: [true, false])
    func `begin anew in another process where they are others by then`(_ isMapped: Bool) throws {
        let deceived = try Self.deceived(isMapped)
        try deceived.server.tell(Self.list(Self.rows(0..<1_200), isMapped: isMapped))
        let page = PluginPage()
        let end = try deceived.backend.pull(
            PluginQuery(model: "Post", limit: 500), onto: page, deceived.call)
        #expect(end.more)
        for rows in [
            Self.rows(1..<1_200), Self.rows(0..<100), Self.rows(0..<1_200, "y"), "",
            Self.rows(0..<1) + ", " + Self.rows(5..<6) + ", " + Self.rows(2..<1_200),
        ] {
            let other = try Self.deceived(isMapped, server: deceived.server)
            try other.server.tell(Self.list(rows, isMapped: isMapped))
            let pulled = try other.pull(from: end.cursor, limit: 500)
            #expect(pulled.error?.kind == .cursorExpired)
            #expect(pulled.items.isEmpty)
        }
        // What is new behind them comes.
        let other = try Self.deceived(isMapped, server: deceived.server)
        try other.server.tell(Self.list(Self.rows(0..<1_300), isMapped: isMapped))
        let pulled = try other.pull(from: end.cursor, limit: 500)
        #expect(Self.ids(pulled.items) == (500..<1_300).map { "p\($0)" })
    }

    @Test func `come in parts of bytes too`() throws {
        let deceived = try Self.deceived(true)
        let rows = Self.rows(0..<12, "@PAD@")
        var lie = Self.list(rows, isMapped: true).members ?? JSONObject()
        lie.append("pad", "0123456789")
        lie.append("times", 150_000)
        try deceived.server.tell(.object(lie))
        let pulled = try deceived.pull()
        #expect(pulled.error == nil)
        #expect(Self.ids(pulled.items) == (0..<12).map { "p\($0)" })
        #expect(1..<8 ~= pulled.most)
    }

    /// One that comes after others have been gathered for the same page of the host's.
    @Test func `follow others of that pull`() throws {
        let deceived = try Self.deceived(false)
        let first = #"{"data": {"listPosts": {"items": [\#(Self.rows(0..<5))], "nextToken": "t"}}}"#
        try deceived.server.tell(
            [
                "document": #""nextToken":"t""#,
                "body": Self.list(Self.rows(5..<1_200), isMapped: false)["body"] ?? .null,
            ], ["body": .string(first)])
        let pulled = try deceived.pull(limit: 500)
        #expect(pulled.error == nil)
        #expect(pulled.most == 500)
        #expect(Self.ids(pulled.items) == (0..<1_200).map { "p\($0)" })
        #expect(try deceived.server.count("listPosts") == 2)
    }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `A page that does not tell what follows it` {
    static let byKey: JSONValue = [
        "models": [
            "Post": ["list": "query ($after: ID) { posts(after: $after) { ${fields} } }"]
        ]
    ]
    static let saying: JSONValue = [
        "models": [
            "Post": [
                "list": [
                    "query":
                        "query ($offset: Int) { posts(offset: $offset) { nodes { ${fields} } more } }",
                    "items": "posts.nodes", "more": "posts.more",
                ]
            ]
        ]
    ]

    static func page(_ rows: String, after: String? = nil) -> JSONValue {
        var lie = JSONObject([("body", .string(#"{"data": {"posts": [\#(rows)]}}"#))])
        if let after { lie.append("document", .string(#""after":"\#(after)""#)) }
        return .object(lie)
    }

    /// A row that is no JSON to be taken: of a `json` column that has a key twice.
    static let broken = #"{"id": "b", "title": {"x": 1, "x": 2}}"#

    @Test func `for its last record cannot be read goes on behind that`() throws {
        let deceived = try Deceived(Self.byKey)
        try deceived.server.tell(
            Self.page("", after: "c"), Self.page(#"{"id": "c", "title": "z"}"#, after: "b"),
            Self.page(#"{"id": "a", "title": "x"}, \#(Self.broken)"#))
        let pulled = try deceived.pull()
        #expect(pulled.error == nil)
        #expect(pulled.isComplete)
        #expect(pulled.items.compactMap { $0["id"]?.text } == ["a", "b", "c"])
    }

    @Test(arguments: ["null", "{}", #"{"title": "y"}"#])
    func `for its last records have no key goes on behind the others`(_ nameless: String) throws {
        let deceived = try Deceived(Self.byKey)
        try deceived.server.tell(
            Self.page("", after: "c"),
            Self.page(#"\#(nameless), {"id": "c", "title": "z"}"#, after: "a"),
            Self.page(#"{"id": "a", "title": "x"}, \#(nameless), \#(nameless)"#))
        let pulled = try deceived.pull()
        #expect(pulled.error == nil)
        let ids = pulled.items.compactMap { $0["id"]?.text }
        #expect(ids.filter { $0.count == 1 } == ["a", "c"])
    }

    @Test func `for none of its records has a key is not the last, and nothing is gone`() throws {
        let deceived = try Deceived(Self.byKey)
        try deceived.server.tell(
            Self.page("null", after: "a"), Self.page(#"{"id": "a", "title": "x"}"#))
        let pulled = try deceived.pull()
        #expect(pulled.error == nil)
        #expect(!pulled.isComplete)
        // The next pull is of everything again.
        #expect(pulled.cursor == nil)
        #expect(pulled.items.count == 2)
    }

    @Test(arguments: ["", #"{"id": "a", "title": "x"}"#])
    func `though it says that something does is an error`(_ rows: String) throws {
        var mapping = Self.saying
        if !rows.isEmpty {
            mapping = [
                "models": [
                    "Post": [
                        "list": [
                            "query": "query { posts { nodes { ${fields} } more } }",
                            "items": "posts.nodes", "more": "posts.more",
                        ]
                    ]
                ]
            ]
        }
        let deceived = try Deceived(mapping)
        try deceived.server.tell([
            "body": .string(#"{"data": {"posts": {"nodes": [\#(rows)], "more": true}}}"#)
        ])
        let error = try deceived.pull().error
        #expect(error?.kind == .permanent)
        #expect(error?.message.contains("more follows") == true, "\(String(describing: error))")
    }

    /// Records of the page before are kept where one is too large to come at all.
    @Test func `for it is too large keeps what came before it`() throws {
        let deceived = try Deceived(nil, ["page": 1, "response_mb": 1])
        try deceived.server.tell(
            [
                "document": #""nextToken":"t""#, "body": "{\"data\": \"@PAD@\"}",
                "pad": "0123456789", "times": 200_000,
            ],
            [
                "body":
                    #"{"data": {"listPosts": {"items": [{"id": "a", "title": "x"}], "nextToken": "t"}}}"#
            ])
        let pulled = try deceived.pull()
        #expect(pulled.items.count == 1)
        #expect(pulled.error?.kind == .permanent)
        #expect(pulled.error?.message.contains("only one Post") == true)
    }
}
