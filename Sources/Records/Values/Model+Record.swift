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
        var search = MemberSearch(set)
        var result = try completed(capacity: max(set.count + 1, fields.count), newID: newID) {
            search.value(of: fields[$0].name)
        }
        appendUnknown(of: set, found: search.found, to: &result)
        return result
    }

    /// As `complete`, of the values that `given` has for fields by their place.
    @inline(__always)
    func completed(
        capacity: Int, newID: () -> String, _ given: (Int) throws(RecordsError) -> JSONValue?
    ) throws(RecordsError) -> JSONObject {
        var result = JSONObject()
        result.reserveCapacity(capacity)
        for index in fields.indices {
            if let value = try given(index) {
                if fields[index].isRequired, value.isNull { throw missing(fields[index]) }
                result.append(fields[index].name, value)
            } else if let value = fields[index].defaultValue {
                result.append(fields[index].name, value)
            } else if fields[index].isRequired {
                if fields[index].isReadOnly { continue }
                guard makesIDs, fields[index].name.sameBytes(as: key[0]) else {
                    throw missing(fields[index])
                }
                result.append(fields[index].name, .string(newID()))
            }
        }
        return result
    }

    /// The record in schema order with every field present, null where it has none, and what is
    /// no field last: two records are equal when their normal forms are.
    package func normalized(_ record: JSONObject) -> JSONObject {
        var search = MemberSearch(record)
        var result = JSONObject()
        result.reserveCapacity(max(record.count, fields.count))
        for index in fields.indices {
            let name = fields[index].name
            result.append(name, search.value(of: name) ?? .null)
        }
        appendUnknown(of: record, found: search.found, to: &result)
        return result
    }

    private func appendUnknown(of record: JSONObject, found: Int, to result: inout JSONObject) {
        guard found < record.count else { return }
        for (name, value) in record.pairs where fieldIndex(name) == nil {
            result.append(name, value)
        }
    }
}

/// Looks up the members of an object in an order that is mostly theirs, each at most once.
private struct MemberSearch {
    private let pairs: [JSONObject.Member]
    /// The place after the last hit: where the next one is likely to be.
    private var next = 0
    private(set) var found = 0

    init(_ object: JSONObject) { pairs = object.pairs }

    mutating func value(of name: String) -> JSONValue? {
        if next < pairs.count, pairs[next].key.sameBytes(as: name) { return take(next) }
        guard found < pairs.count else { return nil }
        for index in pairs.indices where index != next && pairs[index].key.sameBytes(as: name) {
            return take(index)
        }
        return nil
    }

    private mutating func take(_ index: Int) -> JSONValue {
        next = index + 1
        found += 1
        return pairs[index].value
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
