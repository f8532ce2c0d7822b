extension ShellError {
    static func unknownCommand(_ word: String) -> ShellError {
        let names = CommandName.visible.map(\.rawValue)
        let meant =
            CommandName.otherNames[word].map { "did you mean \"\($0)\"?" }
            ?? Suggestion.hint(for: word, among: names)
        return .usage(
            "there is no command \"\(word)\"", hint: meant ?? "\"help\" lists the commands")
    }

    static func unknownOption(_ typed: String, of command: CommandName?) -> ShellError {
        let wanted = String(typed.drop { $0 == "-" })
        if command?.clauses.contains(where: { $0.rawValue == wanted }) == true {
            return .usage(
                "there is no option \(typed)", hint: "write it without dashes: \(wanted)")
        }
        let names = OptionName.allCases.map { "--\($0.rawValue)" }
        let isLong = typed.utf8.count > 2
        return .usage(
            "there is no option \(typed)",
            hint: (isLong ? Suggestion.hint(for: typed, among: names) : nil)
                ?? "a value that begins with a dash goes after --")
    }

    /// An option that exists, but not here.
    static func misplacedOption(_ option: OptionName, of command: CommandName) -> ShellError {
        if OptionNames.script.contains(option) {
            return .usage(
                "--\(option.rawValue) is for scripts; \"\(command.rawValue)\" does not take it",
                hint: "write \"satchel -f FILE\" or give the commands on standard input")
        }
        let takers = CommandName.visible.filter { $0.options.contains(option) }.map(\.rawValue)
        return .usage(
            "\"\(command.rawValue)\" takes no option --\(option.rawValue)",
            hint: "it belongs to \(takers.joined(separator: ", "))")
    }

    /// A command whose words do not make sense; the hint shows how it is written.
    static func misused(_ command: CommandName, _ message: String) -> ShellError {
        .usage(message, hint: "usage: \(command.usage)", command: command.rawValue)
    }

    static func unknownAction(_ word: String, of command: CommandName) -> ShellError {
        let list = command.actions.joined(separator: ", ")
        return .usage(
            "\"\(command.rawValue)\" has no action \"\(word)\": it has \(list)",
            hint: Suggestion.hint(for: word, among: command.actions), command: command.rawValue)
    }
}

extension CommandName {
    /// What people type who come from other tools.
    static let otherNames: [String: String] = [
        "quit": "exit", "bye": "exit", "q": "exit", "ls": "list", "select": "list", "find": "list",
        "show": "get", "read": "get", "add": "create", "new": "create", "insert": "create",
        "edit": "update", "patch": "update", "rm": "delete", "remove": "delete", "del": "delete",
        "load": "import", "dump": "export", "push": "sync push", "pull": "sync pull",
        "pause": "sync pause", "resume": "sync resume", "login": "auth login",
        "logout": "auth logout", "use": "context use", "contexts": "context", "plugins": "plugin",
        "models": "schema", "tail": "watch", "follow": "watch", "outbox": "queue",
        "retry": "queue retry", "drop": "queue drop", "resolve": "conflicts resolve",
        "conflict": "conflicts", "man": "help", "run": "source",
    ]
}
