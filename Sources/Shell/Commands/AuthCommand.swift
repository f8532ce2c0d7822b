internal import JSON
internal import Platform
internal import Plugins
internal import Storage
internal import Sync

extension Session {
    func auth(_ request: AuthRequest) throws(ShellError) -> ExitCode {
        let workspace = try findWorkspace()
        switch request {
        case .status: return try authStatus(workspace)
        case .login: try login(workspace)
        case .logout: try logout(workspace)
        }
        return .done
    }

    private func authStatus(_ workspace: Workspace) throws(ShellError) -> ExitCode {
        let store = secretStore(of: workspace)
        let ofCommand = try commandSecrets(workspace).keys
        let known = try credentials(of: workspace)
        var needed: [Secret] = []
        if workspace.context.backend != nil {
            needed = try secretsNeeded(workspace, known)
        }
        for key in known.secrets.keys where !needed.contains(where: { $0.key.sameBytes(as: key) }) {
            needed.append(Secret(key: key, label: key))
        }
        var isComplete = true
        var items: [ListedSecret] = []
        for secret in needed {
            var place: String?
            if ofCommand.contains(secret.key) {
                place = "secret_command"
            } else if known.secrets[secret.key] != nil {
                place = try store.place(of: secret.key) ?? Workspace.fileName
            }
            if place == nil { isComplete = false }
            items.append(ListedSecret(secret: secret, place: place))
        }
        try listing().write(items, to: output)
        if items.isEmpty {
            console.note("\(workspace.context.backend ?? "this workspace") needs no secrets")
        }
        if !isComplete { console.note("give what is missing: satchel auth login") }
        return isComplete ? .done : .needsLogin
    }

    private func login(_ workspace: Workspace) throws(ShellError) {
        let written = Credentials(written: workspace.context)
        var given = Credentials(written: workspace.context)
        given.secrets = JSONObject()
        let before = try secretStore(of: workspace).secrets()
        let asker = try SecretAsker(self)
        let recipe = try recipe(workspace, schema: try schemaIfAny(workspace), with: given)
        var secrets = JSONObject()
        let config = try withPlugin(recipe) { (backend) throws(ShellError) -> JSONObject in
            try converse(backend, given.config) { (question) throws(ShellError) -> JSONValue? in
                guard question.isSecret else { return try asker.setting(question, workspace) }
                let value = try asker.secret(
                    question.key, question.label, orKeep: before[question.key])
                secrets[question.key] = value
                return value
            }
        }
        for key in workspace.context.secrets where secrets[key] == nil {
            let kept = before[key] ?? written.secrets[key]
            secrets[key] = try asker.secret(key, key, orKeep: kept)
        }
        given.config = config
        for key in secrets.keys { given.config[key] = nil }
        given.secrets = secrets
        try prove(given, workspace)
        if !secrets.isEmpty { try secretStore(of: workspace).keep(secrets) }
        try adopt(given.config, workspace)
        try forgetRefusal(workspace)
        reopen()
        console.note(
            secrets.isEmpty
                ? "\(recipe.name) asks for no secrets"
                : "\(recipe.name) knows you now; \(Quantity.count(secrets.count, "secret")) kept")
    }

    private func logout(_ workspace: Workspace) throws(ShellError) {
        let store = secretStore(of: workspace)
        guard try !store.keys().isEmpty else { return console.note("nobody is logged in") }
        let count = try queueLength(of: workspace.context.name, workspace)
        if count > 0, !options.isDryRun {
            try consent(
                to: "log out of the context \(workspace.context.name), with "
                    + "\(Quantity.count(count, "change")) not delivered")
        }
        if options.isDryRun { return console.note("nothing was done") }
        let forgotten = try store.clear()
        reopen()
        console.note("\(Quantity.count(forgotten, "secret")) forgotten")
    }
}

// MARK: - The plugin's questions

