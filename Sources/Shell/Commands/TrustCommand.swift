internal import JSON
internal import Platform
internal import Plugins

extension Session {
    /// Shows which programs the workspace would start, and asks whether they may run.
    func trust() throws(ShellError) {
        let found = try findWorkspace()
        // What is shown and what is trusted is this very text, and what the programs hold now.
        let content = try written { () throws(SystemError) in
            try Files.read(found.configPath, limit: 16 << 20, regularOnly: true)
        }
        let config = try WorkspaceConfig(reading: content, file: Workspace.fileName)
        let trust = Trust(environment)
        let own = try ownPrograms(of: config, found.root)
        let hashes = trust.hashes(of: own, in: found.root)
        let (isTrusted, known) = try written { () throws(SystemError) in
            (
                try trust.holds(workspace: found.root, content: content),
                try trust.programs(of: found.root)
            )
        }
        let listing = TrustListing(
            locator: PluginLocator(
                environment: environment, executable: executable, workspace: found.root,
                isTrusted: true),
            workspace: found, environment: environment, hashes: hashes, known: known)
        // Whoever consents has to see every word of it.
        var shown = try self.listing()
        shown.width = nil
        try shown.write(listing.programs(of: config), to: output)
        try requireFiles(own)
        if isTrusted, known == hashes {
            return console.note("\(found.root) is trusted already")
        }
        if options.isDryRun { return console.note("nothing was done") }
        try written { () throws(SystemError) in try output.flush() }
        try consent(to: "let \(found.root) start these programs")
        let hold = try holdingPrograms(of: found)
        try written { () throws(SystemError) in
            try trust.trust(workspace: found.root, content: content, programs: hashes)
        }
        _ = consume hold
        reopen()
        console.note(
            "\(found.root) is trusted, as long as satchel.json and its own programs stay as they are"
        )
    }
}

extension Session {
    /// Throws for what cannot be looked at, and so cannot be trusted: a pipe gives each reader
    /// something else.
    private func requireFiles(_ paths: [String]) throws(ShellError) {
        for path in paths where !Files.isDirectory(path) {
            do throws(SystemError) { _ = try FileSeal.take(path) } catch {
                if error.kind == .notFound { continue }
                throw ShellError(
                    .refused, "nothing is trusted: \(error.message)",
                    hint: "put a file in its place, or take it out of satchel.json")
            }
        }
    }
}

/// Finds what a workspace would start.
private struct TrustListing {
    let locator: PluginLocator
    let workspace: Workspace
    let environment: Environment
    /// What the workspace's own programs hold now, and what they held when they were trusted.
    let hashes: [String: String]
    let known: [String: String]

    func programs(of config: WorkspaceConfig) -> [TrustedProgram] {
        var programs: [TrustedProgram] = []
        if workspace.hasForeignSchema {
            programs.append(
                TrustedProgram(
                    setting: "schema", command: config.schema, path: workspace.schemaPath,
                    problem: "it lies outside the workspace"))
        }
        for context in config.contexts {
            let place = "contexts.\(context.name)"
            if let backend = context.backend {
                programs.append(plugin(backend, "\(place).backend"))
            }
            if let command = context.secretCommand {
                programs.append(
                    TrustedProgram(
                        setting: "\(place).secret_command", command: command, path: "/bin/sh",
                        problem: change(in: command)))
            }
        }
        for model in config.models {
            if case .command(let program)? = model.conflict {
                programs.append(line(program, "models.\(model.name).conflict"))
            }
            for field in model.fields {
                guard case .command(let program) = field.conflict else { continue }
                programs.append(
                    line(program, "models.\(model.name).fields.\(field.name).conflict"))
            }
        }
        for hook in config.hooks { programs.append(line(hook.program, "hooks.\(hook.point)")) }
        return programs
    }

    private func plugin(_ name: String, _ setting: String) -> TrustedProgram {
        do throws(PluginError) {
            let path = try locator.locate(name)
            return TrustedProgram(
                setting: setting, command: name, path: path,
                problem: locator.isOwn(path) ? change(of: path) : nil)
        } catch {
            return TrustedProgram(setting: setting, command: name, problem: error.message)
        }
    }

    private func line(_ program: ProgramConfig, _ setting: String) -> TrustedProgram {
        do throws(ShellError) {
            let command = try WorkspaceCommand(
                program.command, root: workspace.root, environment: environment)
            let danger = ProgramFile.danger(command.program)
            return TrustedProgram(
                setting: setting, command: program.command, path: command.program,
                problem: danger ?? change(in: program.command))
        } catch {
            return TrustedProgram(
                setting: setting, command: program.command, problem: error.message)
        }
    }

    /// What is new about the files of the workspace that a command line names.
    private func change(in line: String) -> String? {
        let files = WorkspaceCommand.files(in: line, root: workspace.root)
        for file in files {
            if let danger = ProgramFile.danger(file) { return "\(file): \(danger)" }
        }
        return files.compactMap { change(of: $0) }.first
    }

    private func change(of path: String) -> String? {
        guard let place = ProgramFile.place(of: path, in: workspace.root) else { return nil }
        guard let hash = hashes[place] else { return "\(place) cannot be read" }
        guard let known = known[place], known != hash else { return nil }
        return "\(place) changed since it was trusted"
    }
}

/// A program that a workspace starts.
private struct TrustedProgram: Listed {
    var setting: String
    /// As it is written there.
    var command: String
    /// The file that is started; nil where there is none.
    var path: String?
    var problem: String?

    static let keys = ["setting", "command", "path", "problem"]
    static var columns: [Column] { Column.values("setting", "command", "path", "problem") }
    var values: [JSONValue] {
        [
            .string(setting), .string(command), path.map(JSONValue.string) ?? .null,
            problem.map(JSONValue.string) ?? .null,
        ]
    }
    var cells: [JSONValue] { values }
    var handle: JSONValue { .string(command) }
}
