internal import JSON
internal import Platform
internal import Plugins
internal import Records
internal import Sync

// Settings that would be followed by nobody: found before they are written, and by doctor.

extension Session {
    /// Refuses to set what a sync would not take: a filter that is none, a model that is not there, a
    /// setting that the backend does not know.
    ///
    /// - Throws: Kind `.usage`: nothing was done.
    func refuseMistakes(
        in key: String, _ word: String, _ workspace: Workspace
    ) throws(ShellError) {
        let wanted = try workspace.setting(key, wouldBe: word)
        let parts = key.split(separator: ".").map(String.init)
        if parts.first == "models" {
            let schema = try schemaIfAny(workspace)
            for model in wanted.config.models
            where parts.count < 2 || model.name.sameBytes(as: parts[1]) {
                if let mistake = mistake(in: model, schema) {
                    throw .usage("\(key): \(mistake.message)", hint: mistake.hint)
                }
            }
        }
        for (context, _) in workspace.backendSettings(key, word) {
            guard let new = wanted.config.context(context),
                workspace.config.context(context)?.backend == new.backend
            else { continue }
            let space = try Workspace(
                root: workspace.root, config: workspace.config, context: context)
            guard let complaint = complaint(about: new.config, of: space) else { continue }
            // Of several mistakes the first that is mended must not be refused for the others.
            guard self.complaint(about: space.context.config, of: space) == nil else {
                warn(of: complaint)
                continue
            }
            throw .usage(complaint.message, hint: complaint.hint)
        }
    }

    /// The first mistake in what is set of the models; nil where there is none, or no schema.
    func mistakeInModels(_ workspace: Workspace, _ schema: Schema) -> ShellError? {
        workspace.config.models.lazy.compactMap { self.mistake(in: $0, schema) }.first
    }

    private func mistake(in config: ModelConfig, _ schema: Schema) -> ShellError? {
        if schema.models.isEmpty { return nil }
        guard let model = schema.model(config.name) else {
            let names = schema.models.map(\.name)
            return .usage(
                "the schema has no model \"\(config.name)\"",
                hint: Suggestion.hint(for: config.name, among: names)
                    ?? "it has \(names.joined(separator: ", "))")
        }
        for field in config.fields where model.field(field.name) == nil {
            return .usage(
                "\(model.name) has no field \"\(field.name)\"",
                hint: Suggestion.hint(for: field.name, among: model.fields.map(\.name)))
        }
        guard let text = config.filter else { return nil }
        do throws(RecordsError) {
            _ = try Filter.parse(text, model: model, schema: schema)
            return nil
        } catch {
            return ShellError(error)
        }
    }

    /// What a context's backend finds wrong with settings; nil where it finds nothing, cannot be
    /// asked, or may not be started here.
    func complaint(about config: JSONObject, of workspace: Workspace) -> ShellError? {
        do throws(ShellError) {
            guard workspace.context.backend != nil, try isTrusted(workspace) else { return nil }
            var given = Credentials(written: workspace.context)
            given.config = config
            for key in workspace.context.secrets { given.config[key] = nil }
            given.secrets = JSONObject()
            let settings = given.config
            let recipe = try recipe(workspace, schema: try schemaIfAny(workspace), with: given)
            try withPlugin(recipe) { (backend) throws(ShellError) in
                _ = try converse(backend, settings) { (question) throws(ShellError) in
                    .string(question.defaultAnswer ?? "")
                }
            }
            return nil
        } catch {
            return error.kind == .failed ? error : nil
        }
    }

    /// Warns of settings that the backend does not take, once they are written.
    func warnOfMistakes(_ workspace: Workspace) {
        if let complaint = complaint(about: workspace.context.config, of: workspace) {
            warn(of: complaint)
        }
    }

    private func warn(of complaint: ShellError) {
        console.warn(complaint.lines(spoken), lines: .kept)
    }
}
