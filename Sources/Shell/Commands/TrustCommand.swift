internal import JSON
internal import Platform
internal import Plugins

extension Session {
    /// Shows which programs the workspace would start, and asks whether they may run.
    func trust() throws(ShellError) {
        let found = try findWorkspace()
        // What is shown and what is trusted is this very text.
        let content = try written { () throws(SystemError) in
            try Files.read(found.configPath, limit: 16 << 20)
        }
        let config = try WorkspaceConfig(reading: content, file: Workspace.fileName)
        let programs = programs(of: config, in: found)
        try listing().write(programs, to: output)
        let trust = Trust(environment)
        let isTrusted = try written { () throws(SystemError) in
            try trust.holds(workspace: found.root, content: content)
        }
        if isTrusted { return console.note("\(found.root) is trusted already") }
        if options.isDryRun { return console.note("nothing was done") }
        try written { () throws(SystemError) in try output.flush() }
        try consent(to: "let \(found.root) start these programs")
        try written { () throws(SystemError) in
            try trust.trust(workspace: found.root, content: content)
        }
        reopen()
        console.note("\(found.root) is trusted, as long as satchel.json stays as it is")
    }

    private func programs(of config: WorkspaceConfig, in workspace: Workspace) -> [TrustedProgram] {
        let locator = PluginLocator(
            environment: environment, executable: executable, workspace: workspace.root,
            isTrusted: true)
        var programs: [TrustedProgram] = []
        for context in config.contexts {
            let place = "contexts.\(context.name)"
            if let backend = context.backend {
                do throws(PluginError) {
                    let path = try locator.locate(backend)
                    programs.append(TrustedProgram(at: "\(place).backend", runs: path))
                } catch {
                    programs.append(
                        TrustedProgram(
                            at: "\(place).backend", runs: backend, problem: error.message))
                }
            }
            if let command = context.secretCommand {
                programs.append(TrustedProgram(at: "\(place).secret_command", runs: command))
            }
        }
        for model in config.models {
            if case .command(let command)? = model.conflict {
                programs.append(
                    TrustedProgram(at: "models.\(model.name).conflict", runs: command))
            }
            for field in model.fields {
                guard case .command(let command) = field.conflict else { continue }
                programs.append(
                    TrustedProgram(
                        at: "models.\(model.name).fields.\(field.name).conflict", runs: command))
            }
        }
        for hook in config.hooks {
            programs.append(TrustedProgram(at: "hooks.\(hook.point)", runs: hook.command))
        }
        return programs
    }
}

/// A program that a workspace starts.
private struct TrustedProgram: Listed {
    let setting: String
    let command: String
    let problem: String?

    init(at setting: String, runs command: String, problem: String? = nil) {
        self.setting = setting
        self.command = command
        self.problem = problem
    }

    static let keys = ["setting", "command", "problem"]
    static var columns: [Column] { Column.values("setting", "command", "problem") }
    var values: [JSONValue] {
        [.string(setting), .string(command), problem.map(JSONValue.string) ?? .null]
    }
    var cells: [JSONValue] { values }
    var handle: JSONValue { .string(command) }
}
