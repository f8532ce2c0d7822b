internal import Platform
internal import Plugins
internal import Records
internal import Sync

// A context's plugin asked about other things than records: the store stays closed, and the schema
// may be missing.

extension Session {
    /// Starts a plugin, asks it, and stops it.
    func withPlugin<T>(
        _ recipe: BackendRecipe, _ body: (PluginBackend) throws(ShellError) -> T
    ) throws(ShellError) -> T {
        let teardown = try written { () throws(SystemError) in try Teardown() }
        let backend = recipe.make(teardown, interrupt)
        defer {
            backend.close()
            teardown.wait()
        }
        return try body(backend)
    }

    /// Asks a backend under the shell's error, minding a time-out.
    func answered<T>(_ ask: () throws(BackendError) -> T) throws(ShellError) -> T {
        waitsFor = .backend
        do throws(BackendError) {
            let answer = try ask()
            waitsFor = .nothing
            return answer
        } catch {
            // What it waited for stays known, for the words of a time-out.
            throw ShellError(error)
        }
    }

    /// The workspace's schema; an empty one where the file is missing or wrong.
    func schemaIfAny(_ workspace: Workspace) throws(ShellError) -> Schema {
        try requireOwnSchema(workspace)
        do throws(SystemError) {
            let bytes = try Files.read(
                workspace.schemaPath, limit: 16 << 20, regularOnly: true)
            let (schema, errors) = Schema.check(bytes: bytes, file: workspace.config.schema)
            return errors.isEmpty ? schema : Schema()
        } catch {
            if error.kind == .notFound { return Schema() }
            throw ShellError(error)
        }
    }
}
