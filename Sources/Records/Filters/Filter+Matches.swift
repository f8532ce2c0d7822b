package import JSON

extension Filter {
    /// Whether a record passes, as the store would judge it; nil when that takes more than the
    /// record: another record, or the state of the queue.
    ///
    /// Two-valued: a comparison with null is false, and `not` of it true.
    package func matches(_ record: JSONObject, model: Model, schema: Schema) -> Bool? {
        switch self {
        case .and(let parts):
            var result: Bool? = true
            for part in parts {
                switch part.matches(record, model: model, schema: schema) {
                case false?: return false
                case nil: result = nil
                case true?: break
                }
            }
            return result
        case .or(let parts):
            var result: Bool? = false
            for part in parts {
                switch part.matches(record, model: model, schema: schema) {
                case true?: return true
                case nil: result = nil
                case false?: break
                }
            }
            return result
        case .not(let part):
            return part.matches(record, model: model, schema: schema).map { !$0 }
        case .test(let path, let test):
            guard path.relations.isEmpty, let field = model.field(path.field) else { return nil }
            return test.passes(record[path.field] ?? .null, of: field)
        }
    }
}

extension Filter.Test {
    fileprivate func passes(_ value: JSONValue, of field: Field) -> Bool {
        switch self {
        case .equal(let other): return equal(value, other, field)
        case .notEqual(let other): return !equal(value, other, field)
        case .less(let other): return order(value, other, field) == .before
        case .lessOrEqual(let other):
            return order(value, other, field).map { $0 != .after } ?? false
        case .greater(let other): return order(value, other, field) == .after
        case .greaterOrEqual(let other):
            return order(value, other, field).map { $0 != .before } ?? false
        case .between(let low, let high):
            return order(value, low, field).map { $0 != .before } ?? false
                && order(value, high, field).map { $0 != .after } ?? false
        case .among(let values): return values.contains { equal(value, $0, field) }
        case .contains(let text): return contains(value, text)
        case .notContains(let text): return !contains(value, text)
        case .startsWith(let prefix):
            return value.text.map { $0.utf8.starts(with: prefix.utf8) } ?? false
        case .isNull: return value.isNull
        case .isNotNull: return !value.isNull
        case .has(let element):
            var single = field
            single.isList = false
            return value.elements?.contains { same($0, element, single) } ?? false
        }
    }

    private func contains(_ value: JSONValue, _ text: String) -> Bool {
        value.text.map { CaseFolding.contains($0, text) } ?? false
    }

    private func equal(_ value: JSONValue, _ other: JSONValue, _ field: Field) -> Bool {
        other.isNull ? value.isNull : !value.isNull && same(value, other, field)
    }

    private func same(_ value: JSONValue, _ other: JSONValue, _ field: Field) -> Bool {
        if value == other { return true }
        guard field.isInstant else { return false }
        return order(value, other, field) == .same
    }

    private func order(_ value: JSONValue, _ other: JSONValue, _ field: Field) -> Order? {
        switch (value, other) {
        case (.string(let left), .string(let right)):
            if case .scalar(let scalar) = field.type, field.isInstant {
                return InstantKey.compare(left, right, scalar)
            }
            return TextOrder.compare(left, right)
        case (.bool(let left), .bool(let right)): return Order(left ? 1 : 0, right ? 1 : 0)
        default: return NumberText.compare(value, other)
        }
    }
}

extension Field {
    var isInstant: Bool {
        switch type {
        case .scalar(.dateTime), .scalar(.date), .scalar(.time): true
        default: false
        }
    }
}

/// How texts of dates and times order: as instants, what is none after all that are.
enum InstantKey {
    static func compare(_ left: String, _ right: String, _ scalar: Scalar) -> Order {
        switch (Instant.lenient(left, as: scalar), Instant.lenient(right, as: scalar)) {
        case (let left?, let right?): Order(left, right)
        case (_?, nil): .before
        case (nil, _?): .after
        case (nil, nil): TextOrder.compare(left, right)
        }
    }
}

/// Comparison of texts whatever the case of their letters.
enum CaseFolding {
    static func contains(_ text: String, _ wanted: String) -> Bool {
        let wanted = Array(wanted.lowercased().utf8)
        guard let first = wanted.first else { return true }
        let bytes = Array(text.lowercased().utf8)
        guard bytes.count >= wanted.count else { return false }
        return (0...bytes.count - wanted.count).contains { start in
            bytes[start] == first
                && bytes[start..<start + wanted.count].elementsEqual(wanted)
        }
    }
}
