/// The first word of a command.
package enum CommandName: String, Sendable, CaseIterable {
    case list, get, count, create, update, delete
    case importRecords = "import"
    case exportRecords = "export"
    case undo
    case sync, status, queue, conflicts, quarantine, watch, log
    case schema
    case initialise = "init"
    case config, context, auth, plugin, trust, doctor
    case help, history, set, source, completion, exit
    /// What the shells' completion scripts call; not shown in help.
    case complete = "__complete"

    /// The commands people type, in the order of help.
    package static let visible = allCases.filter { $0 != .complete }
}

extension CommandName {
    /// The options it takes beside those of every command.
    package var options: OptionNames {
        switch self {
        case .list, .count: Self.filtering
        case .get: Self.fetching
        case .create: Self.creating
        case .update: Self.updating
        case .delete: Self.deleting
        case .importRecords: Self.importing
        case .undo, .quarantine: Self.delivering
        case .sync: Self.syncing
        case .queue: Self.creating
        case .conflicts: Self.resolving
        case .watch: Self.watching
        case .log: Self.following
        case .initialise: Self.initialising
        case .context: Self.configuring
        case .plugin: Self.plugins
        case .exportRecords, .status, .schema, .config, .auth, .trust, .doctor, .help, .history,
            .set, .source, .completion, .exit, .complete:
            []
        }
    }

    private static let filtering = OptionNames(.filter)
    private static let fetching = OptionNames(.remote)
    private static let creating = OptionNames(.data, .unset, .deliver)
    private static let updating = OptionNames(.filter, .data, .unset, .deliver)
    private static let deleting = OptionNames(.filter, .noCascade, .deliver)
    private static let importing = OptionNames(
        .format, .key, .keepGoing, .map, .all, .deliver)
    private static let delivering = OptionNames(.deliver)
    private static let syncing = OptionNames(.full, .acceptDeletions, .acceptRemote)
    private static let resolving = OptionNames(.local, .remote, .data, .unset, .deliver)
    private static let watching = OptionNames(.filter, .since, .sync)
    private static let following = OptionNames(.since)
    private static let initialising = OptionNames(.demo, .schema, .amplify, .backend, .set)
    private static let configuring = OptionNames(.backend, .set)
    private static let plugins = OptionNames(.level, .language, .set)

    /// The clauses it takes.
    var clauses: [ClauseWord] {
        switch self {
        case .list: [.where, .sort, .limit, .offset, .fields, .include]
        case .get: [.fields, .include]
        case .count, .delete: [.where]
        case .update: [.where, .set]
        case .watch: [.where, .sort, .limit]
        case .log: [.limit]
        default: []
        }
    }

    /// The words that may follow it; the first is what it does without one.
    package var actions: [String] {
        switch self {
        case .sync: ["pull", "push", "pause", "resume"]
        case .queue: ["list", "show", "retry", "drop", "edit"]
        case .conflicts: ["list", "show", "resolve"]
        case .quarantine: ["list", "show", "retry", "drop"]
        case .schema: ["show", "check", "pull", "graph"]
        case .config: ["get", "set", "path"]
        case .context: ["list", "use", "add", "remove"]
        case .auth: ["status", "login", "logout"]
        case .plugin: ["list", "info", "test", "new"]
        case .completion: ["bash", "zsh"]
        default: []
        }
    }
}
