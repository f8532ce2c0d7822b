internal import JSON
internal import Plugins
internal import Sync

// What a plugin asks with `configure`, and who answers.

extension Session {
    /// Puts a plugin's questions to `answer` until it is content; its settings then.
    ///
    /// - Throws: Kind `.plugin` when it asks the same twice. An answer of nil ends the questions.
    func converse(
        _ backend: PluginBackend, _ known: JSONObject,
        _ answer: (PluginBackend.Question) throws(ShellError) -> JSONValue?
    ) throws(ShellError) -> JSONObject {
        var answers = known
        var asked: Set<String> = []
        while true {
            guard let next = try question(after: answers, of: backend) else { return answers }
            switch next {
            case .done(let config): return config
            case .ask(let question):
                guard asked.insert(question.key).inserted else {
                    throw ShellError(
                        .plugin,
                        "the backend asks for \(question.key) again: it did not take the answer")
                }
                guard let value = try answer(question) else { return answers }
                answers[question.key] = value
            }
        }
    }

    /// What a plugin asks next; nil for one that asks no questions at all.
    private func question(
        after answers: JSONObject, of backend: PluginBackend
    ) throws(ShellError) -> PluginBackend.ConfigureAnswer? {
        try answered { () throws(BackendError) -> PluginBackend.ConfigureAnswer? in
            do throws(BackendError) {
                return try backend.configure(answers: answers)
            } catch {
                if case .unsupported = error.kind { return nil }
                throw error
            }
        }
    }

    /// The secrets in the order they are asked for, up to the first that is missing; those that
    /// `satchel.json` names come after.
    func secretsNeeded(
        _ workspace: Workspace, _ known: Credentials
    ) throws(ShellError) -> [NeededSecret] {
        var needed: [NeededSecret] = []
        do throws(ShellError) {
            let recipe = try recipe(
                workspace, schema: try schemaIfAny(workspace), with: known)
            try withPlugin(recipe) { (backend) throws(ShellError) in
                _ = try converse(backend, known.config) { (question) throws(ShellError) in
                    guard question.isSecret else {
                        return question.defaultAnswer.map(JSONValue.string)
                    }
                    needed.append(NeededSecret(key: question.key, label: question.label))
                    return known.secrets[question.key]
                }
            }
        } catch {
            // Plugins may have nothing to configure; what is written here can be told all the same.
            switch error.kind {
            case .failed, .unreachable, .needsConsent:
                console.note(error.message + (error.hint.map { "\n  \($0)" } ?? ""))
            default: throw error
            }
        }
        for key in workspace.context.secrets
        where !needed.contains(where: { $0.key.sameBytes(as: key) }) {
            needed.append(NeededSecret(key: key, label: key))
        }
        return needed
    }

    /// Those of `keys` for which the plugin asks as secrets; none where it cannot be asked.
    func secretSettings(among keys: [String], of workspace: Workspace) -> [String] {
        let secrets = secretsAsked(of: workspace, without: keys) ?? []
        return secrets.filter { secret in keys.contains { $0.sameBytes(as: secret) } }
    }

    /// The keys for which a workspace's plugin asks as secrets; nil where it cannot be asked, or may
    /// not be started here.
    ///
    /// It is not told the settings `keys`, so that it asks for them; to all questions that are not for
    /// secrets it gets an answer, so that it goes on asking.
    func secretsAsked(of workspace: Workspace, without keys: [String]) -> [String]? {
        var secrets: [String] = []
        do throws(ShellError) {
            guard workspace.context.backend != nil, try isTrusted(workspace) else { return nil }
            var known = Credentials(written: workspace.context)
            let given = known.config
            for key in keys { known.config[key] = nil }
            known.secrets = JSONObject()
            let recipe = try recipe(workspace, schema: try schemaIfAny(workspace), with: known)
            let settings = known.config
            try withPlugin(recipe) { (backend) throws(ShellError) in
                _ = try converse(backend, settings) {
                    (question) throws(ShellError) -> JSONValue? in
                    if question.isSecret { secrets.append(question.key) }
                    return given[question.key] ?? .string(question.defaultAnswer ?? "")
                }
            }
        } catch {
            console.detail(error.message)
            // What was asked before it failed was asked.
            return secrets.isEmpty ? nil : secrets
        }
        return secrets
    }

    /// Warns of secrets that were written where whoever gets the folder can read them.
    ///
    /// `asked` is what the plugin asks for as secrets, where that is known.
    func warnOfPlainSecrets(_ workspace: Workspace, asked: [String]? = nil) {
        let keys = workspace.context.config.keys
        if keys.isEmpty { return }
        let secrets = asked ?? secretsAsked(of: workspace, without: keys) ?? []
        for key in secrets where keys.contains(where: { $0.sameBytes(as: key) }) {
            console.warn(
                "\(key) is a secret, and stands in satchel.json as plain text\n"
                    + "  take it out of the file, and keep it with: satchel auth login")
        }
    }
}

/// A secret a backend needs.
struct NeededSecret {
    let key: String
    let label: String
}
