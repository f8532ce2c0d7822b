internal import JSON

extension WorkspaceConfig {
    /// Reads the bytes of a `satchel.json`.
    ///
    /// - Parameters:
    ///   - bytes: JSON5.
    ///   - file: The file's name in messages; nil for what was typed and is in no file yet.
    /// - Throws: Kind `.input`, the message beginning `FILE:LINE:COL:`, for anything that is not as
    ///   it must be; a key that means nothing too. Without a file kind `.usage`, and no place.
    package init(reading bytes: [UInt8], file: String?) throws(ShellError) {
        self.init()
        let reader = try ConfigReader(bytes, file: file)
        let members = try reader.members(of: reader.root, at: [], keys: Self.keys)
        for (key, value) in members.pairs {
            switch key {
            case "schema": schema = try reader.text(value, at: [key])
            case "contexts":
                for (name, value) in try reader.members(of: value, at: [key]).pairs {
                    contexts.append(try reader.context(name, value))
                }
            case "models":
                for (name, value) in try reader.members(of: value, at: [key]).pairs {
                    models.append(try reader.model(name, value))
                }
            default:
                let hooks = try reader.members(of: value, at: [key], keys: HookConfig.points)
                for (point, value) in hooks.pairs {
                    self.hooks.append(
                        HookConfig(
                            point: point, program: try reader.program(value, at: [key, point])))
                }
            }
        }
    }

    static let keys = ["schema", "contexts", "models", "hooks"]
}

extension ContextConfig {
    static let keys = ["backend", "config", "sync", "secrets", "secret_command"]

    /// True for names that are safe as a file's name and in a dotted key.
    package static func isValidName(_ name: String) -> Bool {
        guard let first = name.utf8.first, first != UInt8(ascii: "-"), name.utf8.count <= 64
        else { return false }
        return name.utf8.allSatisfy { byte in
            byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: "-")
        }
    }
}

extension ConfigReader {
    fileprivate func context(
        _ name: String, _ value: JSONValue
    ) throws(ShellError) -> ContextConfig {
        let path = ["contexts", name]
        guard ContextConfig.isValidName(name) else {
            throw error("is no name: letters, digits, _ and - make one", at: path)
        }
        let members = try members(of: value, at: path, keys: ContextConfig.keys)
        guard let backend = members["backend"] else {
            throw error("has no \"backend\"", at: path)
        }
        var context = ContextConfig(
            name: name, backend: try text(backend, at: path + ["backend"]))
        if let value = members["config"] {
            context.config = try self.members(of: value, at: path + ["config"])
        }
        if let value = members["sync"] {
            context.sync = try choice(value, at: path + ["sync"], SyncMode.self)
        }
        if let value = members["secrets"] {
            context.secrets = try texts(value, at: path + ["secrets"])
        }
        if let value = members["secret_command"] {
            context.secretCommand = try text(value, at: path + ["secret_command"])
        }
        return context
    }

    fileprivate func model(_ name: String, _ value: JSONValue) throws(ShellError) -> ModelConfig {
        let path = ["models", name]
        let members = try members(of: value, at: path, keys: ["filter", "conflict", "fields"])
        var model = ModelConfig(name: name)
        if let value = members["filter"] {
            model.filter = try text(value, at: path + ["filter"])
        }
        if let value = members["conflict"] {
            model.conflict = try conflict(value, at: path + ["conflict"])
        }
        guard let value = members["fields"] else { return model }
        for (field, value) in try self.members(of: value, at: path + ["fields"]).pairs {
            let path = path + ["fields", field]
            let settings = try self.members(of: value, at: path, keys: ["conflict"])
            guard let value = settings["conflict"] else { continue }
            model.fields.append(
                FieldConfig(
                    name: field, conflict: try conflict(value, at: path + ["conflict"])))
        }
        return model
    }

    /// A command line, or `{ command: .., timeout: SECONDS }`.
    fileprivate func program(
        _ value: JSONValue, at path: [String]
    ) throws(ShellError) -> ProgramConfig {
        guard value.members != nil else { return ProgramConfig(try text(value, at: path)) }
        let members = try members(of: value, at: path, keys: ProgramConfig.keys)
        guard let command = members["command"] else {
            throw error("has no \"command\"", at: path)
        }
        var program = ProgramConfig(try text(command, at: path + ["command"]))
        if let value = members["timeout"] {
            guard let seconds = value.doubleValue, seconds >= 0.001, seconds <= 3_600 else {
                throw error("is a number of seconds, 3600 at most", at: path + ["timeout"])
            }
            program.milliseconds = Int64(seconds * 1_000)
        }
        return program
    }

    private func conflict(
        _ value: JSONValue, at path: [String]
    ) throws(ShellError) -> ConflictSetting {
        if value.members != nil {
            return .command(try program(value, at: path))
        }
        let name = try text(value, at: path)
        guard let setting = ConflictSetting(name: name) else {
            let names = ConflictSetting.names
            throw error(
                "is one of \(names.joined(separator: ", ")) or { command: .. }, not \"\(name)\"",
                at: path, hint: Suggestion.hint(for: name, among: names))
        }
        return setting
    }
}
