internal import JSON
internal import Platform
internal import Plugins
internal import Records
internal import Sync

extension Session {
    func plugin(_ request: PluginRequest) throws(ShellError) -> ExitCode {
        switch request {
        case .list: try listPlugins()
        case .info(let name): try describePlugin(name)
        case .test(let command, let level, let settings):
            return try testPlugin(command, level, settings)
        case .new(let name, let language): try newPlugin(name, language)
        }
        return .done
    }

    /// The workspace where there is one: plugins are there without.
    func workspaceIfAny() throws(ShellError) -> Workspace? {
        do throws(ShellError) { return try findWorkspace() } catch {
            if error.kind == .workspace, options.workspace == nil, base.workspace == nil {
                return nil
            }
            throw error
        }
    }

    private func listPlugins() throws(ShellError) {
        let workspace = try workspaceIfAny()
        let used = workspace.map { $0.config.contexts.compactMap(\.backend) } ?? []
        let found = try locator(workspace).list()
        try listing().write(
            found.map { FoundPlugin($0, isUsed: used.contains($0.name) && !$0.isShadowed) },
            to: output)
    }

    private func describePlugin(_ name: String) throws(ShellError) {
        let workspace = try workspaceIfAny()
        let locator = try locator(workspace)
        let path: String
        do throws(PluginError) { path = try locator.locate(name) } catch {
            throw ShellError(
                error.kind == .untrusted ? .needsConsent : .notFound, error.message,
                hint: error.hint)
        }
        var description = PluginDescription(name: name, path: path)
        let context = workspace?.context.backend == name ? workspace?.context.name : nil
        description.context = context
        if let workspace, context != nil, try !isTrusted(workspace) {
            description.problem = "the workspace is not trusted to start it: satchel trust"
        } else if options.isOffline || settings.isOffline {
            description.problem = "not asked, for it may use the network"
        } else {
            try ask(&description, context == nil ? nil : workspace)
        }
        try write(description)
    }

    /// Starts the plugin and lets it say what it is; with the settings of `workspace`, or none.
    private func ask(
        _ description: inout PluginDescription, _ workspace: Workspace?
    ) throws(ShellError) {
        let recipe: BackendRecipe
        if let workspace {
            recipe = try self.recipe(workspace, schema: try schemaIfAny(workspace))
        } else {
            var variables = environment.variables
            variables["SATCHEL_PLUGIN"] = "1"
            var program = Program(description.path, environment: variables)
            if let space = try workspaceIfAny(), try locator(space).isOwn(program.path) {
                program.seal = try Trust(environment).inspecting(program.path, in: space.root)
            }
            recipe = BackendRecipe(
                name: description.name, program: program,
                logPath: "/dev/null", clock: clock,
                context: PluginBackend.Context(
                    name: "default", client: identifiers.next(), schema: Schema()))
        }
        let answer = try withPlugin(recipe) {
            (backend) throws(ShellError) -> (PluginBackend.Welcome?, String?, [String]) in
            waitsFor = .backend
            defer { waitsFor = .nothing }
            do throws(BackendError) {
                let welcome = try backend.greeted()
                return (welcome, nil, [])
            } catch {
                if case .cancelled = error.kind { throw ShellError(error) }
                let asked = try firstQuestion(backend, recipe.context.config)
                return (nil, error.message, asked.map { [$0] } ?? [])
            }
        }
        description.welcome = answer.0
        description.problem = answer.1
        description.wants = answer.2
    }

    /// The setting a plugin asks for first; nil where it asks nothing or does not say.
    private func firstQuestion(
        _ backend: PluginBackend, _ answers: JSONObject
    ) throws(ShellError) -> String? {
        do throws(BackendError) {
            guard case .ask(let question) = try backend.configure(answers: answers) else {
                return nil
            }
            return "\(question.key): \(question.label)"
        } catch {
            if case .cancelled = error.kind { throw ShellError(error) }
            return nil
        }
    }
}

/// A plugin of the search path.
private struct FoundPlugin: Listed {
    let found: PluginLocator.Found
    let isUsed: Bool

    init(_ found: PluginLocator.Found, isUsed: Bool) {
        self.found = found
        self.isUsed = isUsed
    }

    static let keys = ["name", "path", "used", "shadowed", "problem"]
    static var columns: [Column] { Column.values("", "name", "path", "problem") }
    var values: [JSONValue] {
        [
            .string(found.name), .string(found.path), .bool(isUsed), .bool(found.isShadowed),
            found.problem.map(JSONValue.string) ?? .null,
        ]
    }
    var cells: [JSONValue] {
        let problem = found.problem ?? (found.isShadowed ? "another one comes first" : nil)
        return [
            .string(isUsed ? "*" : ""), .string(found.name), .string(found.path),
            problem.map(JSONValue.string) ?? .null,
        ]
    }
    var handle: JSONValue { .string(found.name) }
}
