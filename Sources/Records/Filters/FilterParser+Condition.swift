internal import JSON

/// Operators and their operands.
extension FilterParser {
    enum Operator: String, CaseIterable {
        case equal = "="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case contains = "~"
        case notContains = "!~"
        case among = "in"
        case between
        case startsWith = "startswith"
        case has
        case null = "is"
    }

    private static let words: [String: Operator] = [
        "eq": .equal, "ne": .notEqual, "lt": .less, "le": .lessOrEqual, "gt": .greater,
        "ge": .greaterOrEqual, "like": .contains, "in": .among, "between": .between,
        "startswith": .startsWith, "has": .has, "is": .null,
    ]
    private static let signs: [String: Operator] = [
        "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less,
        "<=": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "~": .contains,
        "!~": .notContains,
    ]

    mutating func condition(on subject: Subject, _ name: String) throws(RecordsError) -> Filter {
        let offset = scanner.index
        let isNegated = scanner.word() == "not"
        if isNegated { _ = scanner.take(word: "not") }
        let operation = try takeOperator(name, offset)
        let negatable: [Operator] = [.among, .between, .contains, .startsWith, .has]
        if isNegated, !negatable.contains(operation) {
            throw scanner.error(
                offset, "\"not\" has no place before \"\(operation.rawValue)\"",
                operation == .null
                    ? "write is not null" : "write not \(name) \(operation.rawValue) ...")
        }
        let filter = try condition(on: subject, name, operation, offset)
        return isNegated ? .not(filter) : filter
    }

    private mutating func takeOperator(_ name: String, _ offset: Int) throws(RecordsError)
        -> Operator
    {
        if let sign = scanner.sign(), let operation = FilterParser.signs[sign] { return operation }
        let word = scanner.word()
        if let operation = FilterParser.words[word] {
            _ = scanner.take(word: word)
            return operation
        }
        let cut = "did the shell take > ? Quote the filter: --where '\(name) > ...'"
        if scanner.isAtEnd || scanner.isAt(")") || ["and", "or", "not"].contains(word) {
            throw scanner.error(offset, "nothing is asked of \(name)", cut)
        }
        if let meant = didYouMean(word, among: FilterParser.words.keys.sorted()), !word.isEmpty,
            !word.utf8.allSatisfy(isDigit)
        {
            throw scanner.error(
                offset, "no operator \"\(scanner.rest())\"", "did you mean \(meant)?",
                kind: .unknown)
        }
        throw scanner.error(
            offset, "expected an operator after \(name), found \"\(scanner.rest())\"", cut)
    }

    private mutating func condition(
        on subject: Subject, _ name: String, _ operation: Operator, _ offset: Int
    ) throws(RecordsError) -> Filter {
        switch subject {
        case .value(let path, let field):
            return .test(path, try test(of: field, name, operation, offset))
        case .state(let path):
            let states = Field(name, .enumeration("_state"))
            let allowed: [Operator] = [.equal, .notEqual, .among]
            guard allowed.contains(operation) else {
                throw scanner.error(offset, "_state is compared with = or in only", nil)
            }
            return .test(path, try test(of: states, name, operation, offset))
        case .version(let path):
            let versions = Field(name, .enumeration("_version"))
            let allowed: [Operator] = [.equal, .notEqual, .among, .null]
            guard allowed.contains(operation) else {
                throw scanner.error(offset, "_version is opaque: compare it with = only", nil)
            }
            return .test(path, try test(of: versions, name, operation, offset))
        case .reference(let relations, let relation, let holder):
            return try reference(relations, relation, holder, operation, offset)
        }
    }

    private mutating func test(
        of field: Field, _ name: String, _ operation: Operator, _ offset: Int
    ) throws(RecordsError) -> Filter.Test {
        if let reason = field.refusal(of: operation) {
            throw scanner.error(offset, "\(name) is \(field.typeText): \(reason.0)", reason.1)
        }
        switch operation {
        case .equal, .notEqual:
            guard let value = try operand(of: field, after: operation) else {
                return operation == .equal ? .isNull : .isNotNull
            }
            return operation == .equal ? .equal(value) : .notEqual(value)
        case .less: return .less(try required(field, operation))
        case .lessOrEqual: return .lessOrEqual(try required(field, operation))
        case .greater: return .greater(try required(field, operation))
        case .greaterOrEqual: return .greaterOrEqual(try required(field, operation))
        case .contains: return .contains(try word(after: operation).text)
        case .notContains: return .notContains(try word(after: operation).text)
        case .startsWith: return .startsWith(try word(after: operation).text)
        case .has:
            var element = field
            element.isList = false
            return .has(try coerce(try word(after: operation), element))
        case .among: return .among(try list(of: field))
        case .between:
            let low = try required(field, operation)
            guard scanner.take(word: "and") else {
                throw scanner.error(
                    scanner.index, "\"between\" needs \"and\" and a second value",
                    "write \(name) between A and B")
            }
            return .between(low, try required(field, operation))
        case .null: return try nullTest(of: field)
        }
    }

    /// What follows `is`.
    private mutating func nullTest(of field: Field) throws(RecordsError) -> Filter.Test {
        let isNegated = scanner.take(word: "not")
        if scanner.take(word: "null") { return isNegated ? .isNotNull : .isNull }
        if field.type == .scalar(.boolean), !field.isList {
            for value in [true, false] where scanner.take(word: "\(value)") {
                return isNegated ? .notEqual(.bool(value)) : .equal(.bool(value))
            }
        }
        throw scanner.error(
            scanner.index, "expected \"null\" or \"not null\" after \"is\"",
            "write = to compare with a value")
    }

