package import JSON

// Protocol 1: `{"and":[..]}`, `{"or":[..]}`, `{"not":..}` or `{"field":"rating","op":"ge","value":4}`.

extension Filter {
    /// The filter as protocol 1 writes it; nil when it steps to another model or asks for a
    /// pseudo-field, which the protocol has no words for, or needs an operator not among
    /// `operators` (all, when nil).
    package func protocolJSON(operators: [String]? = nil) -> JSONValue? {
        switch self {
        case .and(let parts): return Filter.list("and", parts, operators)
        case .or(let parts): return Filter.list("or", parts, operators)
        case .not(let part): return part.protocolJSON(operators: operators).map { ["not": $0] }
        case .test(let path, .isNotNull):
            return Filter.test(path, .isNull).protocolJSON(operators: operators).map {
                ["not": $0]
            }
        case .test(let path, let test):
            let (word, value) = test.protocolWords
            guard path.relations.isEmpty, path.field.utf8.first != UInt8(ascii: "_"),
                operators?.contains(word) ?? true
            else { return nil }
            return ["field": .string(path.field), "op": .string(word), "value": value]
        }
    }

    private static func list(_ word: String, _ parts: [Filter], _ operators: [String]?)
        -> JSONValue?
    {
        var values: [JSONValue] = []
        for part in parts {
            guard let value = part.protocolJSON(operators: operators) else { return nil }
            values.append(value)
        }
        return .object(JSONObject([(word, .array(values))]))
    }
}

extension Filter.Test {
    fileprivate var protocolWords: (String, JSONValue) {
        switch self {
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
        case .isNull: ("is_null", true)
        case .isNotNull: ("is_null", false)
        case .has(let value): ("has", value)
        }
    }
}

extension Filter {
    /// Reads what `protocolJSON` writes, for records of `model`.
    ///
    /// - Throws: Kind `.syntax` or `.unknown`, naming the place.
    package init(protocolJSON json: JSONValue, model: Model) throws(RecordsError) {
        self = try Filter.read(JSONShape(json, "filter"), model, depth: 0)
    }

    private static func read(_ shape: JSONShape, _ model: Model, depth: Int)
        throws(RecordsError) -> Filter
    {
        guard depth < 100 else { throw shape.error("nests too deep") }
        let reader = try shape.object()
        for word in ["and", "or"] {
            guard let list = try reader.optional(word) else { continue }
            var parts: [Filter] = []
            for part in try list.elements() {
                parts.append(try read(part, model, depth: depth + 1))
            }
            return word == "and" ? .and(parts) : .or(parts)
        }
        if let part = try reader.optional("not") {
            return .not(try read(part, model, depth: depth + 1))
        }
        let name = try reader.required("field")
        let field = try name.text()
        guard model.field(field) != nil else {
            throw RecordsError(
                .unknown, "\(name.path): \(model.name) has no field \(quoted(field))")
        }
        let value = JSONShape(reader.members["value"] ?? .null, "\(shape.path).value")
        return .test(Path([], field), try test(try reader.required("op"), value))
    }

    private static func test(_ word: JSONShape, _ value: JSONShape) throws(RecordsError) -> Test {
        let json = value.json
        switch try word.text() {
        case "eq": return json.isNull ? .isNull : .equal(json)
        case "ne": return json.isNull ? .isNotNull : .notEqual(json)
        case "lt": return .less(json)
        case "le": return .lessOrEqual(json)
        case "gt": return .greater(json)
        case "ge": return .greaterOrEqual(json)
        case "in": return .among(try value.elements().map(\.json))
        case "between":
            let ends = try value.elements()
            guard ends.count == 2 else { throw value.error("is an array of two") }
            return .between(ends[0].json, ends[1].json)
        case "contains": return .contains(try value.text())
        case "not_contains": return .notContains(try value.text())
        case "starts_with": return .startsWith(try value.text())
        case "is_null":
            if case .bool(false) = json { return .isNotNull }
            return .isNull
        case "has": return .has(json)
        default:
            throw RecordsError(.unknown, "\(word.path): no operator \(describe(word.json))")
        }
    }
}
