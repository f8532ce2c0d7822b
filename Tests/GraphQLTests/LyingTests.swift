import JSON
import Platform
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

/// The backend in this process, on a server that lies.
private struct Deceived {
    let server: LyingServer
    let backend = EitherBackend(environment: Environment(variables: [:]))

    static let schema = "type Post @model { id: ID! title: String }"

    init(_ mapping: JSONValue? = nil, timeout: Int64 = 120) throws {
        server = try LyingServer()
        var config = JSONObject([("url", .string(server.url)), ("timeout", .int(timeout))])
        if let mapping {
            config.append("mapping", mapping)
        } else {
            config.append("conflict_detection", "off")
        }
        let schema = try Schema.parse(Self.schema)
        _ = try backend.initialize(
            PluginSetup(
                config: config, secrets: JSONObject([("api_key", "da2-x")]),
                description: schema.protocolJSON.members ?? JSONObject()),
            host: Self.host)
    }

    static var host: PluginHost { PluginHost(output: ByteOutput(2, name: "the log")) }
    var call: PluginCall { PluginCall(id: 1, host: Self.host) }

    /// Pulls to the end, or to the first error; gives up after so many pages.
    func pull(atMost pages: Int = 1_000) -> (items: Int, error: PluginError?) {
        var cursor: JSONValue?
        var items = 0
        for _ in 0..<pages {
            let page = PluginPage()
            do throws(PluginError) {
                let end = try backend.pull(
                    PluginQuery(model: "Post", cursor: cursor), onto: page, call)
                items += page.count
                if !end.more { return (items, nil) }
                cursor = end.cursor
            } catch {
                return (items, error)
            }
        }
        Issue.record("there is no end of pages")
        return (items, nil)
    }

