package import JSON

extension Field {
    /// True when a backend's value can be stored, even where no user could have entered it.
    ///
    /// Unknown enum values, texts that are odd dates, and nulls are kept as they came: the backend
    /// may be ahead of the schema. Only another kind of value than the type's is refused.
    package func accepts(remote json: JSONValue, in schema: Schema) -> Bool {
        switch json {
        case .null: return true
        case .array(let elements) where isList:
            return elements.allSatisfy { $0.isNull || accepts(element: $0, in: schema) }
        default: return !isList && accepts(element: json, in: schema)
        }
    }

    private func accepts(element json: JSONValue, in schema: Schema) -> Bool {
        switch (type, json) {
        case (.scalar(.int), .int), (.scalar(.timestamp), .int), (.scalar(.float), .int),
            (.scalar(.float), .double), (.scalar(.float), .big), (.scalar(.boolean), .bool),
            (.scalar(.id), .int), (.enumeration, .string):
            return true
        case (.scalar(.int), .double), (.scalar(.int), .big), (.scalar(.timestamp), .double),
            (.scalar(.timestamp), .big):
            if case .int = json.canonicalNumber { return true }
            return false
        case (.scalar(.int), _), (.scalar(.timestamp), _), (.scalar(.float), _),
            (.scalar(.boolean), _):
            return false
        case (.scalar, .string): return true
        case (.nested(let name), .object(let members)):
            guard let nested = schema.nestedType(name) else { return true }
            return nested.fields.allSatisfy { field in
                members[field.name].map { field.accepts(remote: $0, in: schema) } ?? true
            }
        default: return false
        }
    }
}

extension Model {
    /// Why a backend's record cannot be stored; nil when it can.
    package func fault(remote record: JSONObject, in schema: Schema) -> String? {
        for name in key where record[name]?.isNull ?? true {
            return "the key field \(name) is missing"
        }
        var next = 0
        for (name, value) in record.pairs {
            // Records list their fields in schema order, most of the time.
            let index: Int
            if next < fields.count, fields[next].name.sameBytes(as: name) {
                index = next
            } else if let found = fieldIndex(name) {
                index = found
            } else {
                continue
            }
            next = index + 1
            if !fields[index].accepts(remote: value, in: schema) {
                return "\(name): \(fields[index].shown(value)) is no \(fields[index].typeText)"
            }
        }
        return id(of: record) == nil ? "the key is no \(key.joined(separator: ", "))" : nil
    }
}
