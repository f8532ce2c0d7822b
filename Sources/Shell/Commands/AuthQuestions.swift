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
                console.note(error.lines(spoken), lines: .kept)
            default: throw error
            }
        }
        for key in workspace.context.secrets
        where !needed.contains(where: { $0.key.sameBytes(as: key) }) {
            needed.append(NeededSecret(key: key, label: key))
        }
        return needed
    }

    /// Those of a workspace's settings `keys` for which its plugin asks as secrets where it is not told
    /// them; none where it cannot be asked.
    func secretSettings(among keys: [String], of workspace: Workspace) -> [String] {
        var secrets: [String] = []
        withQuestions(of: workspace) { (backend, given) throws(ShellError) in
            // One after the other: what is asked for depends on the others.
            for key in keys where given[key] != nil {
                var settings = given
                settings[key] = nil
                if try asked(by: backend, settings, given).contains(where: key.sameBytes) {
                    secrets.append(key)
                }
            }
        }
        return secrets
    }

    /// The keys for which a workspace's plugin asks as secrets, beside what is set; nil where it cannot
    /// be asked, or may not be started here.
    func secretsAsked(of workspace: Workspace) -> [String]? {
        var secrets: [String]?
        withQuestions(of: workspace) { (backend, given) throws(ShellError) in
            secrets = try asked(by: backend, given, given)
        }
        return secrets
    }

    /// The secrets that a plugin asks for which is told `settings`.
    ///
    /// To all other questions it gets an answer, of `given` if it is there, so that it goes on asking.
    private func asked(
        by backend: PluginBackend, _ settings: JSONObject, _ given: JSONObject
    ) throws(ShellError) -> [String] {
        var secrets: [String] = []
        do throws(ShellError) {
            _ = try converse(backend, settings) { (question) throws(ShellError) -> JSONValue? in
                if question.isSecret { secrets.append(question.key) }
                return given[question.key] ?? .string(question.defaultAnswer ?? "")
            }
        } catch {
            // What was asked before it failed was asked.
            guard !secrets.isEmpty else { throw error }
            console.detail(error.message)
        }
        return secrets
    }

    /// Starts a workspace's plugin, if it may be started here, to put questions to it; it is told no
    /// secrets.
    private func withQuestions(
        of workspace: Workspace,
        _ body: (PluginBackend, JSONObject) throws(ShellError) -> Void
    ) {
        do throws(ShellError) {
            guard workspace.context.backend != nil, try isTrusted(workspace) else { return }
            var known = Credentials(written: workspace.context)
            known.secrets = JSONObject()
            let given = known.config
            let recipe = try recipe(workspace, schema: try schemaIfAny(workspace), with: known)
            try withPlugin(recipe) { (backend) throws(ShellError) in try body(backend, given) }
        } catch {
            console.detail(error.message)
        }
    }

    /// Warns of secrets that were written where whoever gets the folder can read them.
    func warnOfPlainSecrets(_ workspace: Workspace) {
        for key in secretSettings(among: workspace.context.config.keys, of: workspace) {
            console.warn(
                Sanitizer.lines([
                    "\(key) is a secret, and stands in satchel.json as plain text",
                    "  take it out of the file, and keep it with: satchel auth login",
                ]), lines: .kept)
        }
    }
}

/// A secret a backend needs.
struct NeededSecret {
    let key: String
    let label: String
}
