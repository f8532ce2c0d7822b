internal import Platform
internal import Plugins

// What a workspace may start: its satchel.json and its own programs, as this user has seen them.

extension Session {
    /// True when this user trusts what the workspace's `satchel.json` would run.
    func isTrusted(_ workspace: Workspace) throws(ShellError) -> Bool {
        try written { () throws(SystemError) in
            try Trust(environment).holds(
                workspace: workspace.root, content: try Files.read(workspace.configPath))
        }
    }

    func requireTrust(_ workspace: Workspace) throws(ShellError) {
        guard try isTrusted(workspace) else { throw ShellError.untrusted(workspace.root) }
    }

    /// What this program wrote into `satchel.json` itself needs no further consent.
    ///
    /// Neither do the programs that it names only now; those that were known have to stay what they
    /// were.
    func trustOwnWriting(_ workspace: Workspace) throws(ShellError) {
        let trust = Trust(environment)
        let root = workspace.root
        let found = trust.hashes(of: try ownPrograms(of: workspace.config, root), in: root)
        try written { () throws(SystemError) in
            let known = try trust.programs(of: root)
            try trust.trust(
                workspace: root, content: try Files.read(workspace.configPath),
                programs: found.merging(known.filter { found[$0.key] != nil }) { $1 })
        }
    }

    /// Keeps programs of the workspace from running while what it may run changes.
    ///
    /// A program that the workspace started would otherwise decide over itself. It could still write
    /// the files by hand, since it runs as this user: this is against mistakes, not against malice.
    ///
    /// - Returns: What to hold until the change is made; nil where none can ever have run.
    /// - Throws: Kind `.refused` within such a program, `.busy` while one runs.
    func holdingPrograms(of workspace: Workspace) throws(ShellError) -> FileLock? {
        if let running = startedBy {
            throw ShellError(
                .refused,
                "\(running) is running, which cannot change what its workspace may start",
                hint:
                    "satchel trust, config set, auth login and context are for you, not for programs"
            )
        }
        guard Files.isDirectory(workspace.statePath) else { return nil }
        return try ShellError.locking(
            "a hook or a merge program of \(workspace.root) is running: what it may start is not "
                + "changed meanwhile"
        ) { () throws(SystemError) -> FileLock? in
            do throws(SystemError) {
                return try FileLock.acquire(
                    workspace.programsLockPath, within: 5_000, interrupt: interrupt)
            } catch {
                // Where no lock can be made, no program holds one either.
                if error.kind == .permission { return nil }
                throw error
            }
        }
    }

    /// The program of a workspace that started this one, for people; nil for none.
    private var startedBy: String? {
        if let hook = environment["SATCHEL_HOOK"], !hook.isEmpty { return hook }
        if let plugin = environment["SATCHEL_PLUGIN"], !plugin.isEmpty { return "a plugin" }
        return Ancestry.hasGuard ? "a hook or a plugin" : nil
    }

    /// The files of a workspace that it would start, absolute.
    func ownPrograms(of config: WorkspaceConfig, _ root: String) throws(ShellError) -> [String] {
        let locator = PluginLocator(
            environment: environment, executable: executable, workspace: root, isTrusted: true)
        var files = locator.list().map(\.path).filter(locator.isOwn)
        for line in config.commandLines {
            files += WorkspaceCommand.files(in: line, root: root).filter { !files.contains($0) }
        }
        return files
    }

    /// Which of the workspace's own programs would not be started, and why.
    func changedPrograms(of workspace: Workspace) throws(ShellError) -> [String] {
        var problems: [String] = []
        for path in try ownPrograms(of: workspace.config, workspace.root) {
            do throws(PluginError) {
                _ = try Trust(environment).inspect(path, in: workspace.root)
            } catch {
                problems.append(error.message)
            }
        }
        return problems
    }

    /// A schema outside the workspace is read in a trusted one only: a folder that came from elsewhere
    /// could name any file of this machine, whose text would then be seen in messages.
    func requireOwnSchema(_ workspace: Workspace) throws(ShellError) {
        guard workspace.hasForeignSchema, try !isTrusted(workspace) else { return }
        throw ShellError(
            .needsConsent,
            "the schema \(workspace.schemaPath) lies outside the workspace, which is not trusted",
            hint: "look at satchel.json, and consent: satchel trust")
    }
}

extension Workspace {
    /// True where the schema's path, or a link there, leads out of the workspace.
    var hasForeignSchema: Bool {
        if ProgramFile.place(of: schemaPath, in: root) == nil { return true }
        do throws(SystemError) {
            let (file, folder) = (try Files.realPath(schemaPath), try Files.realPath(root))
            return ProgramFile.place(of: file, in: folder) == nil
        } catch {
            // There is none to be read.
            return false
        }
    }
}

extension WorkspaceConfig {
    /// Every command line in it.
    var commandLines: [String] {
        var lines = contexts.compactMap(\.secretCommand) + hooks.map(\.program.command)
        for model in models {
            for setting in [model.conflict].compactMap({ $0 }) + model.fields.map(\.conflict) {
                if case .command(let program) = setting { lines.append(program.command) }
            }
        }
        return lines
    }
}
