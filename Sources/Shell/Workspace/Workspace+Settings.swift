package import JSON
internal import Platform

extension Workspace {
    /// The setting a dotted key names, such as `contexts.default.sync`; nil when it is not set.
    ///
    /// A key of a context alone, such as `sync`, means the context in use.
    package func setting(_ key: String) throws(ShellError) -> JSONValue? {
        let path = try path(of: key)
        return try Self.system { () throws(SystemError) in try Files.read(configPath) }
            .withValue(at: path, file: Self.fileName)
    }

    /// Sets what a dotted key names.
    ///
    /// - Parameters:
    ///   - key: As in `setting`.
    ///   - word: JSON as in `satchel.json`, or else a text; where the setting is a text, always a text.
    ///     `null` takes the key away.
    /// - Returns: The workspace as it is now.
    /// - Throws: Kind `.usage` for a key that means nothing and for a value that does not fit.
    package func setting(_ key: String, to word: String) throws(ShellError) -> Workspace {
        let path = try path(of: key)
        return try rewriting { (text, file) throws(ShellError) in
            try Self.edited(text, file, path, word)
        }
    }

    /// The workspace as it would be once a dotted key is set; nothing is written.
    package func setting(_ key: String, wouldBe word: String) throws(ShellError) -> Workspace {
        let path = try path(of: key)
        let bytes = try Self.system { () throws(SystemError) in try Files.read(configPath) }
        let text = try Self.edited(
            String(decoding: bytes, as: UTF8.self), Self.fileName, path, word)
        let config = try WorkspaceConfig(reading: Array(text.utf8), file: nil)
        return try Workspace(
            root: root, config: config,
            context: config.context(context.name) == nil ? nil : context.name)
    }

    /// Every setting, with its dotted key.
    package func settings() throws(ShellError) -> [(key: String, value: JSONValue)] {
        let bytes = try Self.system { () throws(SystemError) in try Files.read(configPath) }
        guard let value = try bytes.withValue(at: [], file: Self.fileName) else { return [] }
        var settings: [(key: String, value: JSONValue)] = []
        Self.collect(value, at: [], into: &settings)
        return settings
    }

    /// The settings that `--set KEY=VALUE` and `--set KEY:=JSON` make.
    package static func backendSettings(_ pairs: [Pair]) throws(ShellError) -> JSONObject {
        var settings = JSONObject()
        for pair in pairs {
            guard pair.key.utf8.last == UInt8(ascii: ":") else {
                settings[pair.key] = .string(pair.value)
                continue
            }
            let key = String(pair.key.dropLast())
            do throws(JSONError) {
                settings[key] = try JSONValue.parse(pair.value)
            } catch {
                throw .usage("--set \(key):= takes JSON: \(error.message)")
            }
        }
        return settings
    }
}

extension Workspace {
    private func path(of key: String) throws(ShellError) -> [String] {
        let parts = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let first = parts.first, !parts.contains("") else {
            throw .usage("\"\(key)\" is no setting")
        }
        if WorkspaceConfig.keys.contains(first) { return parts }
        if ContextConfig.keys.contains(first) { return ["contexts", context.name] + parts }
        let names = WorkspaceConfig.keys + ContextConfig.keys
        throw .usage(
            "there is no setting \"\(key)\"",
            hint: Suggestion.hint(for: first, among: names)
                ?? "settings begin with \(names.joined(separator: ", "))")
    }

    private static func edited(
        _ text: String, _ file: String, _ path: [String], _ word: String
    ) throws(ShellError) -> String {
        let value = try value(word, at: path)
        if value.isNull { return try edited(text, file, without: path) }
        return try edited(text, file, path, value)
    }

    /// What a word given on the command line means, as in `setting(_:to:)`.
    static func value(
        _ word: String, at path: [String]
    ) throws(ShellError) -> JSONValue {
        // No setting is null, nor a text that says so.
        if word == "null" { return .null }
        let isText =
            path == ["schema"]
            || path.first == "hooks" && path.last != "timeout" && !word.hasPrefix("{")
            || ["backend", "sync", "secret_command", "filter", "command"].contains(path.last ?? "")
        if isText { return .string(word) }
        do throws(JSONError) {
            return try JSONValue.parse(word)
        } catch {
            // Written as in the file: { command: "./merge" }.
            guard word.hasPrefix("{") || word.hasPrefix("[") else { return .string(word) }
        }
        do throws(JSONError) {
            return try JSONValue.parseJSON5(word)
        } catch {
            throw .usage("\(path.joined(separator: ".")): \(word) cannot be read: \(error.message)")
        }
    }

    private static func collect(
        _ value: JSONValue, at path: [String],
        into settings: inout [(key: String, value: JSONValue)]
    ) {
        guard let members = value.members, !members.isEmpty || path.isEmpty else {
            settings.append((path.joined(separator: "."), value))
            return
        }
        for (key, value) in members.pairs { collect(value, at: path + [key], into: &settings) }
    }
}

extension [UInt8] {
    fileprivate func withValue(at path: [String], file: String) throws(ShellError) -> JSONValue? {
        let reader = try ConfigReader(self, file: file)
        return path.reduce(reader.root as JSONValue?) { $0?[$1] }
    }
}
