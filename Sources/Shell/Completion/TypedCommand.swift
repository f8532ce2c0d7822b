internal import Records

/// What the words before the cursor amount to, as far as they go.
///
/// Unlike the parser it takes every beginning for a good one.
struct TypedCommand {
    private(set) var name: CommandName?
    /// Words of no option and no clause.
    private(set) var words: [String] = []
    /// An option that waits for its value.
    private(set) var openOption: OptionName?
    /// A clause that waits for its operand, or is the filter being typed.
    private(set) var openClause: ClauseWord?
    private(set) var filterWords: [String] = []
    private(set) var optionsEnded = false
    private(set) var options: [OptionName] = []
    private var clauses: [ClauseWord] = []

    mutating func take(_ word: String) {
        if openOption != nil {
            openOption = nil
        } else if !optionsEnded, word.isOption {
            takeOption(word)
        } else if let name {
            takeWord(word, of: name)
        } else {
            name = CommandName(rawValue: word)
            if name == nil { words.append(word) }
        }
    }

    /// True when the word that is being typed is an option: `-rating` after `sort` is none.
    func mayBeOption(_ word: String) -> Bool {
        guard !optionsEnded, openClause == nil || openClause == .where else { return false }
        return word.isOption || (word == "-" && openClause == nil)
    }

    private mutating func takeOption(_ word: String) {
        if openClause == .where { openClause = nil }
        if word == "--" {
            optionsEnded = true
            return
        }
        let isLong = word.hasPrefix("--")
        guard !isLong || !word.contains("=") else { return }
        guard isLong || word.utf8.count == 2 else { return }
        let option =
            isLong
            ? OptionName(rawValue: String(word.dropFirst(2)))
            : word.utf8.last.flatMap(OptionName.short)
        guard let option else { return }
        options.append(option)
        if option.takesValue { openOption = option }
    }

    private mutating func takeWord(_ word: String, of name: CommandName) {
        if openClause == .where, !ClauseWord.endsFilter(word) {
            filterWords.append(word)
            return
        }
        if let clause = openClause, clause != .where {
            openClause = nil
            return
        }
        openClause = nil
        let mayBeClause = !words.isEmpty || name == .log
        if mayBeClause, let clause = ClauseWord(rawValue: word), name.clauses.contains(clause) {
            clauses.append(clause)
            if clause != .set { openClause = clause }
        } else {
            words.append(word)
        }
    }
}

extension TypedCommand {
    /// Clauses the command takes and does not have yet.
    var clausesLeft: [Candidate] {
        let help: [ClauseWord: String] = [
            .where: "only what matches", .sort: "order by fields", .limit: "at most so many",
            .offset: "skip so many", .fields: "only these fields", .include: "with related records",
            .set: "the new values",
        ]
        let taken = clauses
        return (name?.clauses ?? []).filter { !taken.contains($0) }
            .map { Candidate($0.rawValue, help[$0] ?? "") }
    }

    var hasClause: Bool { !clauses.isEmpty }

    func has(_ clause: ClauseWord) -> Bool { clauses.contains(clause) }

    /// The model the command is about.
    func model(_ data: any CompletionData) -> Model? {
        let index = name == .conflicts ? 1 : 0
        guard words.indices.contains(index) else { return nil }
        return data.schema?.model(words[index])
    }
}
