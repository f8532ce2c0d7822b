internal import JSON
package import Platform

/// A folder with a `satchel.json`, and the context that is at work in it.
package struct Workspace: Sendable, Equatable {
    /// The folder, absolute.
    package let root: String
    package private(set) var config: WorkspaceConfig
    package private(set) var context: ContextConfig

    package static let fileName = "satchel.json"

    /// Finds and reads the workspace that the options, the environment and the current folder mean.
    ///
    /// - Parameters:
    ///   - workspace: `--workspace`; beats `SATCHEL_WORKSPACE`, which beats the nearest folder
    ///     upwards.
    ///   - context: `--context`; beats the choice that `context use` stored.
    ///   - environment: Of the process.
    /// - Returns: The workspace, its context chosen.
    /// - Throws: Kind `.workspace` when there is none, `.input` for a `satchel.json` that is wrong,
    ///   `.usage` for a context that is not in it.
    package static func open(
        workspace: String? = nil, context: String? = nil, environment: Environment
    ) throws(ShellError) -> Workspace {
        let found = try find(workspace, environment)
        let config = try WorkspaceConfig(reading: found.bytes, file: found.shown)
        return try Workspace(root: found.root, config: config, context: context)
    }

    /// Takes a configuration already read.
    package init(root: String, config: WorkspaceConfig, context: String?) throws(ShellError) {
        self.root = root
        self.config = config
        self.context = ContextConfig(name: "default", backend: nil)
        self.context = try chosenContext(context)
    }
}

// MARK: - Paths

extension Workspace {
    package var configPath: String { Path.join(root, Self.fileName) }
    package var schemaPath: String { Path.join(root, config.schema) }
    /// Stores, logs and state; 0700, ignored by git.
    package var statePath: String { Path.join(root, ".satchel") }
    package var storePath: String { storePath(of: context.name) }
    /// Held while `satchel.json` or the chosen context changes.
    package var lockPath: String { Path.join(statePath, "lock") }
    /// Held, with others, while a hook or a merge program runs; alone while what may run changes.
    var programsLockPath: String { Path.join(statePath, "programs.lock") }
    /// Held by whose write a hook is asked about once more, since its record changed meanwhile.
    var turnLockPath: String { Path.join(statePath, "turn.lock") }
    /// What the context's plugin says on its standard error.
    package var logPath: String { Path.join(statePath, "\(context.name).log") }
    /// The name of the context that `context use` chose.
    var chosenContextPath: String { Path.join(statePath, "context") }

    package func storePath(of context: String) -> String {
        Path.join(statePath, "\(context).sqlite")
    }

    /// Makes the folder of stores and logs where it is missing.
    package func makeState() throws(ShellError) {
        try Self.system { () throws(SystemError) in
            guard !Files.isDirectory(statePath) else { return }
            try Files.makeDirectory(statePath, mode: 0o700)
            try Files.replace(
                Path.join(statePath, ".gitignore"), with: Array("*\n".utf8), durable: false)
        }
    }

    static func system<Result: ~Copyable>(
        _ body: () throws(SystemError) -> Result
    ) throws(ShellError) -> Result {
        do throws(SystemError) { return try body() } catch { throw ShellError(error) }
    }
}

// MARK: - Finding

extension Workspace {
    private typealias Found = (root: String, bytes: [UInt8], shown: String)

    private static func find(
        _ option: String?, _ environment: Environment
    ) throws(ShellError) -> Found {
        let current = try system { () throws(SystemError) in try Files.currentDirectory() }
        if let named = option ?? environment["SATCHEL_WORKSPACE"], !named.isEmpty {
            let root = Path.normalise(Path.join(current, named))
            let shown = Path.join(named, fileName)
            if let bytes = try read(root) { return (root, bytes, shown) }
            let source = option == nil ? " (from SATCHEL_WORKSPACE)" : ""
            throw ShellError(
                .workspace, "\(named)\(source) is no workspace: it has no \(fileName)",
                hint: "make one: satchel init \(named)")
        }
        var folder = current
        while true {
            if let bytes = try read(folder) {
                let isHere = folder == current
                return (folder, bytes, isHere ? fileName : Path.join(folder, fileName))
            }
            if folder == "/" { break }
            folder = Path.parent(folder)
        }
        throw ShellError(
            .workspace, "no workspace here: no \(fileName) in \(current) or a folder above it",
            hint: "make one: satchel init")
    }

    /// The bytes of the folder's `satchel.json`; nil when it has none.
    private static func read(_ folder: String) throws(ShellError) -> [UInt8]? {
        do throws(SystemError) {
            return try Files.read(
                Path.join(folder, fileName), limit: 16 << 20, regularOnly: true)
        } catch {
            if error.kind == .notFound { return nil }
            throw ShellError(error)
        }
    }

    private func chosenContext(_ option: String?) throws(ShellError) -> ContextConfig {
        let names = config.contexts.map(\.name)
        if let option {
            if let context = config.context(option) { return context }
            if names.isEmpty, option == "default" { return context }
            throw .usage(
                "there is no context \"\(option)\"",
                hint: Suggestion.hint(for: option, among: names)
                    ?? "there is \(names.joined(separator: ", "))")
        }
        guard let first = config.contexts.first else { return context }
        if names.count == 1 { return first }
        if let chosen = try storedChoice() {
            if let context = config.context(chosen) { return context }
            throw ShellError(
                .workspace, "the context in use, \"\(chosen)\", is no longer in \(Self.fileName)",
                hint: "choose another: satchel context use \(names[0])")
        }
        return config.context("default") ?? first
    }

    private func storedChoice() throws(ShellError) -> String? {
        do throws(SystemError) {
            let bytes = try Files.read(chosenContextPath, limit: 4096)
            let name = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
            return name.isEmpty ? nil : name
        } catch {
            if error.kind == .notFound { return nil }
            throw ShellError(error)
        }
    }
}
