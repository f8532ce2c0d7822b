internal import JSON
internal import Platform
internal import Plugins
internal import Records
internal import Storage
internal import Sync

// The backend of the context in use, and the engine over it.

extension Session {
    /// Starts the context's plugin, asks it, and stops it.
    func withBackend<T>(
        _ open: OpenWorkspace, _ body: (PluginBackend) throws(BackendError) -> T
    ) throws(ShellError) -> T {
        try withPlugin(try recipe(open)) { (backend) throws(ShellError) in
            try answered { () throws(BackendError) in try body(backend) }
        }
    }

    /// How to start the plugin of the context; nothing is started yet.
    ///
    /// - Throws: Kind `.needsConsent` for a workspace this user has not trusted, `.unreachable` when
    ///   the command shall not use the network.
    func recipe(_ open: OpenWorkspace) throws(ShellError) -> BackendRecipe {
        if try isPaused(open) {
            throw ShellError(
                .unreachable, "sync is paused", hint: "go on with: satchel sync resume")
        }
        var recipe = try recipe(open.workspace, schema: open.schema)
        recipe.context.client = try client(open)
        recipe.context.knownIdentity = try stored { () throws(StoreError) in
            try open.store.meta(.identity)
        }
        return recipe
    }

    /// How to start the plugin of a workspace's context for what needs no store.
    ///
    /// Settings and secrets are those that `credentials(of:)` finds where none are given.
    func recipe(
        _ workspace: Workspace, schema: Schema, with given: Credentials? = nil
    ) throws(ShellError) -> BackendRecipe {
        let context = workspace.context
        guard let name = context.backend else {
            throw ShellError(
                .workspace, "the context \(context.name) has no backend",
                hint: "add one: satchel context add \(context.name) --backend folder --set path=DIR"
            )
        }
        if options.isOffline || settings.isOffline {
            throw ShellError(
                .unreachable, "offline, as asked: \(name) is not called",
                hint: "leave out --offline")
        }
        try requireTrust(workspace)
        let credentials: Credentials
        if let given {
            credentials = given
        } else {
            credentials = try self.credentials(of: workspace)
        }
        let store = secretStore(of: workspace)
        return BackendRecipe(
            name: name, program: try locate(name, workspace), logPath: workspace.logPath,
            clock: clock,
            context: PluginBackend.Context(
                name: context.name, client: identifiers.next(), config: credentials.config,
                secrets: credentials.secrets, schema: schema),
            keepSecret: { key, value in store.refresh(key, value) })
    }

    func isPaused(_ open: OpenWorkspace) throws(ShellError) -> Bool {
        try stored { () throws(StoreError) in try open.store.meta(.paused) == "1" }
    }

    /// True for a backend that could be started.
    func finds(_ backend: String, _ workspace: Workspace) -> Bool {
        do throws(ShellError) {
            _ = try locate(backend, workspace)
            return true
        } catch {
            return false
        }
    }

    /// Warns where a context names a backend that is not to be found.
    func warnOfMissing(_ backend: String, _ workspace: Workspace) {
        do throws(ShellError) {
            _ = try locate(backend, workspace)
        } catch {
            console.warn(error.lines(spoken), lines: .kept)
        }
    }

    /// Where plugins of this workspace are looked for.
    func locator(_ workspace: Workspace?) throws(ShellError) -> PluginLocator {
        PluginLocator(
            environment: environment, executable: executable, workspace: workspace?.root,
            isTrusted: try workspace.map { (space) throws(ShellError) in try isTrusted(space) }
                ?? false)
    }

    func locate(_ name: String, _ workspace: Workspace) throws(ShellError) -> Program {
        let locator = try locator(workspace)
        var variables = environment.variables
        variables["SATCHEL_PLUGIN"] = "1"
        do throws(PluginError) {
            var program = Program(
                try locator.locate(name), environment: variables, directory: workspace.root)
            if locator.isOwn(program.path) {
                program.seal = try Trust(environment).inspect(program.path, in: workspace.root)
            }
            return program
        } catch {
            throw ShellError(error.asBackendError)
        }
    }

    /// A name for this store, the same as long as it lives: backends log it.
    private func client(_ open: OpenWorkspace) throws(ShellError) -> String {
        let known = try stored { () throws(StoreError) in try open.store.meta(.client) }
        if let known { return known }
        let fresh = identifiers.next()
        try stored { () throws(StoreError) in
            try open.store.write { () throws(StoreError) in
                try open.store.setMeta(.client, fresh)
            }
        }
        return fresh
    }

    func syncSettings(_ open: OpenWorkspace) throws(ShellError) -> SyncSettings {
        var settings = SyncSettings()
        for config in open.workspace.config.models {
            let model = try open.model(config.name)
            settings.policies[model.name] = open.policies(of: model.name)
            if let text = config.filter, let filter = try filter(text, model, open) {
                settings.filters[model.name] = (text, filter)
            }
        }
        return settings
    }
}
