import JSON
import Platform
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

/// The backend in this process, on a server of its own.
final class AppSync {
    let server: AppSyncServer
    let backend: GraphQLBackend
    let welcome: PluginWelcome
    let clock: Clock

    static let schema = Schema.fixture

    init(
        _ server: AppSyncServer, _ config: JSONObject = JSONObject(),
        secrets: JSONObject = JSONObject([("api_key", .string(AppSyncServer.apiKey))]),
        schema: Schema = AppSync.schema, environment: [String: String] = [:],
        clock: Clock = .system, gathering: Int64 = 600_000,
        host: PluginHost = PluginHost(output: ByteOutput(2, name: "the log"))
    ) throws {
        self.server = server
        self.clock = clock
        var all = JSONObject([("url", .string(server.url))])
        for (key, value) in config.pairs { all[key] = value }
        backend = GraphQLBackend(
            environment: Environment(variables: environment), gathering: gathering)
        welcome = try backend.initialize(
            PluginSetup(
                config: all, secrets: secrets,
                description: schema.protocolJSON.members ?? JSONObject()),
            host: host)
    }

    convenience init(_ options: String...) throws {
        try self.init(AppSyncServer(options: options))
    }

    var call: PluginCall {
        PluginCall(id: 1, host: PluginHost(output: ByteOutput(2, name: "the log")))
    }

    /// Pulls page by page until there is no more.
    func pull(
        _ model: String = "Post", from cursor: JSONValue? = nil, limit: Int = 1000,
        filter: JSONValue? = nil
    ) throws -> Pulled {
        var pulled = Pulled(cursor: cursor)
        while true {
            let page = PluginPage()
            let query = PluginQuery(
                model: model, cursor: pulled.cursor, limit: limit, filter: filter)
            let end = try backend.pull(query, onto: page, call)
            for item in try JSONValue.parse("[" + String(decoding: page.bytes, as: UTF8.self) + "]")
                .elements ?? []
            {
                pulled.items.append(item)
            }
            pulled.pages += 1
            pulled.isComplete = pulled.isComplete && end.isComplete
            pulled.cursor = end.cursor.isNull ? .none : end.cursor
            if !end.more { return pulled }
        }
    }

    struct Pulled {
        var cursor: JSONValue?
        var items: [JSONValue] = []
        var pages = 0
        var isComplete = true

        init(cursor: JSONValue?) { self.cursor = cursor }

        /// The records by their ids; tombstones are null.
        var records: [String: JSONValue] {
            var records: [String: JSONValue] = [:]
            for item in items {
                guard let id = item["id"]?.text else { continue }
                records[id] = item["deleted"] == true ? .null : item["record"] ?? .null
            }
            return records
        }
        var ids: [String] { records.keys.sorted() }
    }

    func fetch(_ model: String = "Post", _ ids: String...) throws -> [JSONValue] {
        let page = PluginPage()
        try backend.fetch(model: model, ids: ids.map { RecordID($0) }, onto: page, call)
        return try JSONValue.parse("[" + String(decoding: page.bytes, as: UTF8.self) + "]")
            .elements ?? []
    }

    @discardableResult
    func push(_ operations: PluginOperation...) throws -> [PluginVerdict?] {
        try backend.push(operations, call)
    }

    /// Makes a post; its version.
    @discardableResult
    func make(_ id: String, title: String = "one", _ more: JSONValue = [:]) throws -> JSONValue {
        let verdict = try push(.create(id, title: title, more)).first ?? nil
        guard case .ok(let version?, _, _)? = verdict else {
            Issue.record("\(id) was not made: \(String(describing: verdict))")
            return .null
        }
        return version
    }
}

extension PluginOperation {
    static func create(
        _ id: String, model: String = "Post", title: String? = "one", _ more: JSONValue = [:]
    ) -> PluginOperation {
        var record = JSONObject([("id", .string(id))])
        if let title { record.append("title", .string(title)) }
        for (key, value) in more.members?.pairs ?? [] { record[key] = value }
        return PluginOperation(
            key: "c-\(id)", model: model, id: RecordID(id), kind: .create, set: record,
            record: record)
    }

    static func update(
        _ id: String, _ set: JSONValue, on base: JSONValue?, model: String = "Post"
    ) -> PluginOperation {
        PluginOperation(
            key: "u-\(id)", model: model, id: RecordID(id), kind: .update, baseVersion: base,
            set: set.members ?? JSONObject())
    }

    static func delete(_ id: String, on base: JSONValue?, model: String = "Post")
        -> PluginOperation
    {
        PluginOperation(
            key: "d-\(id)", model: model, id: RecordID(id), kind: .delete, baseVersion: base)
    }
}

extension PluginVerdict {
    /// The outcome's word, with its code where it has one.
    var word: String {
        switch self {
        case .ok: "ok"
        case .conflict(_, nil): "gone"
        case .conflict: "conflict"
        case .conflictUnseen: "unseen"
        case .rejected(_, let code, let field):
            "rejected \(code ?? "-")" + (field.map { " \($0)" } ?? "")
        case .retry: "retry"
        case .auth: "auth"
        case .unknown: "unknown"
        }
    }

    var record: JSONObject? {
        switch self {
        case .ok(_, let record, _), .conflict(_, let record): record
        default: nil
        }
    }

    var version: JSONValue? {
        switch self {
        case .ok(let version, _, _), .conflict(let version, _), .conflictUnseen(let version):
            version
        default: nil
        }
    }
}

extension Schema {
    /// The schema that the server serves.
    static let fixture: Schema = {
        do {
            let text = try Files.read(Path.join(AppSyncServer.fixtures, "schema.graphql"))
            return try Schema.parse(bytes: text, file: "schema.graphql")
        } catch {
            Issue.record("no schema: \(error)")
            return Schema()
        }
    }()
}

/// The words of verdicts, one an operation.
func words(_ verdicts: [PluginVerdict?]) -> [String] { verdicts.map { $0?.word ?? "unknown" } }

/// The error that `body` throws.
func failure(_ body: () throws -> Void) -> PluginError? {
    do {
        try body()
        return nil
    } catch {
        return error as? PluginError
    }
}
