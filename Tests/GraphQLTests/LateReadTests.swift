import JSON
import Platform
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

/// What an API with conflict detection says, one version after the other.
private enum Told {
    static func record(_ version: Int64, isDeleted: Bool = false) -> JSONValue {
        [
            "id": "p1", "title": .string("v\(version)"), "_version": .int(version),
            "_deleted": isDeleted ? true : .null, "_lastChangedAt": 1, "__typename": "Post",
        ]
    }

    static func lie(_ document: String, _ data: JSONValue) -> JSONValue {
        let body: JSONValue = ["data": data]
        return ["document": .string(document), "body": .string(body.serialized())]
    }

    static func page(_ items: JSONValue...) -> JSONValue {
        lie(
            "syncPosts",
            [
                "syncPosts": [
                    "items": .array(items), "nextToken": nil, "startedAt": .int(Clock.system.now()),
                ]
            ])
    }

    static func get(_ record: JSONValue) -> JSONValue { lie("getPost", ["r0": record]) }
    static func create() -> JSONValue { lie("createPost", ["createPost": record(1)]) }
    static func update(_ version: Int64) -> JSONValue {
        lie("updatePost", ["updatePost": record(version)])
    }
}

/// A page of everything after a write of ours, and what the API says when it is asked again.
struct LatePage: CustomTestStringConvertible {
    let testDescription: String
    let write: JSONValue
    let operation: PluginOperation
    let page: JSONValue
    let get: JSONValue
    /// The version that is put down in the end; nil for none.
    let version: JSONValue?
    var isComplete = true
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `A pull right after a write` {
    static let update = PluginOperation.update("p1", ["title": "v5"], on: 4)

    static let pages = [
        LatePage(
            testDescription: "a new record is not there yet", write: Told.create(),
            operation: .create("p1", title: "v1"), page: Told.page(), get: Told.get(Told.record(1)),
            version: 1),
        LatePage(
            testDescription: "somebody deleted it", write: Told.create(),
            operation: .create("p1", title: "v1"), page: Told.page(), get: Told.get(.null),
            version: nil),
        LatePage(
            testDescription: "an old state, the new one when asked", write: Told.update(5),
            operation: update, page: Told.page(Told.record(4)), get: Told.get(Told.record(5)),
            version: 5),
        LatePage(
            testDescription: "an old state, whatever is asked", write: Told.update(5),
            operation: update, page: Told.page(Told.record(4)), get: Told.get(Told.record(4)),
            version: nil, isComplete: false),
        LatePage(
            testDescription: "an old tombstone", write: Told.update(5), operation: update,
            page: Told.page(Told.record(3, isDeleted: true)), get: Told.get(Told.record(5)),
            version: 5),
        LatePage(
            testDescription: "what is newer", write: Told.update(5), operation: update,
            page: Told.page(Told.record(6)), get: Told.get(.null), version: 6),
    ]

    @Test(arguments: pages) func `takes nothing for gone or old that is there`(
        _ row: LatePage
    ) throws {
        let deceived = try Deceived(nil, ["conflict_detection": "on"])
        try deceived.server.tell(row.write, row.page, row.get)
        #expect(words(try deceived.backend.push([row.operation], deceived.call)) == ["ok"])
        let pulled = try deceived.pull()
        #expect(pulled.error == nil)
        #expect(pulled.items.compactMap { $0["version"] } == [row.version].compactMap { $0 })
        #expect(pulled.isComplete == row.isComplete)
        #expect((pulled.cursor == nil) != row.isComplete)
    }

    @Test func `leaves out of a delta what is older than what it told`() throws {
        let deceived = try Deceived(nil, ["conflict_detection": "on"])
        try deceived.server.tell(Told.page())
        let all = try deceived.pull()
        try deceived.server.tell(Told.page(Told.record(5)))
        let first = try deceived.pull(from: all.cursor)
        #expect(first.items.count == 1)
        try deceived.server.tell(Told.page(Told.record(4)))
        let second = try deceived.pull(from: first.cursor)
        #expect(second.items.isEmpty && second.isComplete)
        try deceived.server.tell(Told.page(Told.record(6, isDeleted: true)))
        #expect(try deceived.pull(from: second.cursor).items.count == 1)
    }

    @Test func `asks for a record again that is older than it was, and says so at last`() throws {
        let deceived = try Deceived(nil, ["conflict_detection": "on"])
        try deceived.server.tell(Told.update(5), Told.get(Told.record(4)))
        _ = try deceived.backend.push([Self.update], deceived.call)
        let page = PluginPage()
        let error = failure {
            try deceived.backend.fetch(
                model: "Post", ids: [RecordID("p1")], onto: page, deceived.call)
        }
        #expect(error?.kind == .retryable)
        #expect(error?.message.contains("older") == true)
        #expect(try deceived.server.count("getPost") == 3)
        #expect(page.count == 0)
    }

    @Test func `believes what it is told where reads are never old`() throws {
        let deceived = try Deceived(nil, ["conflict_detection": "on", "overlap_ms": 0])
        try deceived.server.tell(Told.update(5), Told.page(Told.record(4)))
        _ = try deceived.backend.push([Self.update], deceived.call)
        #expect(try deceived.pull().items.count == 1)
    }
}

/// An answer to a model's query that has no page, and what comes of it.
struct NoPage: CustomTestStringConvertible {
    var type = ""
    var message = "no"
    var data: JSONValue = nil
    var kind: PluginError.Kind
    var asked: Int64

