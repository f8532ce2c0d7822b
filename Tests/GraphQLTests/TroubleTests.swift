import JSON
import Platform
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

/// A fault of the server, and what a write meets then.
struct WriteFault: CustomTestStringConvertible {
    var type: String
    var more: JSONValue = [:]
    var word: String

    var testDescription: String { "\(type) \(more.serialized())" }
}

/// A fault of the server, and the error of the whole request.
struct RequestFault: CustomTestStringConvertible {
    var type: String
    var more: JSONValue = [:]
    var kind: PluginError.Kind
    /// In seconds: short where it is what is waited for.
    var timeout: Int64 { type == "delay" ? 1 : 120 }

    var testDescription: String { "\(type) \(more.serialized())" }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `Trouble on the way` {
    static let writes =
        [
            WriteFault(type: "throttled", word: "retry"),
            WriteFault(type: "internal", word: "unknown"),
            WriteFault(type: "denied", word: "rejected permission"),
            WriteFault(type: "disabled", word: "rejected disabled"),
            WriteFault(type: "condition", word: "unseen"),
            WriteFault(type: "conflict", more: ["data": false], word: "unseen"),
            WriteFault(type: "too_large", word: "rejected too_large"),
            WriteFault(
                type: "error", more: ["error_type": "TitleRule", "message": "title is too plain"],
                word: "rejected TitleRule title"),
            WriteFault(
                type: "error", more: ["error_type": "InternalFailure", "after": true],
                word: "unknown"),
            WriteFault(type: "partial", more: ["paths": [["updatePost", "title"]]], word: "ok"),
        ]
        + ["Unauthorized", "ThrottlingException", "ConflictUnhandled", "Lambda:Unhandled"].map {
            // Null bubbles up to the record where what is below it must be there.
            WriteFault(
                type: "partial",
                more: [
                    "paths": [["updatePost", "blog", "id"]], "depth": 1, "error_type": .string($0),
                ], word: "ok")
        }

    @Test(arguments: writes) func `is told apart in a write`(_ fault: WriteFault) throws {
        let api = try AppSync("--strategy", "OPTIMISTIC_CONCURRENCY")
        let base = try api.make("p1")
        let more = JSONObject([("operation", "updatePost")]).overlaid(
            with: fault.more.members ?? JSONObject())
        try api.server.fault(fault.type, .object(more))
        let change = PluginOperation.update("p1", ["title": "two", "rating": 2], on: base)
        let verdict = try api.push(change)
        #expect(words(verdict) == [fault.word])
        if fault.word == "ok" { #expect(verdict[0]?.record?["title"] == "two") }
    }

    @Test func `below a record that was made or deleted does not undo that`() throws {
        let api = try AppSync()
        let fault: JSONValue = [
            "kind": "mutation", "operation": "*Comment", "depth": 1,
            "paths": [["createComment", "post"]],
        ]
        try api.server.fault("partial", fault)
        let made = try api.push(.create("c1", model: "Comment", title: nil, ["content": "a"]))
        #expect(words(made) == ["ok"])
        #expect(made[0]?.record?["content"] == "a")
        var other = try #require(fault.members)
        other["paths"] = [["deleteComment", "post"]]
        try api.server.fault("partial", .object(other))
        let deleted = try api.push(.delete("c1", on: made[0]?.version, model: "Comment"))
        #expect(words(deleted) == ["ok"])
        #expect(try api.server.effects("Comment", "c1").count == 2)
    }

    static let requests = [
        RequestFault(type: "unauthorized", kind: .auth),
        RequestFault(
            type: "status", more: ["status": 429, "retry_after": 7],
            kind: .rateLimited(afterMilliseconds: 7_000)),
        RequestFault(
            type: "status", more: ["status": 503, "retry_after": 2],
            kind: .rateLimited(afterMilliseconds: 2_000)),
        RequestFault(type: "status", more: ["status": 503], kind: .retryable),
        RequestFault(type: "status", more: ["status": 500], kind: .retryable),
        RequestFault(type: "status", more: ["status": 502, "body": "<html>"], kind: .retryable),
        RequestFault(type: "status", more: ["status": 302], kind: .retryable),
        RequestFault(type: "status", more: ["status": 404], kind: .retryable),
        RequestFault(type: "cut_before", kind: .retryable),
        RequestFault(type: "cut_after", kind: .retryable),
        RequestFault(type: "cut_during", kind: .retryable),
        RequestFault(type: "malformed", kind: .retryable),
        RequestFault(type: "delay", more: ["seconds": 4], kind: .retryable),
    ]

    @Test(arguments: requests) func `stops a push with its reason`(_ fault: RequestFault) throws {
        let server = try AppSyncServer()
        let api = try AppSync(
            server, JSONObject([("timeout", .int(fault.timeout)), ("concurrency", 1)]))
        let more = JSONObject([("kind", "mutation")]).overlaid(
            with: fault.more.members ?? JSONObject())
        try server.fault(fault.type, .object(more))
        let error = failure { try api.push(.create("p1"), .create("p2")) }
        #expect(error?.kind == fault.kind, "\(String(describing: error))")
        #expect(try server.effects("Post", "p2").isEmpty)
        #expect(try server.effects("Post", "p1").count <= 1)
    }

    @Test(arguments: requests) func `stops a pull with its reason`(_ fault: RequestFault) throws {
        let server = try AppSyncServer()
        let api = try AppSync(server, JSONObject([("timeout", .int(fault.timeout))]))
        var more = JSONObject([("operation", "syncPosts"), ("count", 3)])
        more = more.overlaid(with: fault.more.members ?? JSONObject())
        try server.fault(fault.type, .object(more))
        #expect(failure { _ = try api.pull() }?.kind == fault.kind)
    }

    @Test func `never sends a write twice on a connection that broke`() throws {
        let api = try AppSync()
        let base = try api.make("p1", ["labels": ["a"]])
        try api.server.fault("cut_after", ["operation": "updatePost"])
        // On a kept connection, which is where curl would try again by itself.
        let error = failure { try api.push(.update("p1", ["labels": ["a", "b"]], on: base)) }
        #expect(error?.kind == .retryable)
        #expect(try api.server.effects("Post", "p1").count == 2)
        #expect(try api.fetch("Post", "p1")[0]["record"]?["labels"] == ["a", "b"])
    }

    @Test func `keeps the verdicts that came before it`() throws {
        let server = try AppSyncServer()
        let api = try AppSync(server, JSONObject([("concurrency", 1)]))
        try server.fault("cut_after", ["operation": "createPost", "skip": 1])
        let verdicts = try api.push(.create("p1"), .create("p2"), .create("p3"))
        #expect(words(verdicts) == ["ok", "unknown", "retry"])
        try server.fault("unauthorized", ["operation": "createPost", "skip": 1])
        let later = try api.push(.create("p4"), .create("p5"), .create("p6"))
        #expect(words(later) == ["ok", "auth", "auth"])
    }

    @Test func `keeps the rest of a page, and says what is wrong with one of its items`() throws {
        let api = try AppSync()
        try api.server.control(["command": "seed", "model": "Post", "count": 5])
        try api.server.fault("partial", ["operation": "syncPosts"])
        let pulled = try api.pull()
        #expect(pulled.items.count == 5)
        #expect(pulled.isComplete)
        #expect(pulled.items.filter { $0["record"]?.members != nil }.count == 4)
        let bad = try #require(pulled.items.first { $0["record"]?.text != nil })
        // Without an id: the host asks for each record that it did not meet.
        #expect(bad["id"]?.isNull == true)
        #expect(bad["record"]?.text?.hasPrefix("(item") == true)
    }

    @Test func `takes a refused model for that model's trouble alone`() throws {
        let api = try AppSync()
        try api.server.fault("denied", ["operation": "syncPosts"])
        let error = failure { _ = try api.pull() }
        #expect(error?.kind == .permanent)
        #expect(error?.message.contains("read Post") == true)
        #expect(try api.pull("Comment").items.isEmpty)
    }

    @Test func `does not follow to another place with the credentials`() throws {
        let server = try AppSyncServer()
        let other = try AppSyncServer()
        try server.fault("status", ["status": 307, "operation": "syncPosts", "body": ["x": 1]])
        let api = try AppSync(server)
        #expect(failure { _ = try api.pull() }?.kind == .retryable)
        #expect(try other.journal("*").isEmpty)
    }

    @Test func `tells a server that is gone, and is back when it is`() throws {
        let server = try AppSyncServer()
        let api = try AppSync(server)
        server.stop()
        let error = failure { try api.backend.ping(api.call) }
        #expect(error?.kind == .retryable)
        #expect(error?.message.contains("127.0.0.1") == true)
    }

    @Test func `bounds an answer`() throws {
        let server = try AppSyncServer()
        let api = try AppSync(server, JSONObject([("response_mb", 1), ("page", 5_000)]))
        let text = String(repeating: "x", count: 200_000)
        for number in 0..<8 { try api.make("p\(number)", ["content": .string(text)]) }
        try server.control([
            "command": "settings", "page_bytes": 100_000_000, "response_bytes": 100_000_000,
        ])
        #expect(failure { _ = try api.pull() }?.kind == .tooLarge)
        #expect(try api.pull(limit: 2).ids.count == 8)
    }

    @Test func `keeps several writes under way, and those of one record in order`() throws {
        let server = try AppSyncServer()
        let api = try AppSync(server, JSONObject([("concurrency", 4)]))
        try server.control(["command": "settings", "latency_ms": 20])
        var operations: [PluginOperation] = []
        for number in 0..<20 { operations.append(.create("p\(number)")) }
        operations.append(.update("p3", ["title": "after"], on: 1))
        let verdicts = try api.backend.push(operations, api.call)
        #expect(words(verdicts) == Array(repeating: "ok", count: 21))
        let counters = try server.control(["command": "counters"])
        // Four at most; on a slow machine one may be answered before the fourth is there.
        let most = try #require(counters["max_in_flight"]?.integer)
        #expect((2...4).contains(most))
        #expect(try api.fetch("Post", "p3")[0]["record"]?["title"] == "after")
    }
}
