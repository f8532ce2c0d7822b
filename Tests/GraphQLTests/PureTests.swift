import JSON
import PluginKit
import Records
import Testing
import satchel_backend_graphql

/// An HTTP answer and what it means.
struct ReplyCase: CustomTestStringConvertible {
    var status: Int
    var body: String = ""
    var headers: [HTTPHeader] = []
    /// Nil for an answer of GraphQL.
    var kind: PluginError.Kind?
    var isWithoutEffect = true
    var blamesClock = false

    var testDescription: String { "\(status) \(body.prefix(60)) \(headers.map(\.value))" }
}

@Suite struct `An HTTP answer` {
    static let unauthorized =
        #"{"errors":[{"errorType":"UnauthorizedException","message":"no"}]}"#
    static func error(_ type: String, _ message: String = "no") -> String {
        #"{"errors":[{"errorType":"\#(type)","message":"\#(message)"}]}"#
    }
    static let date = HTTPHeader("Date", "Sun, 06 Nov 1994 08:49:37 GMT")

    static let table = [
        ReplyCase(status: 200, body: #"{"data":{"a":1}}"#),
        ReplyCase(status: 200, body: #"{"data":null,"errors":[{"message":"x","path":["a"]}]}"#),
        ReplyCase(status: 200, body: "<html>", kind: .retryable, isWithoutEffect: false),
        ReplyCase(status: 200, body: #"{"data":{"a""#, kind: .retryable, isWithoutEffect: false),
        ReplyCase(status: 200, body: "{}", kind: .retryable, isWithoutEffect: false),
        ReplyCase(status: 200, body: unauthorized, kind: .auth),
        ReplyCase(status: 401, body: unauthorized, kind: .auth),
        ReplyCase(status: 401, body: "<html>", kind: .auth),
        ReplyCase(status: 403, body: error("UnrecognizedClientException"), kind: .auth),
        ReplyCase(
            status: 403, body: error("InvalidSignatureException", "Signature expired: x"),
            kind: .auth, blamesClock: true),
        ReplyCase(
            status: 403, body: error("InvalidSignatureException", "Signature not yet current: x"),
            kind: .auth, blamesClock: true),
        ReplyCase(
            status: 403, body: #"{"__type":"x#ExpiredTokenException","message":"old"}"#, kind: .auth
        ),
        ReplyCase(status: 403, body: error("AccessDeniedException"), kind: .permanent),
        ReplyCase(
            status: 403, body: "<html>sign in</html>", kind: .retryable, isWithoutEffect: false),
        ReplyCase(status: 400, body: error("BadRequestException"), kind: .permanent),
        ReplyCase(status: 404, kind: .retryable),
        ReplyCase(status: 413, kind: .tooLarge),
        ReplyCase(status: 302, kind: .retryable),
        ReplyCase(status: 429, kind: .rateLimited(afterMilliseconds: 1_000)),
        ReplyCase(
            status: 429, headers: [HTTPHeader("retry-after", "9")],
            kind: .rateLimited(afterMilliseconds: 9_000)),
        ReplyCase(
            status: 429, headers: [HTTPHeader("Retry-After", "0")],
            kind: .rateLimited(afterMilliseconds: 1_000)),
        ReplyCase(
            status: 503,
            headers: [HTTPHeader("Retry-After", "Sun, 06 Nov 1994 08:00:07 GMT"), date],
            kind: .rateLimited(afterMilliseconds: 1_000)),
        ReplyCase(status: 403, body: error("WAFForbiddenException"), kind: .retryable),
        ReplyCase(
            status: 429, headers: [HTTPHeader("Retry-After", "999999999")],
            kind: .rateLimited(afterMilliseconds: 3_600_000)),
        ReplyCase(
            status: 503,
            headers: [HTTPHeader("Retry-After", "Sun, 06 Nov 1994 08:50:07 GMT"), date],
            kind: .rateLimited(afterMilliseconds: 30_000)),
        ReplyCase(status: 503, kind: .retryable, isWithoutEffect: false),
        ReplyCase(status: 500, body: error("X"), kind: .retryable, isWithoutEffect: false),
        ReplyCase(status: 504, body: "<html>", kind: .retryable, isWithoutEffect: false),
    ]

    @Test(arguments: table) func `is taken for what it means`(_ row: ReplyCase) {
        let response = HTTPResponse(
            status: row.status, headers: row.headers, body: Array(row.body.utf8))
        switch (Reply(response, host: "api"), row.kind) {
        case (.answer, nil): break
        case (.failure(let failure), let kind?):
            #expect(failure.error.kind == kind)
            #expect(failure.isWithoutEffect == row.isWithoutEffect)
            #expect(failure.blamesClock == row.blamesClock)
        case (let reply, _): Issue.record("\(reply)")
        }
    }
}

@Suite struct `The plural of a model` {
    static let table = [
        ("Post", "Posts"), ("Country", "Countries"), ("Day", "Days"), ("Box", "Boxes"),
        ("Class", "Classes"), ("Branch", "Branches"), ("Person", "People"), ("Child", "Children"),
        ("SalesPerson", "SalesPeople"), ("Woman", "Women"), ("Human", "Humans"),
        ("Analysis", "Analyses"), ("News", "News"), ("OrderLine", "OrderLines"),
    ]

    @Test(arguments: table) func `is Amplify's`(_ one: String, _ many: String) {
        #expect(Plural.of(one) == many)
    }
}

@Suite struct `The address of an API` {
    static let good = [
        ("https://abc.appsync-api.eu-west-1.amazonaws.com/graphql", "eu-west-1"),
        ("HTTPS://API.Example.com:443/graphql", nil),
        ("http://127.0.0.1:4000/graphql", nil), ("http://[::1]:4000", nil),
    ]

    @Test(arguments: good) func `is taken apart`(_ text: String, _ region: String?) throws {
        let endpoint = try Endpoint(text)
        #expect(endpoint.region == region)
        #expect(try Endpoint(endpoint.url) == endpoint)
    }

    static let bad = [
        "", "abc", "ftp://x/", "https://", "https://user:pw@x/", "https://x/?a=b", "https://x/#a",
        "https://x:0/", "https://x:99999/", "https://x y/", "https://é/",
    ]

    @Test(arguments: bad) func `is refused where it is none`(_ text: String) {
        #expect(throws: Endpoint.Bad.self) { try Endpoint(text) }
    }

    @Test func `is this machine only where it is`() throws {
        let local = ["http://localhost/", "http://127.0.0.1/", "http://[::1]/"]
        for text in local { #expect(try Endpoint(text).isLocal) }
        let remote = [
            "http://127.0.0.1.example.com/", "http://localhost.example/", "http://127.a.b.c/",
        ]
        for text in remote { #expect(try !Endpoint(text).isLocal) }
    }
}

@Suite struct `Where a pull has come to` {
    @Test func `begins the next delta at the first page of the last`() throws {
        var cursor = PullCursor().after(token: "a", startedAt: 100)
        #expect(PullCursor(cursor.json) == cursor)
        cursor = cursor.after(token: "b", startedAt: 150).after(token: nil, startedAt: 170)
        #expect(cursor.since == 100)
        #expect(cursor.base == 100)
        cursor = cursor.after(token: "c", startedAt: 200).after(token: nil, startedAt: 200)
        #expect(cursor.since == 200)
        #expect(cursor.base == 100)
        #expect(cursor.token == nil)
    }

    @Test func `is nowhere where the server told no time`() {
        for time in [Int64.min, -1, .max] {
            #expect(PullCursor().after(token: nil, startedAt: time).since == nil)
            #expect(PullCursor(["since": .int(time)]) == nil)
        }
        let end = PullCursor().after(token: nil, startedAt: nil)
        #expect(end.json == .null)
        for json in [nil, 7, "x", [:], ["epoch": "x"]] as [JSONValue] {
            #expect(PullCursor(json) == nil)
        }
    }
}

@Suite struct `A filter for DynamoDB` {
    static let fields: [Field] = [
        Field("id", .scalar(.id)), Field("title", .scalar(.string)), Field("rating", .scalar(.int)),
        Field("done", .scalar(.boolean)), Field("at", .scalar(.dateTime)),
        Field("status", .enumeration("Status")), Field("tags", .scalar(.string), isList: true),
    ]
    static let schema = Schema(
        models: [Model(name: "Post", fields: fields)],
        enums: [EnumType(name: "Status", values: ["DRAFT", "LIVE"])])

    static let table: [(JSONValue, JSONValue?)] = [
        (["field": "title", "op": "eq", "value": "x"], ["title": ["eq": "x"]]),
        (["field": "title", "op": "ne", "value": "x"], nil),
        (["field": "title", "op": "contains", "value": "x"], nil),
        (["field": "title", "op": "starts_with", "value": "x"], ["title": ["beginsWith": "x"]]),
        (["field": "rating", "op": "between", "value": [1, 2]], ["rating": ["between": [1, 2]]]),
        (
            ["field": "rating", "op": "in", "value": [1, 2]],
            ["or": [["rating": ["eq": 1]], ["rating": ["eq": 2]]]]
        ),
        (["field": "done", "op": "eq", "value": true], ["done": ["eq": true]]),
        (["field": "done", "op": "lt", "value": true], nil),
        (["field": "at", "op": "ge", "value": "2020-01-01T00:00:00Z"], nil),
        (["field": "status", "op": "eq", "value": "LIVE"], ["status": ["eq": "LIVE"]]),
        (["field": "status", "op": "eq", "value": "NEW"], nil),
        (["field": "tags", "op": "has", "value": "x"], nil),
        (["not": ["field": "title", "op": "eq", "value": "x"]], nil),
        (
            [
                "and": [
                    ["field": "at", "op": "is_null", "value": true],
                    ["field": "title", "op": "eq", "value": "x"],
                ]
            ], ["title": ["eq": "x"]]
        ),
        (
            [
                "or": [
                    ["field": "at", "op": "is_null", "value": true],
                    ["field": "title", "op": "eq", "value": "x"],
                ]
            ], nil
        ),
    ]

    @Test(arguments: table.indices) func `says only what is judged alike`(_ index: Int) throws {
        let (wanted, said) = Self.table[index]
        let model = Self.schema.models[0]
        let filter = try Filter(protocolJSON: wanted, model: model)
        #expect(FilterInput.of(filter, model: model, schema: Self.schema) == said)
    }
}

@Suite struct `The documents of a model` {
    @Test func `ask for all that a record has, and for the keys it holds`() throws {
        let schema = Schema.fixture
        let post = try #require(schema.model("Post"))
        let surface = Surface(guessing: schema, isVersioned: true)
        let plan = ModelPlan(post, in: schema, try #require(surface.models["Post"]))
        let page = try #require(plan.page())
        #expect(page.path == ["syncPosts"])
        #expect(page.text.contains("position { latitude longitude }"))
        #expect(page.text.contains("blogID"))
        #expect(!page.text.contains("blog {"))
        #expect(page.text.contains("_version _deleted _lastChangedAt"))
        let write = try #require(plan.write(.update, conditional: false))
        #expect(write.text.contains("blog { id _deleted }"))
        #expect(write.text.contains("$input: UpdatePostInput!"))
        let line = try #require(schema.model("OrderLine"))
        let lines = ModelPlan(line, in: schema, try #require(surface.models["OrderLine"]))
        let key = try #require(lines.model.keyValues(of: RecordID("[\"c\",\"2026-01-02\",7]")))
        let fetch = try #require(lines.fetch([key]))
        #expect(fetch.document.text.contains("$k0_1: AWSDate!"))
        #expect(fetch.document.text.contains("$k0_2: Int!"))
        #expect(fetch.variables["k0_2"] == 7)
    }

    @Test func `do not go round in types that hold themselves`() {
        let tree = NestedType(
            name: "Tree", fields: [Field("leaf", .scalar(.string)), Field("tree", .nested("Tree"))])
        let schema = Schema(types: [tree])
        let text = Selection.of([Field("root", .nested("Tree"))], in: schema)
        #expect(text.hasPrefix("root { leaf tree { leaf tree {"))
        #expect(text.utf8.count < 200)
    }
}

@Suite struct `Profiles of the AWS command line` {
    @Test func `are read as it reads them`() {
        let text = """
            ; a comment
            [default]
            AWS_ACCESS_KEY_ID = A
            aws_secret_access_key=b=c

            [profile x y]
            region = eu-west-1
            """
        let found = AWSProfile.settings(of: "default", in: text)
        #expect(found == ["aws_access_key_id": "A", "aws_secret_access_key": "b=c"])
        #expect(AWSProfile.settings(of: "profile x y", in: text) == ["region": "eu-west-1"])
        #expect(AWSProfile.settings(of: "none", in: text).isEmpty)
    }
}

@Suite struct `The questions on the way to a configuration` {
    static let url: JSONValue = "https://a.appsync-api.eu-west-1.amazonaws.com/graphql"
    static let table: [(JSONValue, String?)] = [
        ([:], "url"), (["url": url], "auth"),
        (["url": url, "auth": "api_key"], "api_key"),
        (["url": url, "auth": "api_key", "api_key": "x"], nil),
        (["url": url, "auth": "oidc"], "token"),
        (["url": url, "auth": "iam"], "credentials"),
        (["url": "https://x/graphql", "auth": "iam"], "region"),
        (["url": url, "auth": "iam", "credentials": "environment"], nil),
        (["url": url, "auth": "iam", "credentials": "keys"], "access_key"),
        (["url": url, "auth": "iam", "credentials": "keys", "access_key": "x"], "secret_key"),
    ]

    @Test(arguments: table.indices) func `come one after the other`(_ index: Int) throws {
        let (answers, wanted) = Self.table[index]
        switch try Questions.next(answers.members ?? JSONObject()) {
        case .ask(let key, _, let isSecret, _, _, _):
            #expect(key == wanted)
            #expect(isSecret == ["api_key", "token", "access_key", "secret_key"].contains(key))
        case .done(let config):
            #expect(wanted == nil)
            #expect(config["api_key"] == nil)
        }
    }
}

@Suite struct `An item of an answer that cannot be read` {
    @Test(arguments: [
        (#"{"id":"b","title":"\ud800"}"#, RecordID("b")),
        (#"{"title":NaN,"id":"b"}"#, RecordID("b")),
        (#"{"id":"b","id":"c"}"#, nil), (#"{"id":"#, nil),
    ])
    func `spoils no other`(_ text: String, _ id: RecordID?) throws {
        let body =
            #"{"data":{"listPosts":{"items":[{"id":"a","title":"x"},\#(text)],"nextToken":"n"}}}"#
        let response = HTTPResponse(status: 200, headers: [], body: Array(body.utf8))
        guard case .answer(let answer) = Reply(response, host: "api") else {
            // Nothing tells where it ends.
            #expect(text == #"{"id":"#)
            return
        }
        let items = try #require(answer.value(at: ["listPosts", "items"])?.elements)
        #expect(items.count == 2)
        #expect(items[0] == ["id": "a", "title": "x"])
        let unreadable = try #require(items[1].members.flatMap { UnreadableItem($0) })
        #expect(unreadable.text == text)
        #expect(unreadable.members(["id"])["id"]?.text == id?.text)
        #expect(answer.value(at: ["listPosts", "nextToken"]) == "n")
    }
}

@Suite struct `The values of an answer` {
    static let many = AnswerSize.mostValues

    @Test(arguments: ["{},", "[],", "{", "[[],", "1,1,", "\"\\\"\","])
    func `are counted before they take memory`(_ part: String) {
        let few = Array(String(repeating: part, count: Self.many / 4).utf8)
        #expect(!AnswerSize.isTooMuch(few))
        #expect(AnswerSize.isTooMuch(Array(String(repeating: part, count: Self.many + 1).utf8)))
    }

    @Test func `are not in texts`() {
        let text = String(repeating: "{,\\\"[", count: Self.many)
        #expect(!AnswerSize.isTooMuch(Array("[\"\(text)\"]".utf8)))
    }

    @Test func `end a page that has too many, and leave a status what it is`() {
        let body = Array(("{\"data\": [" + String(repeating: "{},", count: Self.many)).utf8)
        for (status, kind) in [(200, PluginError.Kind.tooLarge), (500, .retryable)] {
            guard
                case .failure(let failure) = Reply(
                    HTTPResponse(status: status, headers: [], body: body), host: "api")
            else {
                Issue.record("it was taken")
                continue
            }
            #expect(failure.error.kind == kind)
            #expect(!failure.isWithoutEffect)
        }
    }
}
