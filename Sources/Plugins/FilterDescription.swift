internal import JSON
internal import Records

/// A filter as protocol 1 writes it.
enum FilterDescription {
    /// Nil when the filter needs an operator that is not among `operators`, or steps to another
    /// model, which the protocol has no words for: the backend then sends everything.
    static func value(of filter: Filter, operators: [String]) -> JSONValue? {
        switch filter {
        case .and(let parts): list("and", parts, operators)
        case .or(let parts): list("or", parts, operators)
        case .not(let part): value(of: part, operators: operators).map { ["not": $0] }
        case .test(let path, let test):
            path.relations.isEmpty && !path.field.utf8.starts(with: "_".utf8)
                ? self.test(path.field, test, operators) : nil
        }
    }

    private static func list(
        _ word: String, _ parts: [Filter], _ operators: [String]
    ) -> JSONValue? {
        var values: [JSONValue] = []
        for part in parts {
            guard let value = value(of: part, operators: operators) else { return nil }
            values.append(value)
        }
        return .object(JSONObject([(word, .array(values))]))
    }

    private static func test(
        _ field: String, _ test: Filter.Test, _ operators: [String]
    ) -> JSONValue? {
        if case .isNotNull = test {
            return self.test(field, .isNull, operators).map { ["not": $0] }
        }
        let (word, operand): (String, JSONValue) =
            switch test {
            case .equal(let value): ("eq", value)
            case .notEqual(let value): ("ne", value)
            case .less(let value): ("lt", value)
            case .lessOrEqual(let value): ("le", value)
            case .greater(let value): ("gt", value)
            case .greaterOrEqual(let value): ("ge", value)
            case .contains(let text): ("contains", .string(text))
            case .notContains(let text): ("not_contains", .string(text))
            case .among(let values): ("in", .array(values))
            case .between(let low, let high): ("between", [low, high])
            case .startsWith(let text): ("starts_with", .string(text))
            case .isNull, .isNotNull: ("is_null", true)
            case .has(let value): ("has", value)
            }
        guard operators.contains(word) else { return nil }
        return ["field": .string(field), "op": .string(word), "value": operand]
    }
}
