internal import Platform
internal import Plugins
internal import Records
internal import Storage
internal import Sync

extension Session {
    /// Starts background sync for the open workspace.
    ///
    /// - Parameters:
    ///   - open: Its context's backend is started on the worker's thread.
    ///   - isAutomatic: False syncs only what is asked for.
    ///   - says: What a person should hear of beside it.
    ///   - tell: Called on that thread with what a person should hear of.
    /// - Returns: The worker; the caller stops it.
    /// - Throws: As `recipe`, for a backend that may not be started.
    func startWorker(
        _ open: OpenWorkspace, isAutomatic: Bool = true,
        says: SyncWorker.Sayings,
        tell: @escaping @Sendable (BackgroundSync.Notice) -> Void
    ) throws(ShellError) -> SyncWorker {
        // Before the secrets are read.
        let login = LoginWatch(secretStore(of: open.workspace))
        let settings = try syncSettings(open)
        var backend = try recipe(open)
        backend.warn = says.warn
        backend.context.filters = settings.filters.mapValues(\.filter)
        let recipe = SyncWorker.Recipe(
            backend: backend, settings: settings, schema: open.schema,
            schemaHash: open.schemaHash, storePath: open.workspace.storePath, clock: clock,
            identifiers: identifiers, isPaused: try isPaused(open), isAutomatic: isAutomatic,
            merging: MergeProgram(open.workspace, open.schema, environment),
            afterSync: AfterSync(open.workspace, environment), login: login, says: says)
        return try written { () throws(SystemError) in try SyncWorker(recipe, tell: tell) }
    }
}