    private mutating func list(of field: Field) throws(RecordsError) -> [JSONValue] {
        let open = scanner.index
        guard scanner.take("(") else {
            throw scanner.error(open, "\"in\" needs a list", "write in (A, B)")
        }
        var values: [JSONValue] = []
        repeat {
            guard let value = try scanner.value(inList: true) else {
                throw scanner.error(
                    scanner.index, "a value is missing in the list", "write in (A, B)")
            }
            values.append(try coerce(value, field))
        } while scanner.take(",")
        guard scanner.take(")") else {
            if scanner.isAtEnd { throw scanner.error(open, "\"(\" is never closed", "add \")\"") }
            throw scanner.error(
                scanner.index, "expected \",\" or \")\", found \"\(scanner.rest())\"",
                "a value with spaces needs quotes within the filter")
        }
        return values
    }

    // MARK: Operands

    private mutating func word(after operation: Operator) throws(RecordsError)
        -> FilterScanner.Value
    {
        let reserved = ["and", "or"].contains(scanner.word())
        guard !reserved, let value = try scanner.value(inList: false) else {
            throw scanner.error(
                scanner.index, "a value is missing after \"\(operation.rawValue)\"",
                "the empty text is written \"\"")
        }
        return value
    }

    /// The value compared with; nil for a bare `null`.
    private mutating func operand(of field: Field, after operation: Operator)
        throws(RecordsError) -> JSONValue?
    {
        let value = try word(after: operation)
        if !value.isQuoted, value.text.lowercased() == "null" { return nil }
        return try coerce(value, field)
    }

    private mutating func required(_ field: Field, _ operation: Operator) throws(RecordsError)
        -> JSONValue
    {
        try coerce(try word(after: operation), field)
    }

    private func coerce(_ value: FilterScanner.Value, _ field: Field) throws(RecordsError)
        -> JSONValue
    {
        if field.type == .enumeration("_state") {
            let states = ["synced", "pending", "conflict", "rejected"]
            if states.contains(value.text) { return .string(value.text) }
            throw scanner.error(
                value.offset, "\(quoted(value.text)) is no state",
                didYouMean(value.text, among: states).map { "did you mean \($0)?" }
                    ?? "states are \(someOf(states))", kind: .value)
        }
        if field.type == .enumeration("_version") {
            if !value.isQuoted, let number = NumberText.number(value.text) { return number }
            return .string(value.text)
        }
        do throws(RecordsError) {
            return try field.coerce(text: value.text, in: schema)
        } catch {
            throw scanner.error(value.offset, error.message, error.hint, kind: error.kind)
        }
    }

    /// A condition on a relation itself is one on its foreign key.
    private mutating func reference(
        _ relations: [String], _ relation: Relation, _ holder: Model, _ operation: Operator,
        _ offset: Int
    ) throws(RecordsError) -> Filter {
        let name = relation.name
        if relation.fields.count == 1, let field = holder.field(relation.fields[0]) {
            let path = Filter.Path(relations, field.name)
            return .test(path, try test(of: field, name, operation, offset))
        }
        let paths = relation.fields.map { Filter.Path(relations, $0) }
        switch operation {
        case .null:
            let test = try nullTest(of: Field(name, .scalar(.id)))
            let parts = paths.map { Filter.test($0, test) }
            return test == .isNull ? .or(parts) : .and(parts)
        case .equal, .notEqual:
            let value = try word(after: operation)
            guard let other = schema.model(relation.model) else { break }
            let values: [JSONValue]
            do throws(RecordsError) {
                let id = try other.recordID(typed: value.text, in: schema)
                values = other.keyValues(of: id)?.pairs.map(\.value) ?? []
            } catch {
                throw scanner.error(value.offset, error.message, error.hint, kind: error.kind)
            }
            let parts = zip(paths, values).map { Filter.test($0, .equal($1)) }
            return operation == .equal ? .and(parts) : .not(.and(parts))
        default: break
        }
        throw scanner.error(
            offset, "\(name) has a composite key: compare it with = or is null only",
            "or ask for its fields, as in \(name).\(relation.references[0])")
    }
}

extension Field {
    /// Why the operator means nothing for the field's type, and what to write instead.
    fileprivate func refusal(of operation: FilterParser.Operator) -> (String, String)? {
        if isList {
            if operation == .null { return nil }
            if operation == .has, !isNested { return nil }
            return ("it is asked with has or is null", "write \(name) has VALUE")
        }
        if operation == .has { return ("has is for lists", "write \(name) = VALUE") }
        switch (type, operation) {
        case (_, .null): return nil
        case (.nested, _): return ("it is asked with is null only", "filter on a field of its own")
        case (.enumeration, .less), (.enumeration, .lessOrEqual), (.enumeration, .greater),
            (.enumeration, .greaterOrEqual), (.enumeration, .between):
            return ("its values have no order", "write \(name) in (A, B)")
        case (.scalar(.boolean), .equal), (.scalar(.boolean), .notEqual),
            (.scalar(.boolean), .among):
            return nil
        case (.scalar(.boolean), _): return ("it is true or false", "write \(name) = true")
        case (.scalar(.int), .contains), (.scalar(.int), .notContains),
            (.scalar(.int), .startsWith), (.scalar(.float), .contains),
            (.scalar(.float), .notContains), (.scalar(.float), .startsWith),
            (.scalar(.timestamp), .contains), (.scalar(.timestamp), .notContains),
            (.scalar(.timestamp), .startsWith):
            return ("\(operation.rawValue) is for texts", "write \(name) = NUMBER")
        default: return nil
        }
    }
}
