import JSON
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

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
            "an empty text for what follows",
            ["body": #"{"data": {"listPosts": {"items": [], "nextToken": ""}}}"#], nil
        ),
        ("an error about the whole of it", faulty(#", "path": ["listPosts"]"#), nil),
        ("an error about its list", faulty(#", "path": ["listPosts", "items"]"#), nil),
        ("an error about nothing", faulty(""), nil),
        (
            "an error about an item that is not there",
            faulty(#", "path": ["listPosts", "items", 9]"#), nil
        ),
        (
            "an error about an item before the first",
            faulty(#", "path": ["listPosts", "items", -1]"#), nil
        ),
        ("an error about one of its items", faulty(#", "path": ["listPosts", "items", 0]"#), 1),
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

    static func faulty(_ path: String) -> JSONValue {
        let body =
            #"{"data": {"listPosts": {"items": [\#(item)], "nextToken": null}}, "errors": "#
            + #"[{"message": "no", "errorType": "Other"\#(path)}]}"#
        return ["body": .string(body)]
    }

    /// The others are pulled all the same.
    @Test func `for a failure within the API stops its model alone`() throws {
        let deceived = try Deceived()
        for list in ["null", #"{"items": null, "nextToken": null}"#] {
            try deceived.server.tell([
                "body": .string(
                    #"{"data": {"listPosts": \#(list)}, "errors": [{"message": "no", "#
                        + #""errorType": "InternalFailure", "path": ["listPosts"]}]}"#)
            ])
            #expect(try deceived.pull().error?.kind == .permanent)
        }
    }

    static func merged(_ lie: JSONValue, _ more: JSONValue) -> JSONValue {
        .object((lie.members ?? JSONObject()).overlaid(with: more.members ?? JSONObject()))
    }

    private static func text(_ lie: JSONValue) -> String { lie["body"]?.text ?? "" }

    @Test(arguments: lies) func `is told apart, and harms nothing`(
        _ row: (name: String, lie: JSONValue, items: Int?)
    ) throws {
        let deceived = try Deceived()
        try deceived.server.tell(row.lie)
        let pulled = try deceived.pull()
        let (items, error) = (pulled.items, pulled.error)
        if let wanted = row.items {
            #expect(items.count == wanted, "\(row.name): \(String(describing: error))")
        } else {
            #expect(error != nil, "\(row.name): \(items)")
        }
        #expect((error?.message.utf8.count ?? 0) < 5_000, "\(row.name)")
    }

    @Test func `for want of its second half is waited for no longer than is set`() throws {
        let deceived = try Deceived(timeout: 1)
        try deceived.server.tell(Self.merged(Self.page(Self.item), ["hold": 20]))
        #expect(try deceived.pull().error?.kind == .retryable)
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
        #expect(try deceived.pull().error?.kind == .tooLarge)
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
        #expect(try deceived.pull().error?.kind == .retryable)
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
