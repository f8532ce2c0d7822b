/// Reads words into an invocation: the one parser behind prompt, script and arguments.
///
/// It knows commands, options and clauses, not the schema: it needs no workspace and costs about a
/// microsecond.
struct InvocationParser<Source: WordSource> {
    private var source: Source
    var options = GlobalOptions()
    var script = ScriptOptions()
    var name: CommandName?
    /// The words after the command that belong to no option and no clause.
    var words: [String] = []
    var clauses = Clauses()
    /// Options of single commands and of scripts, as they came.
    var settings: [(option: OptionName, value: String)] = []
    private var output: String?
    private var wantsHelp = false
    private var wantsVersion = false
    private var optionsEnded = false
    private var sawOption = false

    init(_ source: Source) { self.source = source }

    /// True when there was no word at all.
    var isEmpty: Bool { name == nil && !sawOption && !optionsEnded }

    mutating func parse() throws(ShellError) -> Invocation {
        do throws(ShellError) {
            while let word = try source.next() { try take(word.text) }
            return try finish()
        } catch {
            var named = error
            named.command = error.command ?? name?.rawValue
            throw named
        }
    }

    private mutating func take(_ word: String) throws(ShellError) {
        if !optionsEnded, word.isOption {
            sawOption = true
            try takeOption(word)
        } else if let name {
            if let clause = clause(word, of: name) {
                try take(clause)
            } else {
                words.append(word)
            }
        } else if let command = CommandName(rawValue: word) {
            name = command
            words.reserveCapacity(8)
        } else {
            throw .unknownCommand(word)
        }
    }

    /// The clause that `word` begins here: never in the place of the model.
    private func clause(_ word: String, of name: CommandName) -> ClauseWord? {
        guard (3...7).contains(word.utf8.count), !words.isEmpty || name == .log,
            let clause = ClauseWord(rawValue: word), name.clauses.contains(clause)
        else { return nil }
        return clause
    }
}

/// What the clauses of a command say.
struct Clauses: Equatable {
    var filter: String?
    var sort: [SortWord] = []
    var limit: Int?
    var offset: Int?
    var fields: [String]?
    var include: [String] = []
    /// How many words came before `set`.
    var setAt: Int?
}

// MARK: - Options

extension InvocationParser {
    private mutating func takeOption(_ word: String) throws(ShellError) {
        guard word.utf8.count > 2 || word != "--" else {
            optionsEnded = true
            return
        }
        let isLong = word.utf8.dropFirst().first == UInt8(ascii: "-")
        var typed = word
        var attached: String?
        if isLong, let cut = word.utf8.firstIndex(of: UInt8(ascii: "=")) {
            typed = String(word[..<cut])
            attached = String(word[word.utf8.index(after: cut)...])
        } else if !isLong, word.utf8.count > 2 {
            typed = String(word.prefix(2))
            attached = String(word.dropFirst(2))
            if attached?.utf8.first == UInt8(ascii: "=") { attached?.removeFirst() }
        }
        let found =
            isLong
            ? OptionName(rawValue: String(typed.dropFirst(2)))
            : typed.utf8.last.flatMap(OptionName.short)
        guard let option = found else { throw .unknownOption(typed, of: name) }
        if option.takesValue {
            try apply(option, try value(of: option, attached))
        } else {
            if attached != nil {
                throw .usage(
                    "\(typed) takes no value: \(word)",
                    hint: isLong ? nil : "write short options one by one")
            }
            try apply(option, "")
        }
    }

    private mutating func value(
        of option: OptionName, _ attached: String?
    ) throws(ShellError) -> String {
        if let attached { return attached }
        guard let next = try source.next() else {
            throw .usage("--\(option.rawValue) needs a value: \(option.value ?? "")")
        }
        return next.text
    }

    private mutating func apply(_ option: OptionName, _ value: String) throws(ShellError) {
        switch option {
        case .workspace: options.workspace = try nonEmpty(option, value)
        case .context: options.context = try nonEmpty(option, value)
        case .output: output = value
        case .offline: options.isOffline = true
        case .yes: options.assumesYes = true
        case .noInput: options.noInput = true
        case .dryRun: options.isDryRun = true
        case .quiet: options.isQuiet = true
        case .verbose: options.isVerbose = true
        case .timeout: options.timeoutMilliseconds = try milliseconds(value)
        case .color: options.color = try choice(option, value, ColorChoice.self)
        case .meta: options.showsMeta = true
        case .help: wantsHelp = true
        case .version: wantsVersion = true
        default: settings.append((option, value))
        }
    }

