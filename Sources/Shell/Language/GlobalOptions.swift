/// What the options that every command takes say.
package struct GlobalOptions: Sendable, Equatable {
    /// The workspace's folder, as typed.
    package var workspace: String?
    package var context: String?
    package var format: OutputFormat?
    package var isOffline = false
    /// Consents to what would be asked.
    package var assumesYes = false
    /// Never asks.
    package var noInput = false
    package var isDryRun = false
    package var isQuiet = false
    package var isVerbose = false
    /// Bound on the whole command.
    package var timeoutMilliseconds: Int64?
    package var color: ColorChoice?
    /// Adds `_version` and `_state` to records.
    package var showsMeta = false

    package init() {}
}

/// Options of a run of commands from a file or a pipe.
package struct ScriptOptions: Sendable, Equatable {
    package var file: InputSource?
    package var keepsGoing = false
    package var checksOnly = false
    package var isAtomic = false

    package init() {}
}

/// Where a command reads from.
package enum InputSource: Sendable, Equatable {
    case standardInput
    case file(String)

    /// `-` is standard input.
    package init(_ word: String) { self = word == "-" ? .standardInput : .file(word) }
}

/// Everything one command line says: the same whether typed, read from a script or given as arguments.
package struct Invocation: Sendable, Equatable {
    package var options: GlobalOptions
    /// Nil when the process is to read commands.
    package var command: Command?
    package var script: ScriptOptions

    package init(
        options: GlobalOptions = GlobalOptions(), command: Command?,
        script: ScriptOptions = ScriptOptions()
    ) {
        self.options = options
        self.command = command
        self.script = script
    }
}