    var testDescription: String { "\(type) \(message) beside \(data.serialized())" }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `A model whose query fails` {
    static let table = [
        NoPage(type: "InternalFailure", kind: .permanent, asked: 3),
        NoPage(type: "ExecutionTimeout", kind: .permanent, asked: 3),
        NoPage(data: ["syncPosts": nil], kind: .permanent, asked: 1),
        NoPage(data: ["syncPosts": ["items": nil, "nextToken": nil]], kind: .permanent, asked: 1),
        NoPage(message: "Invalid nextToken", kind: .permanent, asked: 1),
        NoPage(type: "ThrottlingException", kind: .rateLimited(afterMilliseconds: 1_000), asked: 1),
        NoPage(type: "Unauthorized", kind: .permanent, asked: 1),
    ]

    @Test(arguments: table) func `is refused by itself, but for what says it of all`(
        _ row: NoPage
    ) throws {
        let deceived = try Deceived(nil, ["conflict_detection": "on"])
        let fault: JSONValue = [
            "message": .string(row.message), "errorType": .string(row.type), "path": ["syncPosts"],
        ]
        let body: JSONValue = ["data": row.data, "errors": [fault]]
        try deceived.server.tell(["document": "syncPosts", "body": .string(body.serialized())])
        let error = try #require(try deceived.pull().error)
        #expect(error.kind == row.kind)
        #expect(error.message.contains(row.message), "\(error)")
        #expect(try deceived.server.count("syncPosts") == row.asked)
    }

    @Test func `is refused where there is neither a page nor a word`() throws {
        let deceived = try Deceived(nil, ["conflict_detection": "on"])
        try deceived.server.tell([
            "document": "syncPosts", "body": #"{"data": {"syncPosts": {"items": null}}}"#,
        ])
        #expect(try deceived.pull().error?.kind == .permanent)
        #expect(try deceived.server.count("syncPosts") == 3)
    }

    @Test func `is pulled anew once where its place is refused, and then refused itself`() throws {
        let deceived = try Deceived(nil, ["conflict_detection": "on"])
        let first: JSONValue = [
            "syncPosts": [
                "items": [Told.record(1)], "nextToken": "t", "startedAt": .int(Clock.system.now()),
            ]
        ]
        let refusal: JSONValue = [
            "data": nil, "errors": [["message": "Invalid nextToken", "path": ["syncPosts"]]],
        ]
        try deceived.server.tell(
            ["document": "\"nextToken\":\"t\"", "body": .string(refusal.serialized())],
            Told.lie("syncPosts", first))
        for kind in [PluginError.Kind.cursorExpired, .permanent] {
            var pulled = try deceived.pull()
            if pulled.error == nil { pulled = try deceived.pull(from: pulled.cursor) }
            #expect(pulled.error?.kind == kind)
        }
    }

    @Test func `has no end of pages of the same record, whatever its state`() throws {
        let deceived = try Deceived(nil, ["conflict_detection": "on"])
        let record = Told.record(1).serialized().replacing("\"v1\"", with: "\"v@N@\"")
        let body =
            #"{"data": {"syncPosts": {"items": [\#(record)], "nextToken": "t@N@", "startedAt": 9}}}"#
        try deceived.server.tell(["document": "syncPosts", "body": .string(body)])
        let pulled = try deceived.pull(atMost: 50)
        #expect(pulled.error?.kind == .permanent)
        #expect(pulled.error?.message.contains("lead back") == true)
    }
}