    private func nonEmpty(_ option: OptionName, _ value: String) throws(ShellError) -> String {
        guard !value.isEmpty else { throw .usage("--\(option.rawValue) is empty") }
        return value
    }

    private func milliseconds(_ value: String) throws(ShellError) -> Int64 {
        guard let seconds = Double(value), seconds > 0, seconds <= 1e9, value.utf8.first != 0x2B
        else { throw .usage("--timeout takes a number of seconds, not \"\(value)\"") }
        return max(1, Int64(seconds * 1000))
    }

    func choice<Choice: RawRepresentable & CaseIterable>(
        _ option: OptionName, _ value: String, _: Choice.Type
    ) throws(ShellError) -> Choice where Choice.RawValue == String {
        try .named(value, what: "--\(option.rawValue)")
    }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    /// The case of that name, or an error that lists them all.
    static func named(_ value: String, what: String) throws(ShellError) -> Self {
        if let found = Self(rawValue: value) { return found }
        let names = allCases.map(\.rawValue)
        let list = names.joined(separator: ", ")
        throw .usage(
            "\(what) is one of \(list), not \"\(value)\"",
            hint: Suggestion.hint(for: value, among: names))
    }
}

// MARK: - Clauses

extension InvocationParser {
    private mutating func take(_ clause: ClauseWord) throws(ShellError) {
        switch clause {
        case .where:
            let filter = try source.filter(optionsEnded: optionsEnded)
            try setFilter(filter)
        case .set:
            guard clauses.setAt == nil else { throw .usage("\"set\" is given twice") }
            clauses.setAt = words.count
        case .sort:
            clauses.sort = try names(clause).map { name in
                name.utf8.first == UInt8(ascii: "-")
                    ? SortWord(String(name.dropFirst()), descending: true) : SortWord(name)
            }
        case .limit: clauses.limit = try count(clause)
        case .offset: clauses.offset = try count(clause)
        case .fields: clauses.fields = try names(clause)
        case .include: clauses.include = try names(clause)
        }
    }

    mutating func setFilter(_ filter: String) throws(ShellError) {
        guard clauses.filter == nil else { throw .usage("\"where\" is given twice") }
        guard !filter.isEmpty else {
            throw .usage(
                "nothing follows \"where\"",
                hint: "a field whose name is a clause word needs --where 'EXPR'")
        }
        clauses.filter = filter
    }

    private mutating func operand(_ clause: ClauseWord) throws(ShellError) -> String {
        guard let word = try source.next(), !word.text.isEmpty else {
            throw .usage("nothing follows \"\(clause.rawValue)\"")
        }
        return word.text
    }

    private mutating func names(_ clause: ClauseWord) throws(ShellError) -> [String] {
        let word = try operand(clause)
        let names = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains(where: { $0.isEmpty || $0 == "-" }) else {
            throw .usage(
                "\"\(clause.rawValue) \(word)\" has an empty name",
                hint: "names are separated by commas, without spaces: \(clause.rawValue) a,b")
        }
        return names
    }

    private mutating func count(_ clause: ClauseWord) throws(ShellError) -> Int {
        let word = try operand(clause)
        guard let count = Int(word), count >= 0, word.utf8.allSatisfy(\.isASCIIDigit) else {
            throw .usage("\"\(clause.rawValue)\" takes a number, not \"\(word)\"")
        }
        return count
    }
}

// MARK: - The end

extension InvocationParser {
    private mutating func finish() throws(ShellError) -> Invocation {
        let isGraph = name == .schema && words.first == "graph"
        if let output, !isGraph { options.format = try format(output) }
        if wantsVersion { return Invocation(options: options, command: .version) }
        if wantsHelp {
            let topic = name.map { [$0.rawValue] } ?? []
            return Invocation(options: options, command: .help(topic: topic))
        }
        guard let name else {
            try finishScript()
            return Invocation(options: options, command: nil, script: script)
        }
        for (option, _) in settings where !name.options.contains(option) {
            throw .misplacedOption(option, of: name)
        }
        let command = try command(name, graph: isGraph ? output : nil)
        return Invocation(options: options, command: command)
    }

    private func format(_ word: String) throws(ShellError) -> OutputFormat {
        try .named(word, what: "the output format")
    }

    private mutating func finishScript() throws(ShellError) {
        for (option, value) in settings {
            switch option {
            case .file: script.file = InputSource(try nonEmpty(option, value))
            case .keepGoing: script.keepsGoing = true
            case .check: script.checksOnly = true
            case .atomic: script.isAtomic = true
            default: throw .usage("--\(option.rawValue) needs a command before it")
            }
        }
    }
}
