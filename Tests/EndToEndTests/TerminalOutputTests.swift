import JSON
import Platform
import Testing

/// What data could do to a terminal, and does not.
@Suite(.timeLimit(.minutes(15))) struct `Data on a terminal` {
    /// Clears the screen three ways, rings, turns the direction of writing, goes back in the line.
    static let nasty = "a\u{1b}[2J\u{9b}2Jb\u{7}\u{202e}\u{2066}c\u{7f}\u{8}\u{85}\u{2028}d\rz"

    let pair: SharedFolder

    init() throws {
        pair = try SharedFolder()
        let record = JSONValue.object(
            JSONObject([
                ("id", .string("p\u{9b}1")), ("title", .string(Self.nasty)),
                ("tags", [.string(Self.nasty)]),
            ]))
        try pair.home.write("a/p.json", record.serialized())
        try pair.output("a", "import Post p.json")
    }

    /// The bytes of a command's output and errors on a terminal without colours.
    private func shown(_ line: String) throws -> String {
        let ended = try pair.home.shell(
            "python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' satchel \(line)", in: "a",
            with: ["NO_COLOR": "1", "PAGER": "cat"])
        return ended.output.split(separator: "\r\n", omittingEmptySubsequences: false)
            .joined(separator: "\n")
    }

    private static let formats = OutputFormats.all.map { "list Post -o \($0)" }

    static let commands =
        formats
        + [
            "get Post $'p\\u009b1' -o json", "get Post $'p\\u009b1'", "export", "queue list",
            "queue list -o json", "queue list -o csv", "queue show 1", "log", "log -o ndjson",
            "update Post $'p\\u009b1' rating:=1 -o id",
            "update Post $'p\\u009b1' rating:=2 -o yaml",
            "get Post $'x\\u009b\\u202e\\u001b[2J'",
            "get Post $'x\\u009b\\u202e\\u001b[2J' -o json",
            "list $'P\\u009b' -o json", "config set output.$'\\u009b' x -o json",
            "delete Post $'p\\u009b1' --dry-run", "import Post $'\\u009b'", "undo --dry-run",
        ]

    @Test(arguments: commands) func `cannot drive it`(_ line: String) throws {
        let text = try shown(line)
        #expect(!text.isEmpty)
        let dangerous = text.unicodeScalars.filter { scalar in
            switch scalar.value {
            case 0x09, 0x0A: false
            case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
                true
            default: false
            }
        }
        #expect(dangerous.isEmpty, "\(text.debugDescription)")
    }

    @Test func `is the same JSON as in a pipe, which gets the bytes`() throws {
        let piped = try pair.output("a", "list Post -o json")
        #expect(piped.contains("\u{9b}2J"))
        #expect(try JSONValue.parse(try shown("list Post -o json")) == JSONValue.parse(piped))
        #expect(try pair.output("a", "list Post fields title -o csv").contains(Self.nasty))
        #expect(try pair.output("a", "list Post -o id") == "p\u{9b}1")
    }
}

private enum OutputFormats {
    static let all = ["table", "tsv", "json", "ndjson", "csv", "yaml", "id"]
}
