internal import Records

extension Completer {
    /// Candidates within a filter.
    ///
    /// - Parameters:
    ///   - model: The model it is about.
    ///   - before: The filter's earlier words.
    ///   - current: The word at the cursor; it may be a whole filter of its own, as `--where` takes.
    /// - Returns: Whole words.
    func filter(_ model: Model?, before: [String], _ current: String) -> Completions {
        guard let model else { return .none }
        var text = FilterText(before)
        let last = text.takeAllButLast(of: current)
        let found: Completions
        switch text.expects {
        case .field: found = path(last, from: model)
        case .operation: found = operations(last, text, model)
        case .value where text.isNullTest:
            found = Completions(matching(last, [Candidate("null"), Candidate("not")]))
        case .value:
            let end = text.field.flatMap { resolve($0, from: model) }
            found = Completions(
                end.map { filterValues(of: $0.name, in: $0.model, typed: last) } ?? [])
        case .connective:
            found = Completions(matching(last, [Candidate("and"), Candidate("or")]))
        }
        return found.prefixed(with: text.prefix)
    }

    private func filterValues(of name: String, in model: Model, typed: String) -> [Candidate] {
        guard name == "_state" else { return values(of: name, in: model, typed: typed) }
        let states = ["synced", "pending", "conflict", "rejected"]
        return matching(typed, states.map { Candidate($0) })
    }

    /// Fields, and relations that lead on.
    private func path(_ typed: String, from model: Model) -> Completions {
        let (steps, last) = typed.cutAfterLast(".")
        var names: [Candidate] = []
        if steps.isEmpty {
            names = matching(last, fields(of: model) + Self.pseudoFields)
            names += matching(last, [Candidate("not", "the opposite")])
            names += relationSteps(of: model, last)
        } else if let end = resolve(steps + "id", from: model) {
            if end.isMany { names = matching(last, [Candidate("count", "how many")]) }
            names += matching(last, fields(of: end.model))
            names += relationSteps(of: end.model, last)
        }
        let goesOn = names.count == 1 && names[0].value.hasSuffix(".")
        return Completions(names, goesOn: goesOn).prefixed(with: steps)
    }

    private func relationSteps(of model: Model, _ typed: String) -> [Candidate] {
        matching(typed, model.relations.map { Candidate("\($0.name).", $0.model) })
    }

    /// The model a path ends in, and the name of its last step.
    private func resolve(
        _ path: String, from model: Model
    ) -> (model: Model, name: String, isMany: Bool)? {
        var model = model
        var isMany = false
        let steps = path.split(separator: ".").map(String.init)
        for step in steps.dropLast() {
            guard let relation = model.relation(step), let next = data.schema?.model(relation.model)
            else { return nil }
            isMany = relation.kind == .hasMany || relation.kind == .manyToMany
            model = next
        }
        return steps.last.map { (model, $0, isMany) }
    }

    private func operations(
        _ typed: String, _ text: FilterText, _ model: Model
    ) -> Completions {
        let isList =
            text.field.flatMap { resolve($0, from: model) }
            .flatMap { $0.model.field($0.name) }?.isList == true
        // An unquoted > in a shell would write a file: there the word forms are offered.
        var signs = asker == .prompt ? Self.signs : Self.words
        if isList { signs = [Candidate("has", "the list holds")] + signs }
        return Completions(matching(typed, signs))
    }

    private static let pseudoFields = [
        Candidate("_state", "synced, pending, conflict or rejected"), Candidate("_version"),
    ]

    private static let signs =
        [
            Candidate("=", "equal"), Candidate("!=", "not equal"), Candidate("<", "less"),
            Candidate("<=", "less or equal"), Candidate(">", "greater"),
            Candidate(">=", "greater or equal"), Candidate("~", "contains the text"),
            Candidate("!~", "does not contain the text"),
        ] + longOperations

    private static let words =
        [
            Candidate("eq", "equal"), Candidate("ne", "not equal"), Candidate("lt", "less"),
            Candidate("le", "less or equal"), Candidate("gt", "greater"),
            Candidate("ge", "greater or equal"), Candidate("like", "contains the text"),
        ] + longOperations

    private static let longOperations = [
        Candidate("in", "one of (..)"), Candidate("between", "A and B"),
        Candidate("startswith", "begins with"), Candidate("is", "null or not null"),
    ]
}

/// How far a filter that is being typed has come.
struct FilterText {
    enum Expectation: Equatable { case field, operation, value, connective }

    private(set) var expects = Expectation.field
    /// The path that the test at the end is about.
    private(set) var field: String?
    /// What of the current word is before the part that is completed.
    private(set) var prefix = ""
    /// The operation is `is`.
    private(set) var isNullTest = false
    private var isBetween = false
    private var isList = false

    init(_ words: [String]) {
        for word in words { for token in Self.tokens(word) { take(token.text) } }
    }

    /// Takes the current word up to its last part, which is returned.
    mutating func takeAllButLast(of word: String) -> String {
        let tokens = Self.tokens(word)
        for token in tokens.dropLast() { take(token.text) }
        guard let last = tokens.last else { return "" }
        let isOpen = last.end == word.utf8.count
        // A sign or a space ends a part: what follows it is the next one, still empty.
        guard isOpen, !last.isSign || expects == .operation && tokens.count == 1 else {
            take(last.text)
            prefix = word
            return ""
        }
        prefix = String(decoding: word.utf8.prefix(last.start), as: UTF8.self)
        return last.text
    }

    private mutating func take(_ token: String) {
        if token == "(" {
            isList = expects == .value
            return
        }
        if token == ")" {
            isList = false
            expects = .connective
            return
        }
        switch expects {
        case .field:
            if token == "not" { return }
            field = token
            expects = .operation
        case .operation:
            isBetween = token == "between"
            isNullTest = token == "is"
            // "not in (..)" and "!~" are one operation each.
            if token != "not" { expects = .value }
        case .value:
            if token == "," || token == "not" { return }
            expects = isList ? .value : .connective
        case .connective:
            expects = isBetween ? .value : .field
            isBetween = false
        }
    }
}

extension FilterText {
    private typealias Token = (text: String, start: Int, end: Int, isSign: Bool)

    /// Words, quoted texts and runs of signs.
    private static func tokens(_ text: String) -> [Token] {
        var tokens: [Token] = []
        let bytes = Array(text.utf8)
        var index = 0
        func add(_ start: Int, isSign: Bool = false) {
            let token = String(decoding: bytes[start..<index], as: UTF8.self)
            tokens.append((token, start, index, isSign))
        }
        while index < bytes.count {
            let start = index
            let byte = bytes[index]
            if byte.isSpace {
                index += 1
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                index += 1
                while index < bytes.count, bytes[index] != byte { index += 1 }
                index = min(index + 1, bytes.count)
                add(start)
            } else if byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")")
                || byte == UInt8(ascii: ",")
            {
                index += 1
                add(start, isSign: true)
            } else if byte.isFilterSign {
                while index < bytes.count, bytes[index].isFilterSign { index += 1 }
                add(start, isSign: true)
            } else {
                while index < bytes.count, !bytes[index].endsFilterWord { index += 1 }
                add(start)
            }
        }
        return tokens
    }
}

extension UInt8 {
    fileprivate var isFilterSign: Bool {
        [
            UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "~"),
        ]
        .contains(self)
    }

    fileprivate var endsFilterWord: Bool {
        isSpace || isFilterSign
            || [UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ",")].contains(self)
    }
}
