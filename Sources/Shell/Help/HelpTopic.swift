/// What help explains beside the commands.
package enum HelpTopic: String, Sendable, CaseIterable {
    case items, filters, output, scripts, options
    case exitCodes = "exit-codes"
    case environment, settings, merge, hooks

    static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }

    package var summary: String {
        switch self {
        case .items: "how values are written in create and update"
        case .filters: "what can follow where"
        case .output: "the formats of --output"
        case .scripts: "running commands from a file or a pipe"
        case .options: "the options of every command"
        case .exitCodes: "what the exit code tells"
        case .environment: "variables and files"
        case .settings: "what satchel.json holds"
        case .merge: "who decides when both sides changed a record"
        case .hooks: "programs that look at what is written"
        }
    }

    /// Paragraphs, each one line.
    package var paragraphs: [String] {
        switch self {
        case .items:
            [
                "The leftmost operator wins. A text is taken by the type of its field; nothing is guessed from its look.",
                "A relation takes an id: post=ID. Names that are no plain words go through --data.",
            ]
        case .filters:
            [
                "A path crosses relations: author.name = \"Ann\", comments.count > 3. _state (synced, pending, conflict, rejected) and _version can be asked too.",
                "In a system shell an unquoted > writes a file: use the word forms, or --where 'EXPR'.",
                "a != b is exactly not (a = b), nulls included. Nulls sort last. Instants compare as instants.",
            ]
        case .output:
            [
                "A table on a terminal, tab-separated elsewhere. What could steer a terminal is shown, not obeyed, in table and tsv. The other formats are exact in a pipe or a file; at a terminal json has \\u009b for it, and csv, yaml and id what a table shows.",
                "In a pipe there is no prompt, colour, pager, progress or cutting. Colour: --color, NO_COLOR, CLICOLOR_FORCE, then the terminal.",
            ]
        case .scripts:
            [
                "One text works at the prompt, in a script and as arguments. 'literal', \"with \\n \\t \\\" \\\\ \\uXXXX\", \\x for one character; # begins a comment at a word's start; a \\ at the end of a line continues it.",
                "A script stops at its first error; messages begin FILE:LINE:. What was acknowledged is kept.",
            ]
        case .options: ["Before or after the command; -- ends options."]
        case .exitCodes: []
        case .environment:
            [
                "The workspace is --workspace, else SATCHEL_WORKSPACE, else the nearest folder upwards with a satchel.json."
            ]
        case .settings:
            [
                "config set KEY VALUE changes one, config get KEY shows it; a value is JSON as in the file, or a text; null takes the key away. Keys of a context alone, such as sync, mean the context in use. Comments in the file stay.",
                "A satchel.json that was changed by others starts no program until: trust.",
            ]
        case .merge:
            [
                "What only one side changed is merged by itself. For a field that both changed, the policy of the field decides, else that of its model, else a person: conflicts.",
                "A program gets {\"model\",\"id\",\"base\",\"local\",\"remote\",\"fields\"} as JSON on its input and prints the merged record. One that fails leaves the conflict with its reason: queue retry all asks again, conflicts resolve decides.",
            ]
        case .hooks:
            [
                "A hook is a file of the workspace that may be executed, or a command line. It gets a line of JSON for each record on its input, {\"event\",\"context\",\"model\",\"id\",\"record\"}, of an update also \"set\" and \"old\", and answers each with a line:",
                "One that fails lets nothing be written. None is started before: trust.",
            ]
        }
    }

    /// Pairs for a list below the paragraphs.
    package var entries: [(name: String, text: String)] {
        switch self {
        case .items:
            [
                ("field=text", "by the field's type; field= is the empty string"),
                ("field:=json", "a JSON value"),
                ("field=@file", "the text of a file"),
                ("field:=@file", "the JSON of a file"),
                ("field+=value", "add to a list or a counter"),
                ("field-=value", "take from a list or a counter"),
                ("--unset field", "null"),
            ]
        case .filters:
            [
                ("and or not ( )", "combine"),
                ("= != < <= > >=", "compare; also eq ne lt le gt ge"),
                ("~ !~", "has a text in it, whatever its case; also like"),
                ("in (a, b)", "one of"),
                ("between a and b", "both ends included"),
                ("startswith a", "begins with"),
                ("is null, is not null", "has a value or not"),
                ("has a", "a list with that element"),
            ]
        case .output:
            [
                ("table", "aligned, cut to the terminal's width"),
                ("tsv", "a header and a line a record; \\t \\n \\r \\\\ in values"),
                ("json", "one array; one object for get with one id"),
                ("ndjson", "an object a line"),
                ("csv", "RFC 4180; an empty cell is null, \"\" the empty string"),
                ("yaml", "for people who read YAML"),
                ("id", "an id a line, for xargs"),
            ]
        case .scripts:
            OptionNames.script.names.map { ($0.spelling, $0.summary) }
        case .options:
            OptionNames.everywhere.names.map { ($0.spelling, $0.summary) }
        case .exitCodes: ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) }
        case .environment:
            [
                ("SATCHEL_WORKSPACE", "the folder of the workspace"),
                ("SATCHEL_PAGER, PAGER", "shows what is longer than the window"),
                ("SATCHEL_PLUGIN_PATH", "where backends are looked for first"),
                ("NO_COLOR, CLICOLOR_FORCE", "no colour; colour in a pipe too"),
                ("satchel.json", "the workspace's settings, meant to be committed"),
                ("schema.graphql", "its models, meant to be committed"),
                (".satchel/", "its stores and logs"),
                ("$XDG_CONFIG_HOME/satchel/config.json", "defaults of this user"),
                ("$XDG_STATE_HOME/satchel/history", "what was typed at the prompt"),
                ("$XDG_STATE_HOME/satchel/trusted.json", "workspaces that may start programs"),
                ("$XDG_STATE_HOME/satchel/secrets/", "what auth login took, without a keyring"),
                ("XDG_DATA_DIRS", "where init --demo finds iso-codes"),
            ]
        case .settings:
            [
                ("schema", "the file with the models"),
                ("contexts.NAME.backend", "the program that syncs it: plugin list"),
                ("contexts.NAME.config.KEY", "a setting of that backend"),
                ("contexts.NAME.sync", "auto: the prompt syncs by itself; manual: only sync does"),
                ("contexts.NAME.secrets", "keys of config that are secret"),
                ("contexts.NAME.secret_command", "prints KEY=VALUE lines; beats auth login"),
                ("models.MODEL.filter", "which records are pulled; as after where"),
                ("models.MODEL.conflict", "its merge policy: help merge"),
                ("models.MODEL.fields.FIELD.conflict", "that of one field"),
                (
                    "hooks.before_create",
                    "a program asked before a write; also before_update, "
                        + "before_delete"
                ),
                ("hooks.after_sync", "a program told what a sync changed"),
            ]
        case .merge:
            [
                ("manual", "waits for a person; the standard"),
                ("server, local", "the other side's value; ours"),
                ("max, min", "the larger number or text; the smaller"),
                ("union", "lists: what either side has, without what either took away"),
                ("counter", "numbers: both changes added up"),
                ("{ command: \"./merge\" }", "a program decides; timeout: SECONDS, 10 otherwise"),
            ]
        case .hooks:
            [
                ("{}", "the record goes as it is"),
                ("{\"record\":{...}}", "its fields take these values"),
                (
                    "{\"refuse\":\"why\",\"field\":\"title\"}",
                    "nothing is written; field is optional"
                ),
                (
                    "hooks.before_create",
                    "\"./hooks/check\" in satchel.json, or { command, timeout }"
                ),
                ("hooks.before_update", "the same before an update"),
                ("hooks.before_delete", "the same before a delete; it cannot change the record"),
                ("hooks.after_sync", "gets a line a change after a sync, and answers nothing"),
            ]
        }
    }
}

extension OptionName {
    /// Such as "-o, --output FORMAT".
    package var spelling: String {
        let letter = short.map { "-\(Character(UnicodeScalar($0))), " } ?? ""
        return letter + "--" + rawValue + (value.map { " \($0)" } ?? "")
    }
}
