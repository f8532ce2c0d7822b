internal import CSystem
internal import Glibc

/// The environment variables, read once by `main` and passed on.
package struct Environment: Sendable {
    package var variables: [String: String]

    package init(variables: [String: String]) { self.variables = variables }

    /// The variables of this process.
    package static func current() -> Environment {
        var variables: [String: String] = [:]
        guard var entry = satchel_environ() else { return Environment(variables: [:]) }
        while let text = entry.pointee {
            let pair = String(cString: text)
            if let cut = pair.utf8.firstIndex(of: UInt8(ascii: "=")) {
                let name = String(pair[..<cut])
                // Of two entries with one name, getenv gives the first.
                if variables[name] == nil {
                    variables[name] = String(pair[pair.utf8.index(after: cut)...])
                }
            }
            entry += 1
        }
        return Environment(variables: variables)
    }

    package subscript(name: String) -> String? { variables[name] }

    /// The user's home directory; "/" where none is said.
    package var home: String {
        guard let home = self["HOME"], Path.isAbsolute(home) else { return "/" }
        return home
    }

    // https://specifications.freedesktop.org/basedir-spec/latest/
    package var configHome: String { directory("XDG_CONFIG_HOME", or: ".config") }
    package var stateHome: String { directory("XDG_STATE_HOME", or: ".local/state") }
    package var dataHome: String { directory("XDG_DATA_HOME", or: ".local/share") }

    /// The specification has relative paths ignored.
    private func directory(_ name: String, or fallback: String) -> String {
        if let path = self[name], Path.isAbsolute(path) { return path }
        return Path.join(home, fallback)
    }

    /// The program of that name in PATH; nil when there is none that this process may run.
    package func program(_ name: String) -> String? {
        (self["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
            .filter { $0.utf8.first == UInt8(ascii: "/") }
            .map { Path.join(String($0), name) }
            .first(where: Files.isExecutable)
    }
}
