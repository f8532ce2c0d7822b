/// A backend to begin with: a program of under 80 lines that works as it is.
package enum PluginTemplate: String, Sendable, CaseIterable {
    case sh, python, swift

    /// Its text in the program's repository, below `plugins/templates`.
    package var file: String {
        switch self {
        case .sh: "sh.sh"
        case .python: "python.py"
        case .swift: "swift.swift"
        }
    }

    /// The text, in which `NAME` stands for the backend's name.
    package var text: String {
        switch self {
        case .sh: Self.shell
        case .python: Self.pythonic
        case .swift: Self.swifty
        }
    }

    /// The program of a backend called `name`.
    package func program(named name: String) -> String {
        text.split(separator: "NAME", omittingEmptySubsequences: false).joined(separator: name)
    }
}