    func push() throws -> [PluginVerdict?] { try backend.push([.create("p1")], call) }
}

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
        let (items, error) = deceived.pull(atMost: 50)
        #expect(error?.kind == .permanent, "\(row.name): \(String(describing: error))")
        #expect(error?.message.contains("lead back") == true, "\(row.name)")
        #expect(items < 50, "\(row.name)")
    }

    @Test func `are none where one is asked for again, or records move`() {
        var trail = PageTrail()
        func isCircle(_ place: JSONValue, _ next: JSONValue, _ ids: String...) -> Bool {
            trail.isCircle(from: place, to: next, with: ids.map { ["id": .string($0)] })
        }
        for _ in 1...10 {
            #expect(!isCircle(.null, "t", "a", "b"))
            #expect(!isCircle("t", "u", "c"))
        }
        // A row put in before an offset moves all others.
        #expect(!isCircle("u", "v", "c"))
        // Pages without a record may lead on for long.
        for _ in 1...10 { #expect(!isCircle("w", "w")) }
        #expect(isCircle("v", "t", "d"))
    }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `Words of a server's` {
    static let lies: [(name: String, lie: JSONValue)] = [
        (
            "an error in a 200",
            ["body": #"{"data": null, "errors": [{"message": "@PAD@", "errorType": "@PAD@"}]}"#]
        ),
        ("an error with a status", ["status": 500, "body": #"{"message": "@PAD@"}"#]),
        ("a refusal", ["status": 400, "body": #"{"errors": [{"message": "@PAD@"}]}"#]),
        ("a failed login", ["status": 401, "body": #"{"errors": [{"message": "@PAD@"}]}"#]),
        ("one word", ["body": #"{"data": null, "errors": [{"message": "@PAD@"}]}"#]),
    ]

    @Test(arguments: lies) func `are cut before they are told on`(
        _ row: (name: String, lie: JSONValue)
    ) throws {
        let deceived = try Deceived()
        var lie = row.lie.members ?? JSONObject()
        lie.append("pad", row.name == "one word" ? "wordwordw" : "and more ")
        lie.append("times", 1_500_000)
        try deceived.server.tell(.object(lie))
        let error = try #require(deceived.pull().error)
        #expect(error.message.utf8.count < 5_000, "\(row.name)")
        #expect(error.message.contains("(13500000 bytes)"), "\(row.name): \(error.message)")
        let verdicts: [PluginVerdict?]
        do { verdicts = try deceived.push() } catch {
            #expect("\(error)".utf8.count < 6_000, "\(row.name)")
            return
        }
        #expect("\(verdicts)".utf8.count < 6_000, "\(row.name)")
    }

    @Test func `are cut between two of them, and never within one`() {
        #expect(ServerWords.cut("short", to: 10) == "short")
        #expect(ServerWords.cut("one two three", to: 10) == "one two… (13 bytes)")
        #expect(ServerWords.cut("secretsecret", to: 10) == "… (12 bytes)")
        #expect(ServerWords.cut("a secretsecret b", to: 10) == "a… (16 bytes)")
        #expect(ServerWords.cut("äöü äöü äöü", to: 9) == "äöü… (20 bytes)")
    }

    @Test(arguments: [200, 4_000]) func `of an issuer are whole, longer than a line too`(
        _ length: Int
    ) throws {
        let server = try LyingServer()
        let words = String(repeating: "long ", count: length / 5) + "s3cret-token"
        try server.tell(["status": 400, "body": .string(#"{"message": "\#(words)"}"#)])
        let renewal = TokenRenewal(
            .userPool, try Endpoint(server.url), clientID: "c", refreshToken: "s3cret-token")
        let error = failure { _ = try renewal.ask(try HTTPClient()) }
        #expect(error?.kind == .auth)
        #expect(error?.message.hasSuffix(words) == true, "\(String(describing: error))")
    }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `A page that is no page` {
    static let item = #"{"id": "a", "title": "x"}"#

    static func page(_ items: String) -> JSONValue {
        ["body": .string(#"{"data": {"listPosts": {"items": [\#(items)], "nextToken": null}}}"#)]
    }

    /// What is told, and how many records or quarantined items come of it; nil for an error.
    static let lies: [(name: String, lie: JSONValue, items: Int?)] = [
        ("a packed one", merged(page(item), ["gzip": true]), 1),
        (
            "a bomb",
            [
                "body": "{\"data\": \"@PAD@\"}", "pad": "0000000000", "times": 20_000_000,
                "gzip": true,
            ],
            nil
        ),
        ("one with a mark at its beginning", ["body": .string("\u{FEFF}\(text(page(item)))")], nil),
        ("one of another type", merged(page(item), ["headers": ["Content-Type": "text/html"]]), 1),
        ("nothing", ["body": ""], nil),
        ("a text", ["body": "\"data\""], nil),
        ("a list", ["body": "[1, 2]"], nil),
        ("one that leads elsewhere", ["status": 302, "headers": ["Location": "/graphql"]], nil),
        ("one cut off", merged(page(item), ["cut": 20]), nil),
        ("one that never ends", ["body": "          ", "endless": true], nil),
        ("no word of what follows", ["body": #"{"data": {"listPosts": {"items": []}}}"#], nil),
        (
            "a number for what follows",
            ["body": #"{"data": {"listPosts": {"items": [], "nextToken": 5}}}"#], nil
        ),
        (
            "a record that nests deep",
            merged(page(#"{"id": "a", "title": @PAD@1@END@}"#), ["pad": "[", "times": 900]), 1
        ),
        ("deep nests", ["body": "@PAD@", "pad": "{\"data\":", "times": 100_000], nil),
        ("NUL in a name and a value", page(#"{"id": "a", "title": "\u0000"}"#), 1),
        ("items that are none", page(#"1, "x", null, [], {}, {"id": {}}"#), 6),
        ("items that are no list", ["body": #"{"data": {"listPosts": {"items": {}}}}"#], nil),
        ("the number of the beast", page(#"{"id": "a", "title": 1e400}"#), 1),
        ("a twice told key", page(#"{"id": "a", "id": "b", "title": "x"}"#), 1),
        (
            "half of a character", page(#"{"id": "a", "title": "\ud800"}"#), 1
        ),
    ]

    static func merged(_ lie: JSONValue, _ more: JSONValue) -> JSONValue {
        .object((lie.members ?? JSONObject()).overlaid(with: more.members ?? JSONObject()))
    }

    private static func text(_ lie: JSONValue) -> String { lie["body"]?.text ?? "" }

    @Test(arguments: lies) func `is told apart, and harms nothing`(
        _ row: (name: String, lie: JSONValue, items: Int?)
    ) throws {
        let deceived = try Deceived()
        try deceived.server.tell(row.lie)
        let (items, error) = deceived.pull()
        if let wanted = row.items {
            #expect(items == wanted, "\(row.name): \(String(describing: error))")
        } else {
            #expect(error != nil, "\(row.name): \(items)")
        }
        #expect((error?.message.utf8.count ?? 0) < 5_000, "\(row.name)")
    }

    @Test func `for want of its second half is waited for no longer than is set`() throws {
        let deceived = try Deceived(timeout: 1)
        try deceived.server.tell(Self.merged(Self.page(Self.item), ["hold": 20]))
        #expect(deceived.pull().error?.kind == .retryable)
        #expect(failure { _ = try deceived.push() }?.kind == .retryable)
    }

    @Test func `for its size ends that model alone once it has one record, and refuses no edit`()
        throws
    {
        let deceived = try Deceived()
        let large: JSONValue = [
            "body": "{\"data\": null, \"errors\": [{\"message\": \"@PAD@\"}]}",
            "pad": "and more ", "times": 5_000_000,
        ]
        try deceived.server.tell(large)
        #expect(deceived.pull().error?.kind == .tooLarge)
        let page = PluginPage()
        let error = failure {
            _ = try deceived.backend.pull(
                PluginQuery(model: "Post", limit: 1), onto: page, deceived.call)
        }
        #expect(error?.kind == .permanent)
        #expect(error?.message.contains("only one Post") == true, "\(String(describing: error))")
        #expect(try words(deceived.push()) == ["unknown"])
        // A status says more than the size of what comes with it.
        try deceived.server.tell(Self.merged(large, ["status": 500]))
        #expect(deceived.pull().error?.kind == .retryable)
    }

    @Test func `for a record that is larger than any may be is in quarantine`() throws {
        let deceived = try Deceived()
        let body =
            #"{"data": {"listPosts": {"items": [{"id": "a", "title": "@PAD@"}, \#(Self.item.replacing("a", with: "b"))], "#
            + #""nextToken": null}}}"#
        try deceived.server.tell(["body": .string(body), "pad": "0123456789", "times": 1_000_000])
        let page = PluginPage()
        let end = try deceived.backend.pull(
            PluginQuery(model: "Post"), onto: page, deceived.call)
        #expect(!end.more)
        #expect(page.count == 2)
        #expect(page.bytes.count < 10_000)
        #expect(String(decoding: page.bytes, as: UTF8.self).contains("more than a record may have"))
    }
}
