import JSON
import Platform
import Plugins
import Records
import Sync
import Testing

/// The folder as the engine sees it, through the whole of the host.
@Suite(.timeLimit(.minutes(15))) struct `A folder behind the host` {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func backend(knownIdentity: String? = nil) throws -> PluginBackend {
        let program = Program(
            Path.join(Path.parent(try Files.executable()), "satchel-backend-folder"),
            environment: ["SATCHEL_PLUGIN": "1"], directory: directory.path)
        return try PluginBackend(
            PluginConnection.Setting(
                name: "folder", program: program, masker: Masker(), teardown: Teardown()),
            context: PluginBackend.Context(
                name: "default", client: "test", config: JSONObject([("path", "remote")]),
                knownIdentity: knownIdentity))
    }

    private func create(_ id: String, _ value: Int64) -> PushOperation {
        let record = JSONObject([("id", .string(id)), ("n", .int(value))])
        return PushOperation(
            key: "key-\(id)", group: "g", model: "Post", id: RecordID(id), kind: .create,
            baseVersion: nil, set: record, record: record)
    }

    @Test func `takes a relative path from the workspace`() throws {
        let backend = try backend()
        defer { backend.close() }
        let capabilities = try backend.capabilities()
        #expect(capabilities.idempotency == .key)
        #expect(capabilities.batch == 500)
        #expect(capabilities.hasDelta && capabilities.hasTombstones && capabilities.hasSnapshot)
        #expect(try backend.identity()?.hasPrefix("folder-") == true)
        try backend.ping()
        #expect(Files.exists(directory.file("remote/satchel-folder.json")))
    }

    @Test func `gives back what was pushed, page by page`() throws {
        let backend = try backend()
        defer { backend.close() }
        for start in stride(from: 0, to: 3000, by: 500) {
            let outcomes = try backend.push(
                (start..<(start + 500)).map { create("r\(10_000 + $0)", Int64($0)) })
            #expect(outcomes.count == 500)
        }
        var ids: [String] = []
        var request = PullRequest(model: "Post", cursor: nil, limit: 700)
        while true {
            let page = try backend.pull(request)
            ids += page.records.map(\.id.text)
            request.cursor = page.cursor
            guard page.more else { break }
            backend.prefetch(request)
        }
        #expect(ids == (0..<3000).map { "r\(10_000 + $0)" })
    }

    @Test func `tells conflicts, tombstones and what cannot be read apart`() throws {
        let backend = try backend()
        defer { backend.close() }
        _ = try backend.push([create("a", 1), create("b", 1)])
        let first = try backend.pull(PullRequest(model: "Post", cursor: nil, limit: 10))
        let outcomes = try backend.push([
            PushOperation(
                key: "1", group: "g", model: "Post", id: RecordID("a"), kind: .update,
                baseVersion: 9, set: JSONObject([("n", 2)]), record: nil),
            PushOperation(
                key: "2", group: "g", model: "Post", id: RecordID("b"), kind: .delete,
                baseVersion: 1, set: JSONObject(), record: nil),
            PushOperation(
                key: "3", group: "g", model: "Post", id: RecordID("c"), kind: .update,
                baseVersion: 1, set: JSONObject([("n", 2)]), record: nil),
        ])
        #expect(
            outcomes["1"]
                == .conflict(.record(JSONObject([("id", "a"), ("n", 1)]), version: 1)))
        #expect(outcomes["2"] == .ok(version: 2, record: nil, assignedID: nil))
        #expect(outcomes["3"] == .conflict(.gone(version: nil)))
        let delta = try backend.pull(
            PullRequest(model: "Post", cursor: first.cursor, limit: 10))
        #expect(delta.records == [RemoteRecord(id: RecordID("b"), version: 2, record: nil)])
        try directory.write("remote/Post/a.json", "{ half")
        let page = try backend.pull(PullRequest(model: "Post", cursor: nil, limit: 10))
        #expect(page.records.isEmpty)
        #expect(page.undecodable.map(\.id) == [RecordID("a")])
        #expect(page.undecodable.first?.raw.contains("{ half") == true)
    }

    @Test func `makes up no id for a file whose name does not tell it`() throws {
        let backend = try backend()
        defer { backend.close() }
        let id = String(repeating: "long", count: 150)
        _ = try backend.push([create("a", 1), create(id, 2)])
        let file = try #require(
            try Files.list(directory.file("remote/Post")).first { $0 != "a.json" })
        try directory.write("half", "{ half")
        try Files.rename(directory.file("half"), to: directory.file("remote/Post/\(file)"))
        let page = try backend.pull(PullRequest(model: "Post", cursor: nil, limit: 10))
        #expect(page.records.map(\.id) == [RecordID("a")])
        #expect(page.undecodable.map(\.id) == [nil])
        #expect(page.undecodable.first?.raw.contains("\(file): { half") == true)
        // Asked for by its id, it is known to be there.
        let error = #expect(throws: BackendError.self) {
            try backend.fetch(model: "Post", ids: [RecordID(id)])
        }
        #expect(error?.kind == .permanent)
    }

    @Test func `is out of reach while its drive is`() throws {
        let backend = try backend()
        defer { backend.close() }
        try backend.ping()
        let identity = try backend.identity()
        try Files.rename(directory.file("remote"), to: directory.file("away"))
        #expect(throws: BackendError.self) { try backend.ping() }
        let other = try self.backend(knownIdentity: identity)
        defer { other.close() }
        let error = #expect(throws: BackendError.self) { try other.ping() }
        #expect(error?.kind == .retryable)
        #expect(!Files.exists(directory.file("remote")))
    }
}
