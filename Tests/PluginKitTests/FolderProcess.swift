import Glibc
import JSON
import Platform
import Testing

/// The folder backend as a process of its own, spoken to over its pipes.
final class FolderProcess {
    let pid: pid_t
    private let reader: LineReader
    private let output: ByteOutput
    private var descriptors: [Int32]
    private var nextID: Int64 = 0
    private var isCollected = false

    /// Starts it on `path`; with a known identity it makes no folder.
    init(_ path: String, client: String = "test", knownIdentity: String? = nil) throws {
        let (pluginInput, hostOutput) = try pipeEnds()
        let (hostInput, pluginOutput) = try pipeEnds()
        descriptors = [hostOutput, hostInput]
        reader = LineReader(hostInput, name: "the plugin's output")
        output = ByteOutput(hostOutput, name: "the plugin's input")
        pid = try Self.spawn(input: pluginInput, output: pluginOutput)
        close(pluginInput)
        close(pluginOutput)
        var params: JSONValue = [
            "protocols": [1], "client": .string(client), "config": ["path": .string(path)],
        ]
        if let knownIdentity, case .object(var members) = params {
            members["identity"] = .string(knownIdentity)
            params = .object(members)
        }
        welcome = try ask("initialize", params)
    }

    /// The answer to `initialize`.
    private(set) var welcome: JSONValue = nil

    deinit {
        for descriptor in descriptors { close(descriptor) }
        if !isCollected { _ = waitpid(pid, nil, 0) }
    }

    func send(_ method: String, _ params: JSONValue) throws {
        nextID += 1
        let request: JSONValue = [
            "jsonrpc": "2.0", "id": .int(nextID), "method": .string(method), "params": params,
        ]
        try output.write(request.bytes() + [10])
        try output.flush()
    }

    /// The next line; nil when the process is gone.
    func line() throws -> JSONValue? {
        guard case .line(let bytes) = try reader.next(), reader.endedInNewline else { return nil }
        return try JSONValue.parse(bytes)
    }

    func ask(_ method: String, _ params: JSONValue = [:]) throws -> JSONValue {
        try send(method, params)
        while let line = try line() {
            if line["id"] == .int(nextID) { return line["result"] ?? line["error"] ?? .null }
        }
        Issue.record("the plugin ended without an answer to \(method)")
        return .null
    }

    func kill() {
        Glibc.kill(pid, SIGKILL)
        _ = waitpid(pid, nil, 0)
        isCollected = true
    }

    private static func spawn(input: Int32, output: Int32) throws -> pid_t {
        let program = Path.join(Path.parent(try Files.executable()), "satchel-backend-folder")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), nil]
        var environment: [UnsafeMutablePointer<CChar>?] = [strdup("SATCHEL_PLUGIN=1"), nil]
        defer { for text in arguments + environment { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, program, &actions, nil, &arguments, &environment)
        try #require(code == 0, "cannot start \(program)")
        return pid
    }
}

extension FolderProcess {
    struct Pulled {
        var records: [String: JSONValue] = [:]
        var order: [String] = []
        /// Every item as it came.
        var items: [JSONValue] = []
        var cursor: JSONValue?
        var pages = 0
    }

    /// Pulls page by page until there is no more, the later state of a record over the earlier.
    func pull(
        _ model: String, from cursor: JSONValue? = nil, limit: Int64 = 100,
        between: () throws -> Void = {}
    ) throws -> Pulled {
        var pulled = Pulled(cursor: cursor)
        while true {
            let page = try ask(
                "pull",
                ["model": .string(model), "cursor": pulled.cursor ?? .null, "limit": .int(limit)])
            for item in try #require(page["records"]?.elements, "\(page.serialized())") {
                let id = try #require(item["id"]?.text)
                if pulled.records[id] == nil { pulled.order.append(id) }
                pulled.records[id] = item
                pulled.items.append(item)
            }
            pulled.cursor = page["cursor"]
            pulled.pages += 1
            if page["more"] != true { return pulled }
            try between()
        }
    }

    func push(_ operations: [JSONValue]) throws -> [JSONValue] {
        try ask("push", ["ops": .array(operations)])["results"]?.elements ?? []
    }

    static func create(_ id: String, key: String? = nil, _ record: JSONValue) -> JSONValue {
        [
            "key": .string(key ?? "key-\(id)"), "model": "Post", "id": .string(id),
            "kind": "create", "base_version": nil, "set": record, "record": record,
        ]
    }

    static func update(
        _ id: String, key: String, base: JSONValue, _ set: JSONValue
    ) -> JSONValue {
        [
            "key": .string(key), "model": "Post", "id": .string(id), "kind": "update",
            "base_version": base, "set": set, "record": nil,
        ]
    }

    static func delete(_ id: String, key: String, base: JSONValue) -> JSONValue {
        [
            "key": .string(key), "model": "Post", "id": .string(id), "kind": "delete",
            "base_version": base, "set": [:],
        ]
    }
}
