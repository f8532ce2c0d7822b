internal import JSON

extension Filter {
    /// The filter as `parse` reads it; nil for an empty `and` or `or`, which has no words.
    package var text: String? { text(inside: .or) }

    private enum Level: Int { case or, and, not }

    private func text(inside level: Level) -> String? {
        switch self {
        case .and(let parts): joined(parts, " and ", .and, inside: level)
        case .or(let parts): joined(parts, " or ", .or, inside: level)
        case .not(let part): part.text(inside: .not).map { "not " + $0 }
        case .test(let path, let test): path.text + " " + test.text
        }
    }

    /// A part that is itself joined stands in parentheses, so that the structure comes back too.
    private func joined(_ parts: [Filter], _ word: String, _ own: Level, inside level: Level)
        -> String?
    {
        var texts: [String] = []
        for part in parts {
            let needsMore = if case .or = part, own == .or { true } else { false }
            guard let text = part.text(inside: needsMore ? .not : own == .or ? .and : .not) else {
                return nil
            }
            texts.append(text)
        }
        guard texts.count > 1 else { return texts.first.map { level == .or ? $0 : "(\($0))" } }
        let isOpen = level == .or || (level == .and && own == .and)
        return isOpen ? texts.joined(separator: word) : "(" + texts.joined(separator: word) + ")"
    }
}

extension Filter.Path {
    /// The path as typed: `author.name`.
    package var text: String {
        relations.isEmpty ? field : relations.joined(separator: ".") + "." + field
    }
}

extension Filter.Test {
    fileprivate var text: String {
        switch self {
        case .equal(let value): "= " + value.filterText
        case .notEqual(let value): "!= " + value.filterText
        case .less(let value): "< " + value.filterText
        case .lessOrEqual(let value): "<= " + value.filterText
        case .greater(let value): "> " + value.filterText
        case .greaterOrEqual(let value): ">= " + value.filterText
        case .contains(let text): "~ " + JSONValue.string(text).filterText
        case .notContains(let text): "!~ " + JSONValue.string(text).filterText
        case .among(let values): "in (" + values.map(\.filterText).joined(separator: ", ") + ")"
        case .between(let low, let high): "between \(low.filterText) and \(high.filterText)"
        case .startsWith(let text): "startswith " + JSONValue.string(text).filterText
        case .isNull: "is null"
        case .isNotNull: "is not null"
        case .has(let value): "has " + value.filterText
        }
    }
}

extension JSONValue {
    /// The value as an operand: a text in quotes, others as JSON.
    fileprivate var filterText: String {
        guard case .string(let text) = self else { return serialized() }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
