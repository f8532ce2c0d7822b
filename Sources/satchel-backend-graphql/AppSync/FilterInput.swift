package import JSON
package import Records

/// The part of a filter that DynamoDB judges exactly as Satchel does.
///
/// The host filters what arrives once more, so a filter may let through too much, never too little:
/// of an `and` what cannot be said is left out, an `or` is said whole or not at all.
package enum FilterInput {
    /// The operators of the protocol that can be said for some type.
    package static let operators = [
        "eq", "lt", "le", "gt", "ge", "in", "between", "starts_with",
    ]

    /// `Model…FilterInput` for a filter; nil when nothing of it can be said.
    package static func of(_ filter: Filter, model: Model, schema: Schema) -> JSONValue? {
        switch filter {
        case .and(let parts):
            let said = parts.compactMap { of($0, model: model, schema: schema) }
            if said.count < 2 { return said.first }
            return ["and": .array(said)]
        case .or(let parts):
            let said = parts.compactMap { of($0, model: model, schema: schema) }
            guard said.count == parts.count, !said.isEmpty else { return nil }
            return ["or": .array(said)]
        // The negation of too much would be too little.
        case .not: return nil
        case .test(let path, let test):
            guard path.relations.isEmpty, let field = model.field(path.field), !field.isList
            else { return nil }
            return said(test, field, schema)
        }
    }

    private static func said(_ test: Filter.Test, _ field: Field, _ schema: Schema) -> JSONValue? {
        switch test {
        case .equal(let value):
            guard isComparable(value, field, schema) else { return nil }
            return one(field, "eq", value)
        case .among(let values):
            let parts = values.compactMap { said(.equal($0), field, schema) }
            guard parts.count == values.count, !parts.isEmpty else { return nil }
            return ["or": .array(parts)]
        case .less(let value): return ordered(field, "lt", value, schema)
        case .lessOrEqual(let value): return ordered(field, "le", value, schema)
        case .greater(let value): return ordered(field, "gt", value, schema)
        case .greaterOrEqual(let value): return ordered(field, "ge", value, schema)
        case .between(let low, let high):
            guard ordered(field, "ge", low, schema) != nil,
                ordered(field, "le", high, schema) != nil
            else { return nil }
            return one(field, "between", [low, high])
        case .startsWith(let text):
            guard isText(field), !text.isEmpty else { return nil }
            return one(field, "beginsWith", .string(text))
        case .notEqual, .contains, .notContains, .isNull, .isNotNull, .has: return nil
        }
    }

    private static func one(_ field: Field, _ word: String, _ value: JSONValue) -> JSONValue {
        .object(JSONObject([(field.name, .object(JSONObject([(word, value)])))]))
    }

    private static func ordered(
        _ field: Field, _ word: String, _ value: JSONValue, _ schema: Schema
    ) -> JSONValue? {
        guard isText(field) || isNumber(field), isComparable(value, field, schema) else {
            return nil
        }
        return one(field, word, value)
    }

    /// Dates and times are none: two texts may be one instant.
    private static func isText(_ field: Field) -> Bool {
        switch field.type {
        case .scalar(.id), .scalar(.string), .scalar(.email), .scalar(.url), .scalar(.phone),
            .scalar(.ipAddress):
            true
        default: false
        }
    }

    private static func isNumber(_ field: Field) -> Bool {
        switch field.type {
        case .scalar(.int), .scalar(.float), .scalar(.timestamp): true
        default: false
        }
    }

    private static func isComparable(_ value: JSONValue, _ field: Field, _ schema: Schema) -> Bool {
        if isText(field) { return value.text?.isEmpty == false }
        if isNumber(field) { return value.doubleValue != nil }
        switch field.type {
        case .scalar(.boolean): return value.boolean != nil
        case .enumeration(let name):
            // A value that the server may not know would have it refuse the query.
            return value.text.map { schema.enumType(name)?.values.contains($0) ?? false } ?? false
        default: return false
        }
    }
}
