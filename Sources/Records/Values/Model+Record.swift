package import JSON

extension Model {
    /// Checks a record or a part of one given as JSON, and brings its values into stored form.
    ///
    /// The name of a relation may stand for its foreign key and takes an id. Members keep their
    /// order. `keepsUnknown` keeps members that are no fields, as when an export is read back;
    /// `allowsReadOnly` takes fields that the backend sets.
    ///
    /// - Throws: Kind `.unknown` for a member that is no field, `.value` for one that does not fit.
    package func validate(
        data: JSONObject, in schema: Schema, keepsUnknown: Bool = false,
        allowsReadOnly: Bool = false
    ) throws(RecordsError) -> JSONObject {
        var result = JSONObject()
        result.reserveCapacity(data.count)
        var next = 0
        for (name, value) in data.pairs {
            let index: Int
            if next < fields.count, fields[next].name.sameBytes(as: name) {
                index = next
            } else if let found = fieldIndex(name) {
                index = found
            } else if let relation = relation(name) {
                for (key, value) in try foreignKey(relation, value, in: schema).pairs {
                    if result.index(of: key) != nil { throw twice(key) }
                    result.append(key, value)
                }
                continue
            } else if keepsUnknown {
                result.append(name, value)
                continue
            } else {
                throw unknownField(name)
            }
            next = index + 1
            if !allowsReadOnly { try refuseReadOnly(fields[index]) }
            if data.count > 1, result.index(of: name) != nil { throw twice(name) }
            result.append(name, try fields[index].validate(value, in: schema))
        }
        return result
    }

    /// The whole new record: `set` in schema order, with an id and the defaults filled in.
    ///
    /// The values of `set` were checked already; what is no field goes last. Optional fields that
    /// were not given stay absent, so the backend may fill them. `newID` is called only where the
    /// client makes ids and none is given.
    ///
    /// - Throws: Kind `.value`, naming the first required field that is missing.
    package func complete(create set: JSONObject, newID: () -> String) throws(RecordsError)
        -> JSONObject
    {
        var result = JSONObject()
        result.reserveCapacity(max(set.count + 1, fields.count))
        var taken = 0
        let pairs = set.pairs
        for field in fields {
            // Mostly both are in schema order: then each look-up hits at once.
            if taken < pairs.count, pairs[taken].key.sameBytes(as: field.name) {
                result.append(pairs[taken].key, pairs[taken].value)
                taken += 1
                if field.isRequired, pairs[taken - 1].value.isNull { throw missing(field) }
                continue
            }
            if let index = set.index(of: field.name) {
                if field.isRequired, pairs[index].value.isNull { throw missing(field) }
                result.append(field.name, pairs[index].value)
            } else if let value = field.defaultValue {
                result.append(field.name, value)
            } else if makesIDs, field.name.sameBytes(as: key[0]) {
                result.append(field.name, .string(newID()))
            } else if field.isRequired, !field.isReadOnly {
                throw missing(field)
            }
        }
        if result.count < set.count || taken < pairs.count {
            for (name, value) in pairs where fieldIndex(name) == nil { result.append(name, value) }
        }
        return result
    }

    /// The record in schema order with every field present, null where it has none, and what is
    /// no field last: two records are equal when their normal forms are.
    package func normalized(_ record: JSONObject) -> JSONObject {
        var result = JSONObject()
        result.reserveCapacity(max(record.count, fields.count))
        var known = 0
        for field in fields {
            let value = record[field.name]
            if value != nil { known += 1 }
            result.append(field.name, value ?? .null)
        }
        if known < record.count {
            for (name, value) in record.pairs where fieldIndex(name) == nil {
                result.append(name, value)
            }
        }
        return result
    }
}

// MARK: Errors

extension Model {
    func refuseReadOnly(_ field: Field) throws(RecordsError) {
        guard field.isReadOnly else { return }
        throw RecordsError(
            .value, "\(field.name) of \(name) is read-only: the backend sets it",
            hint: "leave it out")
    }

    func unknownField(_ word: String) -> RecordsError {
        let names = fields.map(\.name) + relations.filter(\.holdsForeignKey).map(\.name)
        return RecordsError(
            .unknown, "\(name) has no field \(quoted(word))",
            hint: didYouMean(word, among: names).map { "did you mean \($0)?" }
                ?? "its fields are \(someOf(names))")
    }

    func twice(_ field: String) -> RecordsError {
        RecordsError(.syntax, "\(field) is given twice", hint: "give it once")
    }

    private func missing(_ field: Field) -> RecordsError {
        RecordsError(
            .value, "\(name) needs \(field.name) (\(field.typeText)!)",
            hint: "add \(field.name)=VALUE")
    }

    /// What setting a relation to an id, or to null, does to the foreign key.
    func foreignKey(_ relation: Relation, _ value: JSONValue, in schema: Schema)
        throws(RecordsError) -> JSONObject
    {
        guard relation.holdsForeignKey else {
            let other = relation.join ?? relation.model
            throw RecordsError(
                .value,
                "\(relation.name) of \(name) is kept in \(other): it cannot be set here",
                hint:
                    "create or update \(other) and set \(relation.references.joined(separator: ", "))"
            )
        }
        var result = JSONObject()
        if value.isNull {
            for name in relation.fields {
                result.append(name, try requireField(name).validate(.null, in: schema))
            }
            return result
        }
        var values = [value]
        if relation.fields.count > 1 {
            guard case .array(let parts) = value, parts.count == relation.fields.count else {
                throw RecordsError(
                    .value, "\(relation.name): \(describe(value)) is no id of \(relation.model)",
                    hint: "write the JSON array of \(relation.references.joined(separator: ", "))")
            }
            values = parts
        }
        for (name, part) in zip(relation.fields, values) {
            var field = try requireField(name)
            field.name = relation.name
            result.append(name, try field.validate(part, in: schema))
        }
        return result
    }

    func requireField(_ name: String) throws(RecordsError) -> Field {
        guard let field = field(name) else { throw unknownField(name) }
        return field
    }
}
