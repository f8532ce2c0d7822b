internal import Records

/// Finds what may stand in the place of the word being typed: one engine for the prompt, bash and
/// zsh.
package struct Completer {
    /// Who asks: a shell wants words that need no quotes, and knows files better.
    package enum Asker: Sendable, Equatable { case prompt, shell }

    /// Ids offered at once.
    static let idLimit = 50

    let data: any CompletionData
    let asker: Asker

    package init(_ data: any CompletionData, for asker: Asker) {
        self.data = data
        self.asker = asker
    }

    /// Candidates for the current word.
    ///
    /// - Parameters:
    ///   - words: The words before it, without the program's name.
    ///   - current: What of it is before the cursor.
    /// - Returns: Whole words that begin with `current`, or are found by a label that does.
    package func completions(after words: [String], current: String) -> Completions {
        var typed = TypedCommand()
        for word in words { typed.take(word) }
        if let option = typed.openOption { return value(of: option, current, typed) }
        if typed.mayBeOption(current) { return options(current, typed) }
        guard let name = typed.name else {
            guard typed.words.isEmpty else { return .none }
            return Completions(matching(current, CommandName.visible.map(Self.candidate)))
        }
        if let clause = typed.openClause { return operand(of: clause, current, typed) }
        return argument(of: name, current, typed)
    }
}

// MARK: - Options

extension Completer {
    private func options(_ current: String, _ typed: TypedCommand) -> Completions {
        if let cut = current.utf8.firstIndex(of: UInt8(ascii: "=")), current.hasPrefix("--") {
            let name = String(current[..<cut].dropFirst(2))
            guard let option = OptionName(rawValue: name) else { return .none }
            let prefix = String(current[...cut])
            let rest = String(current.utf8.dropFirst(prefix.utf8.count)) ?? ""
            return value(of: option, rest, typed).prefixed(with: prefix)
        }
        var known = OptionNames.everywhere
        known.formUnion(typed.name?.options ?? .script)
        let candidates = known.names.map { Candidate("--\($0.rawValue)", $0.summary) }
        return Completions(matching(current, candidates))
    }

    private func value(
        of option: OptionName, _ current: String, _ typed: TypedCommand
    ) -> Completions {
        switch option {
        case .output:
            let isGraph = typed.name == .schema && typed.words.first == "graph"
            return isGraph
                ? names(GraphFormat.self, current) : names(OutputFormat.self, current)
        case .color: return names(ColorChoice.self, current)
        case .format: return names(ImportRequest.Format.self, current)
        case .level: return names(PluginRequest.Level.self, current)
        case .language: return names(PluginRequest.Language.self, current)
        case .context: return Completions(matching(current, data.contexts))
        case .backend: return Completions(matching(current, data.backends))
        case .workspace, .file, .schema, .amplify: return files(current)
        case .data: return current.hasPrefix("@") ? files(current, after: "@") : .none
        case .filter: return filter(typed.model(data), before: [], current)
        case .unset, .key: return Completions(matching(current, fields(of: typed.model(data))))
        default: return .none
        }
    }

    private func names<Choice: RawRepresentable & CaseIterable>(
        _: Choice.Type, _ current: String
    ) -> Completions where Choice.RawValue == String {
        Completions(matching(current, Choice.allCases.map { Candidate($0.rawValue) }))
    }
}

// MARK: - Clauses

extension Completer {
    private func operand(
        of clause: ClauseWord, _ current: String, _ typed: TypedCommand
    ) -> Completions {
        let model = typed.model(data)
        switch clause {
        case .where:
            let completions = filter(model, before: typed.filterWords, current)
            guard FilterText(typed.filterWords).expects == .connective else { return completions }
            let clauses = matching(current, typed.clausesLeft)
            return Completions(completions.candidates + clauses)
        case .sort: return list(current, fields(of: model), allowsDash: true)
        case .fields: return list(current, fields(of: model), allowsDash: false)
        case .include: return relations(of: model, current)
        case .limit, .offset, .set: return .none
        }
    }

    /// Names separated by commas: the last one is completed.
    private func list(
        _ current: String, _ names: [Candidate], allowsDash: Bool
    ) -> Completions {
        let (before, last) = current.cutAfterLast(",")
        let isDescending = allowsDash && last.hasPrefix("-")
        let taken = before.split(separator: ",").map { $0.drop { $0 == "-" } }
        let left = names.filter { name in !taken.contains { $0 == name.value } }
        let found = matching(isDescending ? String(last.dropFirst()) : last, left)
        return Completions(found).prefixed(with: before + (isDescending ? "-" : ""))
    }

    private func relations(of model: Model?, _ current: String) -> Completions {
        let (before, last) = current.cutAfterLast(",")
        let (path, name) = last.cutAfterLast(".")
        var model = model
        for step in path.split(separator: ".") {
            model = model?.relation(String(step)).flatMap { data.schema?.model($0.model) }
        }
        let names = model?.relations.map { Candidate($0.name, $0.model) } ?? []
        return Completions(matching(name, names)).prefixed(with: before + path)
    }
}

// MARK: - Helpers

extension Completer {
    /// Those that begin with what was typed.
    func matching(_ current: String, _ candidates: [Candidate]) -> [Candidate] {
        candidates.filter { $0.value.utf8.starts(with: current.utf8) }
    }

    func fields(of model: Model?) -> [Candidate] {
        model?.fields.map { Candidate($0.name, $0.typeText) } ?? []
    }

    /// A shell completes files itself.
    func files(_ current: String, after prefix: String = "") -> Completions {
        guard asker == .prompt else { return Completions(includesFiles: true) }
        let path = String(current.dropFirst(prefix.count))
        let found = data.files(prefix: path)
        let goesOn = found.count == 1 && found[0].value.hasSuffix("/")
        return Completions(found, goesOn: goesOn).prefixed(with: prefix)
    }

    static func candidate(_ name: CommandName) -> Candidate {
        Candidate(name.rawValue, name.summary)
    }
}

extension Completions {
    /// The same candidates, each after what already stands in the word.
    func prefixed(with prefix: String) -> Completions {
        guard !prefix.isEmpty else { return self }
        var result = self
        result.candidates = candidates.map { Candidate(prefix + $0.value, $0.help) }
        return result
    }
}

extension String {
    /// The text up to and with the last `separator`, and what follows.
    func cutAfterLast(_ separator: Character) -> (before: String, last: String) {
        guard let cut = lastIndex(of: separator) else { return ("", self) }
        let next = index(after: cut)
        return (String(self[..<next]), String(self[next...]))
    }
}

extension Field {
    /// The type as the schema writes it, such as `[String!]!`.
    var typeText: String {
        let name =
            switch type {
            case .scalar(let scalar): scalar.rawValue
            case .enumeration(let name), .nested(let name): name
            }
        let element = isList ? "[\(name)\(hasRequiredElements ? "!" : "")]" : name
        return element + (isRequired ? "!" : "")
    }
}
