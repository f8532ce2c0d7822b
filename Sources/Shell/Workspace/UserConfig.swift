internal import JSON
package import Platform

/// The user's own defaults, `config.json` in Satchel's folder under `XDG_CONFIG_HOME`.
package struct UserConfig: Sendable, Equatable {
    package var output: OutputFormat?
    package var color: ColorChoice?
    /// The pager's command; empty for none.
    package var pager: String?
    package var sync: SyncMode?
    /// False keeps the commands out of the history file.
    package var keepsHistory = true

    package init() {}

    static let keys = ["output", "color", "pager", "sync", "history"]

    package static func path(_ environment: Environment) -> String {
        Path.join(environment.configHome, "satchel/config.json")
    }

    /// Reads the file; the defaults when there is none.
    package static func read(_ environment: Environment) throws(ShellError) -> UserConfig {
        let path = path(environment)
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(path, limit: 1 << 20, regularOnly: true)
        } catch {
            if error.kind == .notFound { return UserConfig() }
            throw ShellError(error)
        }
        return try UserConfig(reading: bytes, file: path)
    }

    package init(reading bytes: [UInt8], file: String) throws(ShellError) {
        self.init()
        let reader = try ConfigReader(bytes, file: file)
        let members = try reader.members(of: reader.root, at: [], keys: Self.keys)
        for (key, value) in members.pairs {
            let path = [key]
            switch key {
            case "output": output = try reader.choice(value, at: path, OutputFormat.self)
            case "color": color = try reader.choice(value, at: path, ColorChoice.self)
            case "sync": sync = try reader.choice(value, at: path, SyncMode.self)
            case "pager":
                guard let command = value.text else {
                    throw reader.error("is no text; \"\" is for no pager", at: path)
                }
                pager = command
            default:
                guard let keeps = value.boolean else {
                    throw reader.error("is true or false", at: path)
                }
                keepsHistory = keeps
            }
        }
    }
}
