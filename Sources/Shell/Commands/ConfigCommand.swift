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
            if options.isDryRun {
                console.note("\(key) would be \(word); nothing was done")
                return
            }
            let wasTrusted = try isTrusted(workspace)
            let changed = try workspace.setting(key, to: word)
            try trustOwnWriting(changed, after: wasTrusted)
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
        try written { () throws(SystemError) in try output.write(line + "\n") }
    }
}

extension Workspace {
    /// True for `contexts.NAME.config.KEY`, whole or a part of it, where KEY is one of the secrets.
    fileprivate func isSecret(_ key: String) -> Bool {
        let parts = key.split(separator: ".").map(String.init)
        if parts.count > 3, parts[0] == "contexts", parts[2] == "config" {
            return config.context(parts[1])?.isSecret(parts[3]) ?? false
        }
        return parts.count > 1 && parts[0] == "config" && context.isSecret(parts[1])
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
