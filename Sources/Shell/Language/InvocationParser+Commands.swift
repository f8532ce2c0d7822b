extension InvocationParser {
    /// Builds the command from what was collected; `graph` is the value of `-o` for `schema graph`.
    mutating func command(
        _ name: CommandName, graph: String?
    ) throws(ShellError) -> Command {
        switch name {
        case .list: try list()
        case .get: try get()
        case .count: try count()
        case .create: try create()
        case .update: try update()
        case .delete: try delete()
        case .importRecords: try importRecords()
        case .exportRecords: .exportRecords(models: words)
        case .undo: try undo()
        case .sync: try sync()
        case .status: try alone(.status)
        case .queue: .queue(try queue())
        case .conflicts: .conflicts(try conflicts())
        case .quarantine: .quarantine(try quarantine())
        case .watch: try watch()
        case .log: try log()
        case .schema: .schema(try schema(graph: graph))
        case .initialise: try initialise()
        case .config: .config(try config())
        case .context: .context(try context())
        case .auth: try auth()
        case .plugin: .plugin(try plugin())
        case .trust: try alone(.trust)
        case .doctor: try alone(.doctor)
        case .help: .help(topic: words)
        case .history: try history()
        case .set: try set()
        case .source: .source(InputSource(try only("a FILE")))
        case .completion: .completion(try completion())
        case .exit: try alone(.exit)
        case .complete: .complete(try complete())
        }
    }
}

// MARK: - Words

extension InvocationParser {
    func misused(_ message: String) -> ShellError {
        name.map { .misused($0, message) } ?? .usage(message)
    }

    private func alone(_ command: Command) throws(ShellError) -> Command {
        try expectWords(atMost: 0)
        return command
    }

    /// Fails at the first word too many.
    func expectWords(atMost count: Int) throws(ShellError) {
        guard words.count > count else { return }
        throw misused("\"\(words[count])\" is one word too many here")
    }

    /// Takes the first word away.
    mutating func first(_ what: String) throws(ShellError) -> String {
        guard let first = words.first else { throw misused("\(what) is missing") }
        guard !first.isEmpty else { throw misused("\(what) is empty") }
        words.removeFirst()
        return first
    }

    /// The only word.
    mutating func only(_ what: String) throws(ShellError) -> String {
        let word = try first(what)
        try expectWords(atMost: 0)
        return word
    }

    /// A number counted from 1, such as one of the queue.
    func number(_ word: String) throws(ShellError) -> Int64 {
        guard word.utf8.allSatisfy(\.isASCIIDigit), let number = Int64(word), number > 0 else {
            throw misused("\"\(word)\" is no number; numbers begin with 1")
        }
        return number
    }

    /// All the words as numbers, or the word `all` where it is allowed.
    mutating func selection(allowsAll: Bool = true) throws(ShellError) -> Selection {
        guard !words.isEmpty else { throw misused("a number is missing") }
        if allowsAll, words == ["all"] { return .all }
        var numbers: [Int64] = []
        for word in words { numbers.append(try number(word)) }
        return .numbers(numbers)
    }

    /// The words as ids and items: all words before the first item are ids.
    mutating func splitAtFirstItem() -> (ids: [String], items: [String]) {
        let cut = words.firstIndex(where: \.looksLikeItem) ?? words.count
        return (Array(words[..<cut]), Array(words[cut...]))
    }
}

// MARK: - Options of single commands

extension InvocationParser {
    func has(_ option: OptionName) -> Bool { settings.contains { $0.option == option } }

    /// The value given last.
    func value(_ option: OptionName) -> String? {
        settings.last { $0.option == option }?.value
    }

    func values(_ option: OptionName) -> [String] {
        settings.compactMap { $0.option == option ? $0.value : nil }
    }

    func pairs(_ option: OptionName) throws(ShellError) -> [Pair] {
        var pairs: [Pair] = []
        for value in values(option) {
            guard let cut = value.utf8.firstIndex(of: UInt8(ascii: "=")), cut > value.startIndex
            else {
                throw misused("--\(option.rawValue) takes \(option.value ?? ""), not \"\(value)\"")
            }
            pairs.append(
                Pair(String(value[..<cut]), String(value[value.utf8.index(after: cut)...])))
        }
        return pairs
    }

    /// The filter of the clause or of `--where`.
    mutating func filter() throws(ShellError) -> String? {
        for filter in values(.filter) { try setFilter(filter) }
        return clauses.filter
    }

    /// What `--data`, `--unset` and these items say.
    func values(items: [String]) throws(ShellError) -> Values {
        guard !settings.isEmpty else { return Values(items: items) }
        if values(.data).count > 1 { throw misused("--data is given twice") }
        return Values(
            items: items, unset: values(.unset), data: value(.data).map { DataSource($0) })
    }
}

extension String {
    /// True for `ident(.ident)*` followed by `=`, `:=`, `+=` or `-=`.
    var looksLikeItem: Bool {
        var atStart = true
        var bytes = utf8.makeIterator()
        while let byte = bytes.next() {
            if byte.isASCIILetter || byte == UInt8(ascii: "_") || (!atStart && byte.isASCIIDigit) {
                atStart = false
            } else if atStart {
                return false
            } else {
                switch byte {
                case UInt8(ascii: "."): atStart = true
                case UInt8(ascii: "="): return true
                case UInt8(ascii: ":"), UInt8(ascii: "+"), UInt8(ascii: "-"):
                    return bytes.next() == UInt8(ascii: "=")
                default: return false
                }
            }
        }
        return false
    }
}
