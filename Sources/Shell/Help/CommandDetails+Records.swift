extension CommandName {
    var recordDetails: CommandDetails {
        switch self {
        case .list:
            CommandDetails(
                "Lists the records of a model as they are here, pending changes included. Never waits for the network.",
                examples: [
                    "list Post where rating ge 4 sort -rating limit 10": "the ten best",
                    "list Post where author.name = \"Ann\" fields id,title include author":
                        "filter and show across a relation",
                    "list Post --meta -o ndjson": "for a program, with version and state",
                ])
        case .get:
            CommandDetails(
                "Shows records by id. A unique beginning of an id will do; ids made within a minute share their first eight characters, so give more, or press Tab. A composite key is given as items.",
                examples: [
                    "get Post 0190c2a4-7d1e include comments": "one record and what belongs to it",
                    "get Order customer=c1 number:=7": "by a key of two fields",
                    "get Post 0190c2a4-7d1e --remote": "as the backend has it now",
                ], exits: [.unreachable: "--remote, and the backend cannot be reached"])
        case .count:
            CommandDetails(
                "Prints how many records match.",
                examples: [
                    "count Post": "all of them",
                    "count Post where _state = pending": "those not delivered yet",
                ])
        case .create:
            CommandDetails(
                "Makes a record, here at once and in the queue for the backend. Prints its id.",
                "\"help items\" tells how values are written.",
                examples: [
                    "create Post title=\"Green tea\" rating:=4": "a text and a number",
                    "create Post title=Tea body=@tea.md tags+=hot": "a value from a file, a list",
                    "create Post --data '{\"title\":\"Tea\"}' --deliver":
                        "from JSON, and wait for the backend's verdict",
                ], exits: Self.verdicts)
        case .update:
            CommandDetails(
                "Changes fields of records by id, or of all that match. Only the fields named are sent.",
                "By filter, it shows how many and asks first.",
                examples: [
                    "update Post 0190c2a4-7d1e title=Tea --unset body": "set one, clear another",
                    "update Post 0190c2a4-7d1e views+=1 tags-=cold": "a counter and a list",
                    "update Post where rating lt 2 set hidden=true --yes": "all that match",
                ], exits: Self.guarded)
        case .delete:
            CommandDetails(
                "Deletes records, and what belongs to them by the schema. More than one is shown and asked first.",
                examples: [
                    "delete Post 0190c2a4-7d1e": "one record",
                    "delete Post where rating lt 2 --dry-run": "only show what would go",
                    "delete Author 0190c2a4-7d1e --no-cascade": "leave the children",
                ], exits: Self.guarded)
        case .importRecords:
            CommandDetails(
                "Reads records from a JSON array, JSON lines, CSV or TSV; the name or the first bytes tell which. All or nothing, unless --keep-going.",
                "In CSV an empty cell is null and \"\" the empty string; the header names the fields.",
                examples: [
                    "import Post posts.csv --map Name=title": "a column of another name",
                    "import Post - --format ndjson --key slug":
                        "update the posts whose slug is equal",
                    "import --all backup.ndjson": "what export wrote",
                ],
                exits: [.partial: "--keep-going, and some rows failed; each is named by its line"])
        case .exportRecords:
            CommandDetails(
                "Writes every record, or those of some models, one JSON line each. \"import --all\" reads them back.",
                examples: ["export": "everything", "export Author Post": "two models"])
        case .undo:
            CommandDetails(
                "Takes back the latest create, update, delete or import of this workspace, or the latest N, newest first, and says on which records and when it was. Repairs, such as queue edit, queue drop and conflicts resolve, are passed over. What was delivered is undone by a new change, and only where nobody changed it since.",
                examples: ["undo": "the latest", "undo 3": "the latest three"],
                exits: Self.verdicts)
        default: CommandDetails(examples: [:])
        }
    }

    private static let verdicts: KeyValuePairs<ExitCode, String> = [
        .partial: "--deliver, and the backend refused or something remains",
        .conflicts: "--deliver, and the backend has another version",
        .unreachable: "--deliver, and the backend cannot be reached; the change stays queued",
    ]

    private static let guarded: KeyValuePairs<ExitCode, String> = [
        .partial: "--deliver, and the backend refused or something remains",
        .conflicts: "--deliver, and the backend has another version",
        .unreachable: "--deliver, and the backend cannot be reached; the change stays queued",
        .needsConsent: "it would have asked, and nobody could answer; --yes consents",
    ]
}
