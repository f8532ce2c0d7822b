import JSON
import Platform
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

/// The backend in this process, on a server that lies.
struct Deceived {
    let server: LyingServer
    let backend: EitherBackend

    static let schema = "type Post @model { id: ID! title: String }"

    init(
        _ mapping: JSONValue? = nil, timeout: Int64 = 120, _ more: JSONValue = [:],
        server: LyingServer? = nil, holding: Int64 = 2_000
    ) throws {
        self.server = try server ?? LyingServer()
        backend = EitherBackend(environment: Environment(variables: [:]), holding: holding)
        var config = JSONObject([("url", .string(self.server.url)), ("timeout", .int(timeout))])
        for (key, value) in more.members?.pairs ?? [] { config.append(key, value) }
        if let mapping {
            config.append("mapping", mapping)
        } else if config["conflict_detection"] == nil {
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

    /// What came of a pull, and where the next goes on.
    struct Pulled {
        var items: [JSONValue] = []
        var error: PluginError?
        var cursor: JSONValue?
        var isComplete = true
        /// Records of the largest page.
        var most = 0
    }

    /// Pulls to the end, or to the first error; gives up after so many pages.
    func pull(
        from cursor: JSONValue? = nil, limit: Int = 1_000, atMost pages: Int = 1_000
    ) throws -> Pulled {
        var pulled = Pulled(cursor: cursor)
        for _ in 0..<pages {
            let page = PluginPage()
            let query = PluginQuery(model: "Post", cursor: pulled.cursor, limit: limit)
            let end: PluginPageEnd
            do throws(PluginError) { end = try backend.pull(query, onto: page, call) } catch {
                pulled.error = error
                return pulled
            }
            let items = "[" + String(decoding: page.bytes, as: UTF8.self) + "]"
            pulled.items += try JSONValue.parse(items).elements ?? []
            pulled.most = max(pulled.most, page.count)
            pulled.isComplete = pulled.isComplete && end.isComplete
            pulled.cursor = end.cursor.isNull ? .none : end.cursor
            if !end.more { return pulled }
        }
        if pages > 1 { Issue.record("there is no end of pages") }
        return pulled
    }

    func push() throws -> [PluginVerdict?] { try backend.push([.create("p1")], call) }
}
