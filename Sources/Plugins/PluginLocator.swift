package import Platform

/// Finds the program of a plugin: the first of the search path that this user may safely run.
package struct PluginLocator: Sendable {
    /// A plugin of the search path.
    package struct Found: Sendable, Equatable {
        package var name: String
        package var path: String
        /// Why it would not be started; nil when it would.
        package var problem: String?
        /// True when another of the same name comes first.
        package var isShadowed: Bool
    }

    static let prefix = "satchel-backend-"

    /// The directories, in the order they are searched.
    package let directories: [String]
    /// The workspace's own plugins when the workspace is not trusted: never searched.
    private let untrusted: String?
    /// The workspace's own plugins.
    private let own: String?

    /// - Parameters:
    ///   - environment: For `SATCHEL_PLUGIN_PATH`, `XDG_DATA_HOME` and `PATH`.
    ///   - executable: The path of this program.
    ///   - workspace: The folder with `satchel.json`; nil when there is none.
    ///   - isTrusted: Whether the user has trusted that workspace on this machine.
    package init(
        environment: Environment, executable: String, workspace: String?, isTrusted: Bool
    ) {
        // A person who sets this means the folder as seen from here; PATH's relative entries are
        // skipped, for they would run what happens to lie about.
        var directories = Self.list(environment["SATCHEL_PLUGIN_PATH"]).map(Self.absolute)
        let beside = Path.parent(executable)
        directories.append(beside)
        own = workspace.map { Path.normalise(Path.join($0, "plugins")) }
        if let own, isTrusted { directories.append(own) }
        directories.append(Path.join(environment.dataHome, "satchel/plugins"))
        directories.append(Path.join(Path.parent(beside), "libexec/satchel"))
        directories += Self.list(environment["PATH"]).filter(Path.isAbsolute)
        var seen: Set<String> = []
        self.directories = directories.map(Path.normalise).filter { seen.insert($0).inserted }
        untrusted = isTrusted ? nil : own
    }

    /// The path of the program of the plugin `name`.
    ///
    /// Throws kind `.notFound`, or `.untrusted` for a program that others can change.
    package func locate(_ name: String) throws(PluginError) -> String {
        guard Self.isName(name) else {
            throw PluginError(
                .notFound, "\"\(name)\" is no name of a backend",
                hint: "a name is made of letters, digits, - and _")
        }
        var unusable: String?
        for directory in directories {
            let path = Path.join(directory, Self.prefix + name)
            guard Files.exists(path), !Files.isDirectory(path) else { continue }
            guard Files.isExecutable(path) else {
                unusable = path
                continue
            }
            // A program that others can change is refused, not passed over: what runs must not
            // depend on who tampered with what.
            if let danger = ProgramFile.danger(path) {
                throw PluginError(
                    .untrusted, "the plugin \(path) is not started: \(danger)",
                    hint: "chmod o-w what should be yours alone")
            }
            return path
        }
        throw notFound(name, unusable: unusable)
    }

    /// True for a program that the workspace itself supplies.
    package func isOwn(_ path: String) -> Bool { own.map { Path.parent(path) == $0 } ?? false }

    /// Every plugin of the search path, in its order.
    package func list() -> [Found] {
        var found: [Found] = []
        var seen: Set<String> = []
        for directory in directories where Files.isDirectory(directory) {
            for file in names(in: directory) {
                let name = String(file.dropFirst(Self.prefix.count))
                let path = Path.join(directory, file)
                guard Self.isName(name), !Files.isDirectory(path) else { continue }
                let problem =
                    Files.isExecutable(path) ? ProgramFile.danger(path) : "it is not executable"
                found.append(
                    Found(
                        name: name, path: path, problem: problem,
                        isShadowed: !seen.insert(name).inserted))
            }
        }
        return found
    }
}

extension PluginLocator {
    private func notFound(_ name: String, unusable: String?) -> PluginError {
        let file = Self.prefix + name
        if let unusable {
            return PluginError(
                .notFound, "the plugin \(unusable) is not executable",
                hint: "chmod +x \(unusable)")
        }
        if let untrusted, Files.exists(Path.join(untrusted, file)) {
            return PluginError(
                .untrusted,
                "the backend \(name) is a plugin of this workspace, which is not trusted",
                hint: "satchel trust shows what would run and asks")
        }
        return PluginError(
            .notFound, "there is no backend \(name): no program \(file) was found",
            hint: "satchel plugin list shows those there are")
    }

    /// The plugin files of a directory; none of one that cannot be read.
    private func names(in directory: String) -> [String] {
        do throws(SystemError) {
            return try Files.list(directory).filter { $0.hasPrefix(Self.prefix) }
        } catch {
            return []
        }
    }

    /// A name that cannot lead out of the directory it is looked for in.
    package static func isName(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private static func list(_ value: String?) -> [String] {
        (value ?? "").split(separator: ":").map(String.init)
    }

    private static func absolute(_ path: String) -> String {
        do throws(SystemError) {
            return Path.join(try Files.currentDirectory(), path)
        } catch {
            return path
        }
    }
}
