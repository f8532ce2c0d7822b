extension CommandName {
    /// How it is written, a form a line.
    package var usage: String {
        switch self {
        case .list:
            "list MODEL [where E] [sort -f,g] [limit N] [offset N] [fields a,b] [include rel,rel.rel]"
        case .get: "get MODEL ID... [fields a,b] [include rel,rel.rel] [--remote]"
        case .count: "count MODEL [where E]"
        case .create: "create MODEL ITEM... | create MODEL --data JSON|@FILE|@-"
        case .update: "update MODEL ID... ITEM... | update MODEL where E set ITEM..."
        case .delete: "delete MODEL ID... | delete MODEL where E [--no-cascade]"
        case .importRecords:
            "import MODEL FILE|- [--format json|ndjson|csv|tsv] [--key FIELD] [--map COLUMN=FIELD]"
                + " [--keep-going] | import --all FILE|-"
        case .exportRecords: "export [MODEL...]"
        case .undo: "undo [N]"
        case .sync:
            "sync [pull|push] [MODEL...] [--full] [--accept-deletions] [--accept-remote]"
                + " | sync pause | sync resume"
        case .status: "status"
        case .queue:
            "queue [list] | queue show N | queue retry N...|all | queue drop N...|all"
                + " | queue edit N ITEM..."
        case .conflicts:
            "conflicts [list] | conflicts show MODEL ID"
                + " | conflicts resolve MODEL ID (--local | --remote | ITEM...)"
        case .quarantine:
            "quarantine [list] | quarantine show N | quarantine retry N...|all"
                + " | quarantine drop N..."
        case .watch: "watch [MODEL [where E] [sort -f,g] [limit N]] [--since TOKEN] [--sync]"
        case .log: "log [MODEL [ID]] [limit N] [--since TOKEN]"
        case .schema:
            "schema [show [MODEL]] | schema check FILE | schema pull"
                + " | schema graph [-o mermaid|dot|svg]"
        case .initialise:
            "init [DIR] [--demo | --schema FILE | --amplify FILE] [--backend NAME]"
                + " [--set KEY=VALUE]..."
        case .config: "config | config get KEY | config set KEY VALUE | config path"
        case .context:
            "context [list] | context use NAME | context add NAME --backend NAME"
                + " [--set KEY=VALUE]... | context remove NAME"
        case .auth: "auth [status] | auth login | auth logout"
        case .plugin:
            "plugin [list] | plugin info NAME | plugin test COMMAND... [--level read|write|sync]"
                + " [--set KEY=VALUE]... | plugin new NAME --language sh|python|swift"
        case .trust: "trust"
        case .doctor: "doctor"
        case .help: "help [COMMAND]"
        case .history: "history [N]"
        case .set: "set [KEY VALUE]"
        case .source: "source FILE"
        case .completion: "completion bash|zsh"
        case .exit: "exit"
        case .complete: "__complete SHELL CWORD -- WORDS..."
        }
    }

    /// One line of help.
    package var summary: String {
        switch self {
        case .list: "list records"
        case .get: "show records by id"
        case .count: "count records"
        case .create: "make a record"
        case .update: "change records"
        case .delete: "delete records"
        case .importRecords: "read records from a file"
        case .exportRecords: "write all records as JSON lines"
        case .undo: "take back the latest changes"
        case .sync: "push and pull"
        case .status: "how things stand with the backend"
        case .queue: "changes not yet delivered"
        case .conflicts: "records both sides changed"
        case .quarantine: "incoming data that was not understood"
        case .watch: "follow changes as they happen"
        case .log: "changes that happened"
        case .schema: "the models"
        case .initialise: "make a workspace"
        case .config: "read and write settings"
        case .context: "the backends of this workspace"
        case .auth: "log in and out"
        case .plugin: "backends and how to write them"
        case .trust: "let this workspace run its programs"
        case .doctor: "find what is wrong with the set-up"
        case .help: "explain a command"
        case .history: "commands typed before"
        case .set: "settings of this session"
        case .source: "run a script here"
        case .completion: "the completion script of a shell"
        case .exit: "leave the shell"
        case .complete: "candidates for the word being typed"
        }
    }
}
