internal import JSON

extension Session {
    /// Shows or changes what lasts as long as this session.
    func set(_ request: SetRequest?) throws(ShellError) {
        guard let request else {
            return try listing().write(
                SettingName.allCases.map { SessionSetting(name: $0, value: shown($0)) },
                to: output)
        }
        guard let name = SettingName(rawValue: request.key) else {
            let names = SettingName.allCases.map(\.rawValue)
            throw .usage(
                "there is no setting \"\(request.key)\" of a session",
                hint: Suggestion.hint(for: request.key, among: names)
                    ?? "there is \(names.joined(separator: ", "))")
        }
        try change(name, request.value)
    }

    private func change(_ name: SettingName, _ word: String) throws(ShellError) {
        switch name {
        case .output:
            settings.format = try choice(name, word, OutputFormat.self)
        case .color:
            settings.color = try choice(name, word, ColorChoice.self)
            console.color = options.color ?? settings.color ?? .auto
        case .meta: settings.showsMeta = try flag(name, word)
        case .offline:
            settings.isOffline = try flag(name, word)
            reopen()
        }
    }

    private func shown(_ name: SettingName) -> String {
        switch name {
        case .output: settings.format?.rawValue ?? "default"
        case .color: settings.color?.rawValue ?? "default"
        case .meta: settings.showsMeta ? "on" : "off"
        case .offline: settings.isOffline ? "on" : "off"
        }
    }

    /// `default` takes the choice back.
    private func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: SettingName, _ word: String, _: Choice.Type
    ) throws(ShellError) -> Choice? where Choice.RawValue == String {
        if word == "default" { return nil }
        if let choice = Choice(rawValue: word) { return choice }
        throw wrong(name, word, Choice.allCases.map(\.rawValue) + ["default"])
    }

    private func flag(_ name: SettingName, _ word: String) throws(ShellError) -> Bool {
        switch word {
        case "on", "true", "yes": return true
        case "off", "false", "no", "default": return false
        default: throw wrong(name, word, ["on", "off"])
        }
    }

    private func wrong(_ name: SettingName, _ word: String, _ known: [String]) -> ShellError {
        .usage(
            "\(name.rawValue) is \(known.joined(separator: ", ")), not \"\(word)\"",
            hint: Suggestion.hint(for: word, among: known))
    }
}

/// What `set` can change.
private enum SettingName: String, CaseIterable { case output, color, meta, offline }

private struct SessionSetting: Listed {
    let name: SettingName
    let value: String

    static let keys = ["key", "value"]
    static var columns: [Column] { Column.values("key", "value") }
    var values: [JSONValue] { [.string(name.rawValue), .string(value)] }
    var cells: [JSONValue] { values }
    var handle: JSONValue { .string(name.rawValue) }
}
