/// What help says of a command beyond its usage, its summary and its options.
package struct CommandDetails: Sendable {
    package struct Example: Sendable {
        /// As typed at the prompt.
        package var line: String
        package var note: String
    }

    /// Paragraphs, each one line.
    package var paragraphs: [String]
    package var examples: [Example]
    /// The codes it exits with beside 0, 1 and 2, and what they mean here.
    package var exits: [(code: ExitCode, meaning: String)]

    init(
        _ paragraphs: String..., examples: KeyValuePairs<String, String>,
        exits: KeyValuePairs<ExitCode, String> = [:]
    ) {
        self.paragraphs = paragraphs
        self.examples = examples.map { Example(line: $0.key, note: $0.value) }
        self.exits = exits.map { (code: $0.key, meaning: $0.value) }
    }
}

extension CommandName {
    package var details: CommandDetails {
        switch self {
        case .list, .get, .count, .create, .update, .delete, .importRecords, .exportRecords, .undo:
            recordDetails
        case .sync, .status, .queue, .conflicts, .quarantine, .watch, .log: syncDetails
        case .schema, .initialise, .config, .context, .auth, .plugin, .trust, .doctor: setupDetails
        case .help, .history, .set, .source, .completion, .exit, .complete: shellDetails
        }
    }
}
