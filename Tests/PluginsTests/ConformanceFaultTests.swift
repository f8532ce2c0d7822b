import JSON
import Platform
import Plugins
import Testing

@Suite(.timeLimit(.minutes(15))) struct `Each check of the conformance kit` {
    private let run: ConformanceRun
    private let config = JSONObject([("path", "remote.json")])

    init() throws { run = try ConformanceRun() }

    private func expect(
        _ fault: ConformanceFault, patches: [(old: String, new: String)] = []
    ) throws {
        // The checks of level read show more where there is something to read.
        let isAboutSync = fault.check.contains("delet") || fault.check.contains("delta")
        let level: ConformanceLevel = isAboutSync || !patches.isEmpty ? .sync : .write
        let program = try run.write(.python, patches + fault.patches)
        let verdicts = try run.verdicts(on: program, level, config: config)
        let verdict = try #require(verdicts.first { $0.check == fault.check })
        #expect(verdict.result == .failed, "\(verdicts.map(\.line).joined(separator: "\n"))")
        #expect(verdict.detail?.isEmpty == false)
        #expect(!verdict.transcript.isEmpty)
    }

    @Test(arguments: ConformanceFault.faults)
    func `fails for a plugin with that fault`(fault: ConformanceFault) throws {
        try expect(fault)
    }

    @Test(arguments: ConformanceFault.silences)
    func `fails for wrong events`(fault: ConformanceFault) throws {
        try expect(fault, patches: ConformanceFault.events)
    }

    @Test func `passes for right events`() throws {
        let program = try run.write(.python, ConformanceFault.events)
        let verdicts = try run.verdicts(on: program, .sync, config: config)
        #expect(verdicts.filter { $0.result != .ok }.map(\.line) == [])
    }

    @Test func `has a plugin that fails it`() throws {
        let checks = try run.verdicts(on: try run.write(.python), .sync, config: config)
        let faults = ConformanceFault.faults + ConformanceFault.silences
        #expect(Set(checks.map(\.check)) == Set(faults.map(\.check)))
    }

    @Test func `keeps secrets out of its transcript`() throws {
        let program = try run.write(
            .python,
            [
                (#"METHODS = {"#, #"METHODS = {"configure": configure, "#),
                (
                    "def pull(params):",
                    #"""
                    def configure(params):
                        if "token" in params["answers"]: return {"done": True, "config": {}}
                        return {"key": "token", "label": "Token", "secret": True}

                    def pull(params):
                        print(json.dumps({"jsonrpc": "2.0", "method": "secret", "params":
                            {"key": "token", "value": "renewed-secret"}}), flush=True)
                        raise Refused("permanent", "no use for planted-secret")
                    """#
                ),
                (
                    #"path = params["config"].get("path")"#,
                    #"path = params["config"]["path"] if params["secrets"]["token"] else None"#
                ),
            ])
        var config = config
        config["token"] = "planted-secret"
        let verdicts = try run.verdicts(on: program, .read, config: config)
        #expect(verdicts.contains { $0.result == .failed })
        for verdict in verdicts {
            #expect(!verdict.line.contains("planted-secret"))
            #expect(!verdict.line.contains("renewed-secret"))
        }
        #expect(verdicts.contains { $0.line.contains("••••••") })
    }

    @Test func `tells the same failure once`() throws {
        let program = try run.write(
            .python,
            [
                (
                    "def push(params):",
                    "def push(params):\n    raise ValueError('the store is not there')"
                )
            ])
        let verdicts = try run.verdicts(on: program, .write, config: config)
        let failed = verdicts.filter { $0.result == .failed }
        let lines = failed.map(\.line)
        #expect(failed.count > 5, "\(lines)")
        // A program that ends with the same words each time has them shown with the first.
        #expect(lines.filter { $0.contains("the store is not there") }.count == 1, "\(lines)")
        #expect(lines.filter { $0.contains("\"method\":\"push\"") }.count == 1, "\(lines)")
        #expect(failed.last?.transcript.first?.contains(failed[0].check) == true, "\(lines)")
    }

    @Test func `asks whether a silent plugin flushes its output`() throws {
        let program = try run.write(
            .python, [("**answer}), flush=True)", "**answer}), flush=False)")])
        run.deadlines.silence = 50
        run.deadlines.initialize = 1_500
        var hints: [String] = []
        let error = #expect(throws: PluginError.self) {
            try run.verdicts(on: program, .read, config: config) { hints.append($0) }
        }
        #expect(hints.first?.contains("does it flush its output") == true, "\(hints)")
        #expect(error?.message.contains("within 1500 ms") == true)
        #expect(error?.hint?.contains("does it flush its output") == true)
    }

    @Test func `says why a plugin cannot be tested`() throws {
        let error = #expect(throws: PluginError.self) {
            try run.verdicts(on: try run.write(.python), .read)
        }
        #expect(error?.message.contains("set the config key path") == true)
        #expect(throws: PluginError.self) {
            try run.verdicts(on: Path.join(run.directory, "nothing"), .read)
        }
    }
}
