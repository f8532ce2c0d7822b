internal import JSON
internal import Platform

extension Session {
    func config(_ request: ConfigRequest) throws(ShellError) {
        let workspace = try findWorkspace()
        switch request {
        case .list:
            let items = try workspace.settings().map { setting in
                ListedSetting(
                    key: setting.key, value: setting.value,
                    isSecret: workspace.isSecret(setting.key))
            }
            try listing().write(items, to: output)
        case .get(let key): try showSetting(key, workspace)
        case .set(let key, let word):
            try refuseMistakes(in: key, word, workspace)
            let isSecret = try isSecret(key, word, workspace)
            if options.isDryRun {
                let shown = isSecret ? ListedSetting.mask : word
                console.note("\(key) would be \(shown); nothing was done")
                return
            }
            if isSecret { try consentToPlainText(key) }
            let hold = try holdingPrograms(of: workspace)
            let wasTrusted = try isTrusted(workspace)
            let changed = try workspace.setting(key, to: word)
            try trustOwnWriting(changed, after: wasTrusted)
            _ = consume hold
            reopen()
        case .path:
            try written { () throws(SystemError) in
                try output.write(Sanitizer.show(workspace.configPath) + "\n")
            }
        }
    }

    private func showSetting(_ key: String, _ workspace: Workspace) throws(ShellError) {
        guard let value = try workspace.setting(key) else {
            throw ShellError(
                .notFound, "\(key) is not set",
                hint: "set it: satchel config set \(key) VALUE")
        }
        let isForPeople = try format().isForPeople
        let line: String
        switch try format() {
        case .json, .ndjson, .yaml: line = value.serialized()
        case .table, .tsv, .csv, .id:
            // A secret is shown only where exact data is asked for.
            let isHidden = isForPeople && workspace.isSecret(key)
            let text = isHidden ? ListedSetting.mask : value.text ?? value.serialized()
            line = isForPeople ? Sanitizer.show(text) : text
        }
        let output = try listing().exact(self.output)
        try written { () throws(SystemError) in try output.write(line + "\n") }
    }
}

// MARK: - Secrets

extension Session {
    /// Refuses to write a secret where whoever gets the folder can read it, unless that is wanted.
    private func consentToPlainText(_ key: String) throws(ShellError) {
        do throws(ShellError) {
            try consent(to: "write the secret \(key) into satchel.json, as plain text")
        } catch {
            throw ShellError(
                error.kind, error.message,
                hint: "keep it out of the file with: satchel auth login"
                    + (error.hint.map { "; \($0)" } ?? ""))
        }
    }

    /// True where `word` sets what is listed in `secrets`, was given as a secret before, or is asked
    /// for as one by the plugin.
    private func isSecret(_ key: String, _ word: String, _ workspace: Workspace)
        throws(ShellError) -> Bool
    {
        guard let (context, names) = workspace.backendSettings(key, word), !names.isEmpty
        else { return false }
        let space = try Workspace(
            root: workspace.root, config: workspace.config, context: context)
        let known = space.context.secrets + (try secretStore(of: space).keys())
        if names.contains(where: { name in known.contains { $0.sameBytes(as: name) } }) {
            return true
        }
        return !secretSettings(among: names, of: space).isEmpty
    }
}

extension Workspace {
    /// The context, and the settings of its backend, that a dotted key with a value is about.
    func backendSettings(_ key: String, _ word: String) -> (
        context: String, names: [String]
    )? {
        var parts = key.split(separator: ".").map(String.init)
        if parts.first == "config" { parts = ["contexts", context.name] + parts }
        guard parts.count > 1, parts[0] == "contexts", config.context(parts[1]) != nil,
            parts.count == 2 || parts[2] == "config"
        else { return nil }
        if parts.count > 3 { return (parts[1], [parts[3]]) }
        do throws(JSONError) {
            let value = try JSONValue.parse(word)
            let settings = parts.count == 2 ? value["config"] : value
            return (parts[1], settings?.members?.keys ?? [])
        } catch {
            return nil
        }
    }

    /// True for a setting of a backend, or a part of one, that is listed in `secrets`.
    fileprivate func isSecret(_ key: String) -> Bool {
        guard let (context, names) = backendSettings(key, "") else { return false }
        return names.contains { config.context(context)?.isSecret($0) ?? false }
    }
}

/// A setting of `satchel.json` and its dotted key.
private struct ListedSetting: Listed {
    let key: String
    let value: JSONValue
    let isSecret: Bool

    static let mask = "••••••"
    static let keys = ["key", "value"]
    static var columns: [Column] { Column.values("key", "value") }
    var values: [JSONValue] { [.string(key), value] }
    var cells: [JSONValue] { [.string(key), isSecret ? .string(Self.mask) : value] }
    var handle: JSONValue { .string(key) }
}
