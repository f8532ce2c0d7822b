internal import JSON
internal import Platform
internal import Plugins
internal import Storage
internal import Sync
internal import Synchronization

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
        let ofCommand = try commandSecrets(workspace)
        var known = Credentials(written: workspace.context)
        known.add(try store.secrets())
        known.add(ofCommand)
        var needed: [NeededSecret] = []
        if workspace.context.backend != nil {
            needed = try secretsNeeded(workspace, known)
        }
        for key in known.secrets.keys where !needed.contains(where: { $0.key.sameBytes(as: key) }) {
            needed.append(NeededSecret(key: key, label: key))
        }
        var isComplete = true
        var items: [ListedSecret] = []
        for secret in needed {
            var place: String?
            if ofCommand[secret.key] != nil {
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
        if !isComplete, let (words, _) = try store.misfit() {
            console.note("the secrets that are kept are not for this: \(words)")
        }
        if !isComplete { console.note("give what is missing: satchel auth login") }
        return isComplete ? .done : .needsLogin
    }

    private func login(_ workspace: Workspace) throws(ShellError) {
        let written = Credentials(written: workspace.context)
        var given = Credentials(written: workspace.context)
        given.secrets = JSONObject()
        let before = try secretStore(of: workspace).secrets()
        // Only a backend that asks something needs somebody who can be asked.
        var asking: SecretAsker?
        func asker() throws(ShellError) -> SecretAsker {
            if let asking { return asking }
            let made = try SecretAsker(self)
            asking = made
            return made
        }
        let recipe = try recipe(workspace, schema: try schemaIfAny(workspace), with: given)
        var secrets = JSONObject()
        let config = try withPlugin(recipe) { (backend) throws(ShellError) -> JSONObject in
            try converse(backend, given.config) { (question) throws(ShellError) -> JSONValue? in
                guard question.isSecret else { return try asker().setting(question, workspace) }
                // One that was exchanged for others is no answer any more.
                let kept = before[question.key]
                let value = try asker().secret(
                    question.key, question.label, orKeep: kept == "" ? .none : kept)
                secrets[question.key] = value
                return value
            }
        }
        for key in workspace.context.secrets where secrets[key] == nil {
            let kept = before[key] ?? written.secrets[key]
            secrets[key] = try asker().secret(key, key, orKeep: kept)
        }
        if secrets.isEmpty, asking == nil {
            return console.note("\(recipe.name) needs no secrets: there is nothing to log in to")
        }
        given.config = config
        for key in secrets.keys { given.config[key] = nil }
        given.secrets = secrets
        // What is renewed in exchange for what was given takes its place.
        let renewed = Mutex(JSONObject())
        let proof = try prove(given, workspace) { key, value in
            renewed.withLock { $0[key] = .string(value) }
        }
        let adopted = try adopt(given.config, workspace)
        let all = secrets.overlaid(with: renewed.withLock { $0 })
        if !secrets.isEmpty { try secretStore(of: adopted).keep(all, alone: true) }
        try forgetRefusal(workspace)
        reopen()
        tellLogin(recipe.name, secrets.count, proof)
    }

    private func tellLogin(_ name: String, _ count: Int, _ proof: Proof) {
        guard count > 0 else { return console.note("\(name) asks for no secrets") }
        let kept = "\(Quantity.count(count, "secret")) kept"
        switch proof {
        case .taken: console.note("\(name) knows you now; \(kept)")
        case .unasked:
            console.note("\(kept); whether \(name) takes them shows with the next: satchel sync")
        case .unreachable(let reason):
            console.warn(
                Sanitizer.lines([
                    "\(kept), but not checked, for \(name) cannot be reached: \(reason)",
                    "  when it is back: satchel sync",
                ]), lines: .kept)
        }
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

extension Session {
    /// What the backend itself said to secrets.
    private enum Proof {
        case taken
        /// It cannot be asked without doing something.
        case unasked
        case unreachable(String)
    }

    /// Lets the backend itself answer once with what was given; `keep` gets what it renews.
    ///
    /// - Throws: Kind `.needsLogin` when it does not take it, `.unreachable` where something has to be
    ///   done before it can be reached. A backend that is only away is no error: it will say so when it
    ///   is back.
    private func prove(
        _ given: Credentials, _ workspace: Workspace,
        keeping keep: @escaping @Sendable (_ key: String, _ value: String) -> Void
    ) throws(ShellError) -> Proof {
        var recipe = try recipe(workspace, schema: try schemaIfAny(workspace), with: given)
        recipe.keepSecret = { key, value in
            keep(key, value)
            return nil
        }
        do throws(ShellError) {
            return try withPlugin(recipe) { (backend) throws(ShellError) in
                try answered { () throws(BackendError) in
                    guard try backend.capabilities().answersPing else { return .unasked }
                    try backend.ping()
                    return .taken
                }
            }
        } catch {
            // Where something can be done about it, waiting for it to be back is no advice.
            guard error.kind == .unreachable, error.hint == nil else { throw error }
            return .unreachable(error.message)
        }
    }

    /// Writes the settings that the questions gave into `satchel.json`; the workspace as it is then.
    private func adopt(
        _ config: JSONObject, _ workspace: Workspace
    ) throws(ShellError) -> Workspace {
        let name = workspace.context.name
        let new = config.pairs.filter { workspace.context.config[$0.key] != $0.value }
        guard !new.isEmpty else { return workspace }
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
        return changed
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

private struct ListedSecret: Listed {
    let secret: NeededSecret
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
