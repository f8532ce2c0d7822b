import Shell
import Testing

@Suite struct `A command that makes no sense` {
    struct Mistake: CustomTestStringConvertible {
        var line: String
        var message: String
        var hint: String?
        var testDescription: String { line }

        init(_ line: String, _ message: String, hint: String? = nil) {
            self.line = line
            self.message = message
            self.hint = hint
        }
    }

    static let table = [
        Mistake("lst Post", "there is no command \"lst\"", hint: "did you mean \"list\"?"),
        Mistake("quit", "there is no command", hint: "did you mean \"exit\"?"),
        Mistake("Post", "there is no command"),
        Mistake("list", "the MODEL is missing", hint: "usage: list MODEL"),
        Mistake("list Post foo", "\"foo\" is neither a clause nor an option here"),
        Mistake("list Post where", "nothing follows \"where\""),
        Mistake("list Post where limit 3", "nothing follows \"where\"", hint: "--where"),
        Mistake("list Post where a = 1 limit 2 where b = 1", "\"where\" is given twice"),
        Mistake("list Post limit", "nothing follows \"limit\""),
        Mistake("list Post limit -1", "\"limit\" takes a number"),
        Mistake("list Post limit x", "\"limit\" takes a number, not \"x\""),
        Mistake("list Post fields a,,b", "has an empty name"),
        Mistake("list Post --limit 3", "there is no option --limit", hint: "limit"),
        Mistake(
            "list Post --outptu json", "no option --outptu", hint: "did you mean \"--output\"?"),
        Mistake("list Post -o jsno", "not \"jsno\"", hint: "did you mean \"json\"?"),
        Mistake("list Post -o", "--output needs a value"),
        Mistake("list Post --offline=1", "takes no value"),
        Mistake("list Post -qv", "takes no value", hint: "one by one"),
        Mistake("list Post --full", "\"list\" takes no option --full", hint: "sync"),
        Mistake("list Post --keep-going", "--keep-going"),
        Mistake("list Post --timeout 0", "--timeout takes a number"),
        Mistake("list Post --timeout soon", "--timeout takes a number"),
        Mistake("list Post --color red", "--color is one of auto, always, never"),
        Mistake("list Post -w ''", "--workspace is empty"),
        Mistake("get Post", "the ID is missing"),
        Mistake("update Post", "the ID is missing"),
        Mistake("update Post 1", "there is nothing to set"),
        Mistake("update Post set a=1", "names no record"),
        Mistake("update Post where a = 1", "\"set\" and what to set are missing"),
        Mistake("update Post 1 title=a b", "\"b\" is no item"),
        Mistake("update Post 1 where a = 1 set b=2", "exclude each other"),
        Mistake("update Post 1 where a = 1", "exclude each other"),
        Mistake("update Post where a = 1 set b=2 c", "\"c\" is no item"),
        Mistake("delete Post", "an ID or a filter is missing"),
        Mistake("delete Post 1 where a = 1", "\"1\" is neither a clause nor an option"),
        Mistake("import Post", "the FILE"),
        Mistake("import Post a b", "one word too many"),
        Mistake("import Post a --format xml", "--format is one of json, ndjson, csv, tsv"),
        Mistake("import Post a --map x", "--map takes COLUMN=FIELD"),
        Mistake("undo 0", "numbers begin with 1"),
        Mistake("sync pause --full", "does not go with pause"),
        Mistake("sync push --full", "--full does not go with push"),
        Mistake("queue shw 1", "\"queue\" has no action \"shw\"", hint: "did you mean \"show\"?"),
        Mistake("queue show", "the number is missing"),
        Mistake("queue show all", "\"all\" is no number"),
        Mistake("queue drop", "a number is missing"),
        Mistake("queue edit 1", "there is nothing to set"),
        Mistake("queue list --deliver", "--deliver does not go with \"list\""),
        Mistake("conflicts resolve Post 1", "which side?"),
        Mistake("conflicts resolve Post 1 --local --remote", "exclude each other"),
        Mistake("watch where a = 1", "one word too many"),
        Mistake("init --demo --schema x", "exclude each other"),
        Mistake("config set a", "the VALUE is missing"),
        Mistake("config set a b c", "the VALUE is one word"),
        Mistake("context add x", "--backend is missing"),
        Mistake("plugin new x", "--language is missing"),
        Mistake("plugin new x --language go", "--language is one of sh, python, swift"),
        Mistake("completion fish", "the shell is one of bash, zsh"),
        Mistake("exit now", "one word too many"),
    ]

    @Test(arguments: table) func `is a usage error that says why`(_ mistake: Mistake) {
        let error = #expect(throws: ShellError.self) {
            try Invocation.parse(line: mistake.line)
        }
        #expect(error?.exitCode == .usage)
        #expect(error?.message.contains(mistake.message) == true, "\(error?.message ?? "")")
        if let hint = mistake.hint {
            #expect(error?.hint?.contains(hint) == true, "\(error?.hint ?? "no hint")")
        }
    }

    @Test func `names its command`() {
        let error = #expect(throws: ShellError.self) {
            try Invocation.parse(line: "queue show x")
        }
        #expect(error?.command == "queue")
    }

    @Test func `is reported in the format it asks for`() {
        #expect(OutputFormat.requested(in: ["lst", "-o", "json"]) == .json)
        #expect(OutputFormat.requested(in: ["lst", "--output=ndjson"]) == .ndjson)
        #expect(OutputFormat.requested(in: ["lst", "-ojson"]) == .json)
        #expect(OutputFormat.requested(in: ["lst", "--", "-o", "json"]) == nil)
    }
}

@Suite struct `What is no command` {
    @Test(arguments: ["", "  ", "# list Post", "\t# x"]) func `is nothing to do`(
        _ line: String
    ) throws {
        #expect(try Invocation.parse(line: line) == nil)
    }

    @Test(arguments: ["-o json", "--keep-going", "--"]) func `is refused within a script`(
        _ line: String
    ) {
        #expect(throws: ShellError.self) { try Invocation.parse(line: line) }
    }

    @Test func `is the shell, or a script, where it is the whole command line`() throws {
        #expect(try Invocation.parse(arguments: []) == Invocation(command: nil))
        let script = try Invocation.parse(
            arguments: ["-f", "x", "--keep-going", "--check", "--atomic"])
        #expect(script.command == nil)
        #expect(script.script.file == .file("x"))
        #expect(script.script.keepsGoing && script.script.checksOnly && script.script.isAtomic)
    }
}
