/// One command with what it was given; models and fields are not looked up yet.
package enum Command: Sendable, Equatable {
    case list(ListRequest)
    case get(GetRequest)
    case count(CountRequest)
    case create(CreateRequest)
    case update(UpdateRequest)
    case delete(DeleteRequest)
    case importRecords(ImportRequest)
    /// All models when empty.
    case exportRecords(models: [String])
    case undo(UndoRequest)

    case sync(SyncRequest)
    case status
    case queue(QueueRequest)
    case conflicts(ConflictsRequest)
    case quarantine(QuarantineRequest)
    case watch(WatchRequest)
    case log(LogRequest)

    case schema(SchemaRequest)

    case initialise(InitRequest)
    case config(ConfigRequest)
    case context(ContextRequest)
    case auth(AuthRequest)
    case plugin(PluginRequest)
    case trust
    case doctor

    /// The words after `help`; none for the overview.
    case help(topic: [String])
    case version
    case history(count: Int?)
    /// A setting of the session; nil lists them.
    case set(SetRequest?)
    case source(InputSource)
    case completion(CompletionShell)
    case exit
    case complete(CompleteRequest)
}

extension Command {
    /// The first word of the command.
    package var name: CommandName {
        switch self {
        case .list: .list
        case .get: .get
        case .count: .count
        case .create: .create
        case .update: .update
        case .delete: .delete
        case .importRecords: .importRecords
        case .exportRecords: .exportRecords
        case .undo: .undo
        case .sync: .sync
        case .status: .status
        case .queue: .queue
        case .conflicts: .conflicts
        case .quarantine: .quarantine
        case .watch: .watch
        case .log: .log
        case .schema: .schema
        case .initialise: .initialise
        case .config: .config
        case .context: .context
        case .auth: .auth
        case .plugin: .plugin
        case .trust: .trust
        case .doctor: .doctor
        case .help, .version: .help
        case .history: .history
        case .set: .set
        case .source: .source
        case .completion: .completion
        case .exit: .exit
        case .complete: .complete
        }
    }

    /// True for a command that may remove or overwrite what is there.
    package var mayDestroy: Bool {
        switch self {
        case .delete, .undo: true
        case .update(let request): request.isByFilter
        case .queue(let request): request.mayDestroy
        case .quarantine(let request): request.mayDestroy
        case .conflicts(.resolve(let resolve)): resolve.choice == .remote
        case .context(.remove), .auth(.logout), .source: true
        case .sync(.run(let run)): run.acceptsDeletions || run.acceptsRemote
        default: false
        }
    }
}