extension Session {
    /// Puts a plugin's questions to `answer` until it is content; its settings then.
    ///
    /// - Throws: Kind `.plugin` when it asks the same twice. An answer of nil ends the questions.
    private func converse(
        _ backend: PluginBackend, _ known: JSONObject,
        _ answer: (PluginBackend.Question) throws(ShellError) -> JSONValue?
    ) throws(ShellError) -> JSONObject {
        var answers = known
        var asked: Set<String> = []
        while true {
            let given = answers
            let next = try answered { () throws(BackendError) in
                try backend.configure(answers: given)
            }
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

    /// The secrets in the order they are asked for, up to the first that is missing; those that
    /// `satchel.json` names come after.
    private func secretsNeeded(
        _ workspace: Workspace, _ known: Credentials
    ) throws(ShellError) -> [Secret] {
        var needed: [Secret] = []
        do throws(ShellError) {
            let recipe = try recipe(
                workspace, schema: try schemaIfAny(workspace), with: known)
            try withPlugin(recipe) { (backend) throws(ShellError) in
                _ = try converse(backend, known.config) { (question) throws(ShellError) in
                    guard question.isSecret else {
                        return question.defaultAnswer.map(JSONValue.string)
                    }
                    needed.append(Secret(key: question.key, label: question.label))
                    return known.secrets[question.key]
                }
            }
        } catch {
            // Plugins may have nothing to configure; what is written here can be told all the same.
            switch error.kind {
            case .failed, .unreachable, .needsConsent: console.note(error.message)
            default: throw error
            }
        }
        for key in workspace.context.secrets
        where !needed.contains(where: { $0.key.sameBytes(as: key) }) {
            needed.append(Secret(key: key, label: key))
        }
        return needed
    }

    /// Those of `keys` for which the plugin asks as secrets.
    ///
    /// To all other questions it gets an answer, so that it goes on asking. A plugin that cannot be
    /// asked, or that may not be started here, marks nothing.
    func secretSettings(among keys: [String], of workspace: Workspace) -> [String] {
        var secrets: [String] = []
        do throws(ShellError) {
            guard workspace.context.backend != nil, try isTrusted(workspace) else { return [] }
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
        }
        return secrets.filter { secret in keys.contains { $0.sameBytes(as: secret) } }
    }

    /// Warns of secrets that were written where whoever gets the folder can read them.
    func warnOfPlainSecrets(_ workspace: Workspace) {
        let keys = workspace.context.config.keys
        if keys.isEmpty { return }
        for key in secretSettings(among: keys, of: workspace) {
            console.warn(
                "\(key) is a secret, and stands in satchel.json as plain text\n"
                    + "  take it out of the file, and keep it with: satchel auth login")
        }
    }

    /// Lets the backend itself answer once with what was given.
    ///
    /// - Throws: Kind `.needsLogin` when it does not take it. A backend out of reach is no error: it
    ///   will say so when it is back.
    private func prove(_ given: Credentials, _ workspace: Workspace) throws(ShellError) {
        let recipe = try recipe(workspace, schema: try schemaIfAny(workspace), with: given)
        do throws(ShellError) {
            try withPlugin(recipe) { (backend) throws(ShellError) in
                try answered { () throws(BackendError) in try backend.ping() }
            }
        } catch {
            guard error.kind == .unreachable else { throw error }
            console.warn("kept without proof: \(error.message)")
        }
    }

    /// Writes the settings that the questions gave into `satchel.json`.
    private func adopt(_ config: JSONObject, _ workspace: Workspace) throws(ShellError) {
        let name = workspace.context.name
        let new = config.pairs.filter { workspace.context.config[$0.key] != $0.value }
        guard !new.isEmpty else { return }
        let hold = try holdingPrograms(of: workspace)
        let wasTrusted = try isTrusted(workspace)
        let changed = try workspace.rewriting { (text, file) throws(ShellError) in
            var text = text
            for (key, value) in new {
                text = try Workspace.edited(
                    text, file, ["contexts", name, "config", key], value)
            }
            return text
        }
        try trustOwnWriting(changed, after: wasTrusted)
        _ = consume hold
    }

    /// The network's state of before says nothing any more.
    private func forgetRefusal(_ workspace: Workspace) throws(ShellError) {
        guard Files.exists(workspace.storePath), Files.exists(workspace.schemaPath) else { return }
        let open = try open(workspace)
        try stored { () throws(StoreError) in
            let known = try open.store.meta(.network)
            guard known == NetworkMonitor.State.needsAuth.rawValue else { return }
            try open.store.write { () throws(StoreError) in
                try open.store.setMeta(.network, nil)
                try open.store.setMeta(.lastError, nil)
            }
        }
    }
}

/// A secret a backend needs.
private struct Secret {
    let key: String
    let label: String
}

private struct ListedSecret: Listed {
    let secret: Secret
    let place: String?

    static let keys = ["key", "label", "present", "place"]
    static var columns: [Column] { Column.values("key", "label", "place") }
    var values: [JSONValue] {
        [
            .string(secret.key), .string(secret.label), .bool(place != nil),
            place.map(JSONValue.string) ?? .null,
        ]
    }
    var cells: [JSONValue] {
        [.string(secret.key), .string(secret.label), .string(place ?? "missing")]
    }
    var handle: JSONValue { .string(secret.key) }
}
