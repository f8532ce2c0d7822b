package struct InitRequest: Sendable, Equatable {
    package enum Start: Sendable, Equatable {
        case demo
        case schema(String)
        case amplify(String)
    }

    /// The current folder when nil.
    package var directory: String?
    package var start: Start?
    package var backend: String?
    package var settings: [Pair] = []

    package init() {}
}

package enum ConfigRequest: Sendable, Equatable {
    case list
    case get(String)
    case set(String, String)
    case path
}

package enum ContextRequest: Sendable, Equatable {
    case list
    case use(String)
    case add(name: String, backend: String, settings: [Pair])
    case remove(String)
}

package enum AuthRequest: String, Sendable, Equatable {
    case status, login, logout
}

package enum PluginRequest: Sendable, Equatable {
    package enum Level: String, Sendable, Equatable, CaseIterable {
        case read, write, sync
    }
    package enum Language: String, Sendable, Equatable, CaseIterable {
        case sh, python, swift
    }

    case list
    case info(String)
    /// The command line of the plugin to test, and its configuration.
    case test([String], Level, settings: [Pair])
    case new(String, Language)
}

package struct SetRequest: Sendable, Equatable {
    package var key: String
    package var value: String

    package init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }
}

package enum CompletionShell: String, Sendable, Equatable, CaseIterable {
    case bash, zsh
}

/// What a shell's completion script asks.
package struct CompleteRequest: Sendable, Equatable {
    package var shell: CompletionShell
    /// The words of the command line; the first is the program.
    package var words: [String]
    /// The index of the word being typed; may be one past the last.
    package var current: Int

    package init(shell: CompletionShell, words: [String], current: Int) {
        self.shell = shell
        self.words = words
        self.current = current
    }
}
