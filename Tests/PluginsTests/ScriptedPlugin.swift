import JSON
import Platform
import Plugins
import Records
import Sync

/// A plugin written as a few lines of Python, in a folder that goes away with it.
final class ScriptedPlugin {
    static let prelude = """
        #!/usr/bin/python3 -IS
        import json, os, signal, subprocess, sys, time
        def out(data): 
            while data: data = data[os.write(1, data):]
        def say(message): out((json.dumps(message) + "\\n").encode())
        def answer(request, result): say({"jsonrpc": "2.0", "id": request["id"], "result": result})
        def refuse(request, kind, message="no", **more):
            say({"jsonrpc": "2.0", "id": request["id"], "error":
                {"code": -32000, "message": message, "data": dict(kind=kind, **more)}})
        def tell(method, **params): say({"jsonrpc": "2.0", "method": method, "params": params})
        def requests():
            while True:
                line = sys.stdin.readline()
                if not line: return
                request = json.loads(line)
                if request["method"] in ("cancel", "shutdown"): continue
                yield request
        CAPABILITIES = {"push": {"idempotency": "key", "batch": 100}, "pull": {"delta": True},
            "events": True, "ping": True}
        def welcome(request, **more):
            answer(request, dict(dict(protocol=1, plugin={"name": "scripted", "version": "1"},
                capabilities=CAPABILITIES, identity="set-1"), **more))
        def record_pid(pid):
            with open(sys.argv[0] + ".pids", "a") as file: file.write("%d\\n" % pid)
        record_pid(os.getpid())

        """

    let directory: String
    let path: String
    let teardown: Teardown
    let interrupt: Interrupt
    let masker = Masker()
    let logs: Mailbox<PluginLog>
    var deadlines = Deadlines()

    init(_ body: String, prelude: String = ScriptedPlugin.prelude) throws {
        directory = try Files.makeTemporaryDirectory(prefix: "satchel-plugin")
        path = Path.join(directory, "satchel-backend-scripted")
        teardown = try Teardown()
        interrupt = try Interrupt()
        logs = try Mailbox()
        try Files.replace(path, with: Array((prelude + body + "\n").utf8), mode: 0o700)
        // Long enough for a busy machine; what is about a deadline sets a shorter one.
        deadlines.initialize = 120_000
        deadlines.cancel = 150
        deadlines.closing = 100
        deadlines.terminating = 100
    }

    deinit {
        teardown.wait()
        try? Files.removeTree(directory)
    }

    func backend(secrets: JSONObject = JSONObject()) -> PluginBackend {
        let logs = logs
        var setting = PluginConnection.Setting(
            name: "scripted",
            program: Program(
                path, environment: ["PATH": "/usr/bin:/bin", "HOME": directory],
                directory: directory),
            masker: masker, teardown: teardown, log: { logs.put($0) })
        setting.deadlines = deadlines
        setting.interrupt = interrupt
        return PluginBackend(
            setting,
            context: PluginBackend.Context(name: "default", client: "test", secrets: secrets))
    }

    /// The processes the script has noted that still run.
    func survivors() throws -> [Int32] {
        teardown.wait()
        let noted = path + ".pids"
        guard Files.exists(noted) else { return [] }
        let lines = String(decoding: try Files.read(noted), as: UTF8.self).split(separator: "\n")
        var running = lines.compactMap { Int32($0) }
        // A killed grandchild needs a moment to go, and nobody here is told when it has.
        for _ in 0..<60_000 {
            running = running.filter(Self.runs)
            if running.isEmpty { break }
            _ = Poll.wait(reading: [], milliseconds: 1)
        }
        return running
    }

    /// How many processes the script has noted.
    func starts() throws -> Int {
        try Files.read(path + ".pids").count { $0 == 10 }
    }

    /// A process whose end nobody has collected yet is gone too.
    private static func runs(_ process: Int32) -> Bool {
        do throws(SystemError) {
            let stat = String(decoding: try Files.read("/proc/\(process)/stat"), as: UTF8.self)
            let state = stat.split(separator: ")").last?.split(separator: " ").first
            return state != "Z" && state != "X"
        } catch {
            return false
        }
    }
}

extension PushOperation {
    static func create(_ key: String, id: String) -> PushOperation {
        PushOperation(
            key: key, group: "g", model: "Post", id: RecordID(id), kind: .create, baseVersion: nil,
            set: JSONObject([("title", "x")]), record: JSONObject([("id", .string(id))]))
    }
}
