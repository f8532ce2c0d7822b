package import JSON

extension [Item] {
    /// What the items change of a record: the `set` of its mutation.
    ///
    /// With a `current` record, values that it has already are left out, and key fields may not be
    /// set; without one, this is the beginning of a new record.
    ///
    /// - Throws: Kind `.unknown`, `.value` or `.syntax`, naming the field.
    package func changes(to model: Model, current: JSONObject?, in schema: Schema)
        throws(RecordsError) -> JSONObject
    {
        var changes = JSONObject()
        changes.reserveCapacity(count)
        var nested: [Field] = []
        for item in self {
            guard let index = model.fieldIndex(item.field) else {
                for (name, value) in try item.foreignKey(of: model, in: schema).pairs {
                    if current != nil { try model.refuseKeyChange(model.requireField(name)) }
                    if changes.index(of: name) != nil { throw model.twice(name) }
                    changes.append(name, value)
                }
                continue
            }
            let field = model.fields[index]
            if field.isReadOnly { try model.refuseReadOnly(field) }
            if current != nil { try model.refuseKeyChange(field) }
            let pending = changes[field.name]
            if !item.parts.isEmpty {
                let old = pending ?? current?[field.name] ?? .null
                changes[field.name] = try item.value(
                    of: field, under: item.parts[...], in: old, schema)
                nested.append(field)
            } else if item.isRelative {
                changes[field.name] = try item.value(
                    of: field, from: pending ?? current?[field.name] ?? .null, in: schema)
            } else if pending != nil {
                throw model.twice(field.name)
            } else {
                changes.append(field.name, try item.value(of: field, from: .null, in: schema))
            }
        }
        // Parts may come one by one; only the whole has to be complete.
        for field in nested {
            changes[field.name] = try field.validate(changes[field.name] ?? .null, in: schema)
        }
        return current.map(changes.changed) ?? changes
    }

    /// The id that items such as `customer=c1 number:=7` spell, one for each key field.
    ///
    /// - Throws: Kind `.syntax` for a field that is not part of the key, or one that is missing.
    package func recordID(of model: Model, in schema: Schema) throws(RecordsError) -> RecordID {
        let values = try changes(to: model, current: nil, in: schema)
        for name in values.keys where !model.key.contains(where: { $0.sameBytes(as: name) }) {
            throw RecordsError(
                .syntax, "\(name) is no part of the key of \(model.name)",
                hint: "its key is \(model.key.joined(separator: ", "))")
        }
        guard let id = model.id(of: values) else {
            let missing = model.key.filter { values[$0]?.isNull ?? true }
            throw RecordsError(
                .syntax, "the id of \(model.name) lacks \(missing.joined(separator: ", "))",
                hint: "add " + missing.map { "\($0)=VALUE" }.joined(separator: " "))
        }
        return id
    }
}

extension JSONObject {
    /// The members whose values differ from those of `record`, where a missing one is null.
    package func changed(from record: JSONObject) -> JSONObject {
        let isSame = { (name: String, value: JSONValue) in value == record[name] ?? .null }
        guard pairs.contains(where: isSame) else { return self }
        return JSONObject(unchecked: pairs.filter { !isSame($0.key, $0.value) })
    }
}

extension Model {
    /// Throws for a field of the key: it is what the record is known by.
    package func refuseKeyChange(_ field: Field) throws(RecordsError) {
        guard key.contains(where: { $0.sameBytes(as: field.name) }) else { return }
        throw RecordsError(
            .value, "\(field.name) is the key of \(name): it cannot change",
            hint: "create a new record and delete this one")
    }
}

extension Item {
    fileprivate var isRelative: Bool {
        switch operation {
        case .add, .subtract: true
        case .set, .setJSON, .setFile, .setJSONFile, .unset: false
        }
    }

    fileprivate func value(of field: Field, from old: JSONValue, in schema: Schema)
        throws(RecordsError) -> JSONValue
    {
        switch operation {
        case .set(let text): return try field.coerce(text: text, in: schema)
        case .setJSON(let text): return try field.validate(json(text), in: schema)
        case .add(let text): return try field.adding(text, to: old, in: schema)
        case .subtract(let text): return try field.subtracting(text, from: old, in: schema)
        case .unset: return try field.validate(.null, in: schema)
        case .setFile(let file), .setJSONFile(let file):
            throw RecordsError(.syntax, "\(key): the file \(file) was not read")
        }
    }

    private func json(_ text: String) throws(RecordsError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue.parse(text)
        } catch {
            throw RecordsError(
                .syntax, "\(key): no JSON: \(error.message)",
                hint: "write \(key)=TEXT for a text, or quote it: \(key):='\"TEXT\"'")
        }
    }

    /// The nested value `old` with the part that `parts` lead to set.
    fileprivate func value(
        of field: Field, under parts: ArraySlice<String>, in old: JSONValue, _ schema: Schema
    ) throws(RecordsError) -> JSONValue {
        guard let name = parts.first else {
            return try value(of: field, from: old, in: schema)
        }
        guard case .nested(let typeName) = field.type, !field.isList,
            let type = schema.nestedType(typeName)
        else {
            throw RecordsError(
                .unknown, "\(field.name) has no part \(quoted(name)): it is \(field.typeText)")
        }
        guard var part = type.fields.first(where: { $0.name.sameBytes(as: name) }) else {
            let names = type.fields.map(\.name)
            throw RecordsError(
                .unknown, "\(field.name): \(typeName) has no \(quoted(name))",
                hint: didYouMean(name, among: names).map { "did you mean \($0)?" }
                    ?? "it has \(someOf(names))")
        }
        part.name = "\(field.name).\(name)"
        var members = old.members ?? JSONObject()
        members[name] = try value(
            of: part, under: parts.dropFirst(), in: members[name] ?? .null, schema)
        return .object(members)
    }

    /// What setting a relation changes.
    fileprivate func foreignKey(of model: Model, in schema: Schema) throws(RecordsError)
        -> JSONObject
    {
        guard let relation = model.relation(field) else { throw model.unknownField(field) }
        if !parts.isEmpty {
            throw RecordsError(
                .unknown, "\(key): \(field) is a relation: only its id is set here",
                hint: "update \(relation.model) to change the other record")
        }
        let value: JSONValue
        switch operation {
        case .set(let text):
            value =
                relation.fields.count > 1
                ? try json(text) : try model.foreignKeyValue(relation, text, in: schema)
        case .setJSON(let text): value = try json(text)
        case .unset: value = .null
        case .add, .subtract, .setFile, .setJSONFile:
            throw RecordsError(
                .syntax, "\(field) is a relation: it takes an id", hint: "write \(field)=ID")
        }
        return try model.foreignKey(relation, value, in: schema)
    }
}

extension Model {
    fileprivate func foreignKeyValue(_ relation: Relation, _ text: String, in schema: Schema)
        throws(RecordsError) -> JSONValue
    {
        guard relation.holdsForeignKey, let name = relation.fields.first else {
            // Says what the other kinds of relation say.
            return .object(try foreignKey(relation, .string(text), in: schema))
        }
        var field = try requireField(name)
        field.name = relation.name
        return try field.coerce(text: text, in: schema)
    }
}
