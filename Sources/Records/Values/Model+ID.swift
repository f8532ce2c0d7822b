package import JSON

extension Model {
    /// The identity of a record; nil when a key field is missing, null, or no text or integer.
    package func id(of record: JSONObject) -> RecordID? {
        if key.count == 1 {
            return record[key[0]].flatMap(Model.idText).map(RecordID.init)
        }
        var values: [JSONValue] = []
        values.reserveCapacity(key.count)
        for name in key {
            guard let value = record[name]?.canonicalNumber, Model.idText(value) != nil else {
                return nil
            }
            values.append(value)
        }
        return RecordID(JSONValue.array(values).serialized())
    }

    private static func idText(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text.isEmpty ? nil : text
        case .int(let number): number.description
        case .double, .big: value.canonicalNumber.integer?.description
        default: nil
        }
    }

    /// The values of the key fields that `id` stands for; nil when it is no id of this model.
    package func keyValues(of id: RecordID) -> JSONObject? {
        if key.count == 1 {
            return keyValue(key[0], id.text).map { JSONObject([(key[0], $0)]) }
        }
        guard case .array(let values)? = parsedID(id.text), values.count == key.count else {
            return nil
        }
        var result = JSONObject()
        for (name, value) in zip(key, values) {
            guard let field = field(name), field.isKeyValue(value) else { return nil }
            result.append(name, value)
        }
        return result
    }

    private func keyValue(_ name: String, _ text: String) -> JSONValue? {
        guard let field = field(name) else { return nil }
        switch field.type {
        case .scalar(.int), .scalar(.timestamp): return Int64(text).map(JSONValue.int)
        default: return text.isEmpty ? nil : .string(text)
        }
    }

    private func parsedID(_ text: String) -> JSONValue? {
        do throws(JSONError) { return try JSONValue.parse(text) } catch { return nil }
    }

    /// The identity that a person typed: a key's text, or the JSON array of a composite key.
    ///
    /// - Throws: Kind `.value` when it cannot be one; whether such a record exists is not asked.
    package func recordID(typed text: String, in schema: Schema) throws(RecordsError) -> RecordID {
        if key.count == 1 {
            guard let field = field(key[0]) else { return RecordID(text) }
            let value = try field.coerce(text: text, in: schema)
            guard let id = Model.idText(value) else { throw field.wrong(text, .id, hint: "") }
            return RecordID(id)
        }
        guard case .array(let values)? = parsedID(text), values.count == key.count else {
            let items = key.map { "\($0)=VALUE" }.joined(separator: " ")
            throw RecordsError(
                .value, "\(quoted(text)) is no id of \(name): its key has \(key.count) fields",
                hint: "write \(items), or a JSON array of the values")
        }
        var normal: [JSONValue] = []
        for (name, value) in zip(key, values) {
            guard let field = field(name) else { continue }
            normal.append(try field.validate(value, in: schema))
        }
        return RecordID(JSONValue.array(normal).serialized())
    }
}

extension Field {
    /// True when `value` is how a key field's value stands in an id.
    func isKeyValue(_ value: JSONValue) -> Bool {
        switch (type, value) {
        case (.scalar(.int), .int), (.scalar(.timestamp), .int): true
        case (.scalar(.int), _), (.scalar(.timestamp), _): false
        case (_, .string(let text)): !text.isEmpty
        default: false
        }
    }
}
