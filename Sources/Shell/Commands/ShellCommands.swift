internal import JSON
internal import Platform

// Small commands of the shell itself.

/// The version of this program, as `CHANGELOG.md` has it.
enum Version {
    static let text = "0.1.0"
}

extension Session {
    func version() throws(ShellError) {
        let line: String
        switch try format() {
        case .json, .ndjson: line = "{\"version\":\"\(Version.text)\"}"
        case .yaml: line = "version: \(Version.text)"
        case .table, .tsv, .csv, .id: line = "satchel \(Version.text)"
        }
        try written { () throws(SystemError) in try output.write(line + "\n") }
    }

    func completion(_ shell: CompletionShell) throws(ShellError) {
        let script =
            switch shell {
            case .bash: CompletionScript.bash
            case .zsh: CompletionScript.zsh
            }
        try written { () throws(SystemError) in try output.write(script) }
    }

    /// Lists what was typed at prompts, newest last.
    func history(_ count: Int?) throws(ShellError) {
        let commands = try written { () throws(SystemError) in
            try HistoryFile.standard(environment, clock: clock).commands()
        }
        let first = count.map { max(0, commands.count - $0) } ?? 0
        let entries = commands.enumerated().dropFirst(first)
            .map { HistoryEntry(number: $0.offset + 1, command: $0.element) }
        try listing().write(entries, to: output)
    }
}

private struct HistoryEntry: Listed {
    let number: Int
    let command: String

    static let keys = ["n", "command"]
    static var columns: [Column] { Column.values("n>", "command") }
    var values: [JSONValue] { [.int(Int64(number)), .string(command)] }
    var cells: [JSONValue] { values }
    var handle: JSONValue { .int(Int64(number)) }
}
