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
            let removes = word == "null"
            if removes, try workspace.setting(key) == nil {
                return console.note("\(key) is not set")
            }
            let isSecret = removes ? false : try isSecret(key, word, workspace)
            if options.isDryRun {
                let shown = removes ? "gone" : isSecret ? ListedSetting.mask : word
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
            let known = workspace.config.programs.map(\.line)
            for program in changed.config.programs where !known.contains(program.line) {
                guard let mistake = program.mistake(in: changed, environment) else { continue }
                console.warn(
                    Sanitizer.lines([
                        "\(program.setting): \(mistake.message)",
                        mistake.hint.map { "  \($0)" },
                    ]), lines: .kept)
            }
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
        let wanted = try workspace.setting(key, wouldBe: word)
        for (context, names) in workspace.backendSettings(key, word) where !names.isEmpty {
            let space = try Workspace(
                root: workspace.root, config: workspace.config, context: context)
            let known = space.context.secrets + (try secretStore(of: space).keys())
            if names.contains(where: { name in known.contains { $0.sameBytes(as: name) } }) {
                return true
            }
            // What is asked for depends on what is set beside it. Another backend is not asked.
            let new = try Workspace(root: workspace.root, config: wanted.config, context: context)
            guard new.context.backend == space.context.backend else { continue }
            if !secretSettings(among: names, of: new).isEmpty { return true }
        }
        return false
    }
}

extension Workspace {
    /// The settings of backends, by context, that a dotted key with a value is about.
    ///
    /// Contexts that are not there yet have none.
    func backendSettings(_ key: String, _ word: String) -> [(context: String, names: [String])] {
        var parts = key.split(separator: ".").map(String.init)
        if parts.first == "config" { parts = ["contexts", context.name] + parts }
        guard parts.first == "contexts", parts.count < 3 || parts[2] == "config" else { return [] }
        if parts.count > 3 {
            return config.context(parts[1]) == nil ? [] : [(parts[1], [parts[3]])]
        }
        let value: JSONValue
        do throws(ShellError) { value = try Self.value(word, at: parts) } catch { return [] }
        let contexts =
            parts.count == 1
            ? value.members?.pairs ?? []
            : [(key: parts[1], value: parts.count == 2 ? value : ["config": value])]
        return contexts.filter { config.context($0.key) != nil }.map { name, context in
            (name, context["config"]?.members?.keys ?? [])
        }
    }

    /// True for a setting of a backend, or a part of one, that is listed in `secrets`.
    fileprivate func isSecret(_ key: String) -> Bool {
        backendSettings(key, "").contains { context, names in
            names.contains { config.context(context)?.isSecret($0) ?? false }
        }
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
