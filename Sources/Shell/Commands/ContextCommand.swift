internal import JSON
internal import Platform
internal import Storage

extension Session {
    func context(_ request: ContextRequest) throws(ShellError) {
        switch request {
        case .list: try listContexts()
        case .use(let name):
            let found = try findWorkspaceAnyContext()
            if options.isDryRun {
                try found.requireContext(name)
                console.note("\(name) would be in use; nothing was done")
                return
            }
            let workspace = try found.usingContext(name)
            reopen()
            console.note("\(name) is in use now, with the backend \(workspace.shownBackend)")
        case .add(let name, let backend, let settings):
            try addContext(name, backend, settings)
        case .remove(let name): try removeContext(name)
        }
    }

    /// The workspace with whatever context is in use: `--context` says which one a command works
    /// in, not which one is looked at.
    private func findWorkspaceAnyContext() throws(ShellError) -> Workspace {
        try Workspace.open(
            workspace: options.workspace ?? base.workspace, environment: environment)
    }

    private func listContexts() throws(ShellError) {
        let workspace = try findWorkspace()
        var contexts = workspace.config.contexts
        if contexts.isEmpty { contexts = [workspace.context] }
        var items: [ListedContext] = []
        for context in contexts {
            items.append(
                ListedContext(
                    name: context.name, backend: context.backend,
                    isCurrent: context.name.sameBytes(as: workspace.context.name),
                    queued: try queueLength(of: context.name, workspace)))
        }
        try listing().write(items, to: output)
    }

    func queueLength(of context: String, _ workspace: Workspace) throws(ShellError) -> Int {
        try stored { () throws(StoreError) in
            try Store.queueLength(at: workspace.storePath(of: context))
        }
    }

    private func addContext(
        _ name: String, _ backend: String, _ settings: [Pair]
    ) throws(ShellError) {
        let config = try Workspace.backendSettings(settings)
        try requireFolder(backend, config)
        let workspace = try findWorkspaceAnyContext()
        try keepLocalWork(workspace, from: name)
        if options.isDryRun { return console.note("\(name) would be added; nothing was done") }
        let hold = try holdingPrograms(of: workspace)
        let wasTrusted = try isTrusted(workspace)
        let changed = try workspace.addingContext(name, backend: backend, settings: config)
        try trustOwnWriting(changed, after: wasTrusted)
        _ = consume hold
        reopen()
        warnOfMissing(backend, changed)
        let added = try Workspace(root: changed.root, config: changed.config, context: name)
        warnOfMistakes(added)
        warnOfPlainSecrets(added)
        let isOnly = changed.config.contexts.count == 1
        console.note(
            "\(name) is there now, with the backend \(backend)"
                + (isOnly ? "" : "; go over to it: satchel context use \(name)"))
    }

    /// The folder backend cannot do without this setting, and it is ours: said at once.
    func requireFolder(_ backend: String, _ config: JSONObject) throws(ShellError) {
        guard backend == "folder", config["path"] == nil else { return }
        throw .usage(
            "the folder backend needs to know its folder",
            hint: "--set path=DIR; a relative DIR starts at the workspace")
    }

    /// A workspace without contexts works in one called default; what was written there must not
    /// fall out of sight because the first one is called otherwise.
    private func keepLocalWork(_ workspace: Workspace, from name: String) throws(ShellError) {
        guard workspace.config.contexts.isEmpty, name != workspace.context.name else { return }
        let count = try queueLength(of: workspace.context.name, workspace)
        guard count > 0 else { return }
        throw ShellError(
            .refused,
            "\(Quantity.count(count, "change")) made without a backend would not be seen in \(name)",
            hint: "call the first context default, and they are delivered to its backend")
    }

    private func removeContext(_ name: String) throws(ShellError) {
        let workspace = try findWorkspaceAnyContext()
        guard workspace.config.context(name) != nil else {
            // The words of the error are those of every other command.
            _ = try workspace.removingContext(name)
            return
        }
        let count = try queueLength(of: name, workspace)
        if count > 0, !options.isDryRun {
            try consent(
                to: "remove the context \(name) and lose "
                    + Quantity.count(count, "undelivered change"))
        }
        if options.isDryRun {
            return console.note(
                "\(name) would be removed, with \(Quantity.count(count, "undelivered change"));"
                    + " nothing was done")
        }
        worker?.stop()
        worker = nil
        opened = nil
        let hold = try holdingPrograms(of: workspace)
        let wasTrusted = try isTrusted(workspace)
        let changed = try workspace.removingContext(name)
        try trustOwnWriting(changed, after: wasTrusted)
        _ = consume hold
        try written { () throws(SystemError) in try workspace.forgetContext(name) }
        _ = try SecretStore(environment, workspace: workspace.identity, context: name).clear()
        reopen()
        console.note("\(name) is removed, with its store")
    }

    /// Trusts what was written now only if what was there before was trusted: a change of one
    /// setting is no consent to what somebody else wrote beside it.
    func trustOwnWriting(_ workspace: Workspace, after wasTrusted: Bool) throws(ShellError) {
        if wasTrusted { return try trustOwnWriting(workspace) }
        console.note("the workspace is still not trusted to start programs: satchel trust")
    }
}

extension Workspace {
    /// The backend's name for people.
    fileprivate var shownBackend: String { context.backend ?? "none" }

    /// Removes what is kept of a context: its store, its log, the choice of it.
    fileprivate func forgetContext(_ name: String) throws(SystemError) {
        let store = storePath(of: name)
        let log = PluginLogFile.files(Path.join(statePath, "\(name).log"))
        for path in [store, "\(store)-wal", "\(store)-shm"] + log {
            try Files.remove(path)
        }
        guard Files.exists(chosenContextPath) else { return }
        let chosen = try Files.read(chosenContextPath, limit: 4_096)
        if chosen == Array("\(name)\n".utf8) { try Files.remove(chosenContextPath) }
    }
}

/// A context of the workspace.
private struct ListedContext: Listed {
    let name: String
    let backend: String?
    let isCurrent: Bool
    let queued: Int

    static let keys = ["name", "backend", "current", "queued"]
    static var columns: [Column] { Column.values("", "name", "backend", "queued>") }
    var values: [JSONValue] {
        [
            .string(name), backend.map(JSONValue.string) ?? .null, .bool(isCurrent),
            .int(Int64(queued)),
        ]
    }
    var cells: [JSONValue] {
        [
            .string(isCurrent ? "*" : ""), .string(name), .string(backend ?? "none"),
            .int(Int64(queued)),
        ]
    }
    var handle: JSONValue { .string(name) }
}
