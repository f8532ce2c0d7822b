/// The commands by what they are about, in the order of help.
package enum HelpGroup: String, Sendable, CaseIterable {
    case records, sync, setup, shell

    package var commands: [CommandName] {
        switch self {
        case .records:
            [
                .list, .get, .count, .create, .update, .delete, .importRecords, .exportRecords,
                .undo,
            ]
        case .sync: [.sync, .status, .queue, .conflicts, .quarantine, .watch, .log]
        case .setup:
            [.initialise, .schema, .config, .context, .auth, .plugin, .trust, .doctor]
        case .shell: [.help, .history, .set, .source, .completion, .exit]
        }
    }
}

extension CommandName {
    /// Its usage, a form each.
    package var usageForms: [String] {
        var forms: [String] = []
        for part in usage.split(separator: " | ") {
            // A bar within brackets separates words of one form.
            if forms.isEmpty || part == rawValue || part.hasPrefix(rawValue + " ") {
                forms.append(String(part))
            } else {
                forms[forms.count - 1] += " | " + part
            }
        }
        return forms
    }
}
