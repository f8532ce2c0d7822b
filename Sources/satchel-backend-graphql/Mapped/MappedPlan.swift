package import JSON
internal import PluginKit
package import Records

/// How records of one model go to and come from an API that a mapping tells of.
package struct MappedPlan: Sendable {
    package let model: Model
    package let mapping: ModelMapping
    /// The fields that the API has.
    package let fields: [Field]
    /// What stands in a document for `${fields}` and its like.
    let words: [String: String]
    /// The names of those.
    static let words = ["fields", "key", "type", "model", "models", "Model", "Models"]

    package init(_ model: Model, in schema: Schema, _ mapping: ModelMapping) {
        self.model = model
        fields = model.fields.filter { !mapping.missing.contains($0.name) }
        var values = Selection.of(fields, in: schema, as: mapping.fields)
        for extra in [mapping.version, mapping.deletion?.field, mapping.since] {
            guard let extra, !Self.selects(fields, mapping, extra) else { continue }
            if !values.split(separator: " ").contains(Substring(extra)) { values += " \(extra)" }
        }
        let plural = Plural.of(mapping.type)
        words = [
            "fields": values, "type": mapping.type,
            "model": mapping.type.uncapitalizedFirst, "Model": mapping.type.capitalizedFirst,
            "models": plural.uncapitalizedFirst, "Models": plural.capitalizedFirst,
            "key": model.key.map { mapping.fields[$0] ?? $0 }.joined(separator: " "),
        ]
        var named = mapping
        named.list = mapping.list?.named(words)
        named.delta = mapping.delta?.named(words)
        named.get = mapping.get?.named(words)
        named.create = mapping.create?.named(words)
        named.update = mapping.update?.named(words)
        named.delete = mapping.delete?.named(words)
        for index in named.subscriptions.indices {
            named.subscriptions[index].step = mapping.subscriptions[index].step.named(words)
        }
        self.mapping = named
    }

    private static func selects(
        _ fields: [Field], _ mapping: ModelMapping, _ name: String
    ) -> Bool {
        fields.contains { (mapping.fields[$0.name] ?? $0.name).sameBytes(as: name) }
    }

    /// True when a write of that kind is refused by the API where the record has changed.
    package func isConditional(_ verb: ModelPlan.Write) -> Bool {
        mapping.version != nil && mapping.step(verb)?.uses("version") ?? false
    }

    /// True when every write that could overwrite another's goes with a condition.
    package var isConditional: Bool {
        (mapping.update == nil || isConditional(.update))
            && (mapping.delete == nil || isConditional(.delete))
    }

    /// True when changes can be asked for alone.
    package var hasDelta: Bool {
        mapping.delta != nil
            && (mapping.since != nil
                || mapping.list?.until != nil && mapping.delta?.until != nil)
    }
}

extension MappedPlan {
    /// Reads a record.
    package func item(_ json: JSONValue) -> Item {
        guard case .object(let members) = json else {
            return .bad(nil, "it is \(json.isNull ? "null" : "no object")")
        }
        if let unreadable = UnreadableItem(members) {
            let key = unreadable.members(model.key)
            let known = JSONObject(
                key.pairs.map { name, value in
                    (name, model.field(name).map { local(value, $0) } ?? value)
                })
            return .bad(model.id(of: known), "it cannot be read: \(unreadable.reason)")
        }
        var record = JSONObject()
        for field in fields {
            guard let value = members[field.name] else { continue }
            record.append(field.name, local(value, field))
        }
        guard let id = model.id(of: record) else {
            return .bad(nil, "its key is missing: \(model.key.joined(separator: ", "))")
        }
        let version = version(of: members, record)
        return isDeleted(members)
            ? .deleted(id, version: version)
            : .record(id, version: version, record)
    }

    /// True when every field that was asked for is there.
    package func isWhole(_ json: JSONValue) -> Bool {
        guard case .object(let members) = json else { return false }
        return fields.allSatisfy { members.index(of: $0.name) != nil }
    }

    /// The version that the API keeps, else one that is made of the record.
    private func version(of members: JSONObject, _ record: JSONObject) -> JSONValue {
        if let name = mapping.version, let value = members[name] ?? local(name, members),
            !value.isNull
        {
            return value
        }
        let digest = Digest.sha256(JSONValue.object(record).bytes())
        return .string("#\(Digest.hexadecimal(Array(digest.prefix(16))))")
    }

    /// A field that the API calls by another name than we do.
    private func local(_ theirs: String, _ members: JSONObject) -> JSONValue? {
        mapping.fields.first { $0.value == theirs }.flatMap { members[$0.key] }
    }

    private func isDeleted(_ members: JSONObject) -> Bool {
        guard let deletion = mapping.deletion,
            let value = members[deletion.field] ?? local(deletion.field, members)
        else { return false }
        if let wanted = deletion.value { return value == wanted }
        return !value.isNull && value != false
    }

    /// The value of the field that deltas go by.
    func stamp(of json: JSONValue) -> JSONValue? {
        guard let since = mapping.since, let members = json.members,
            let value = members[since] ?? local(since, members), !value.isNull
        else { return nil }
        return value
    }

    private func local(_ value: JSONValue, _ field: Field) -> JSONValue {
        if mapping.documents.contains(field.name), !value.isNull {
            return .string(value.serialized())
        }
        guard mapping.numbers.contains(field.name), let number = value.integer else { return value }
        return .string(number.description)
    }

    /// A record, or changes of one, as the API has it.
    func remote(_ record: JSONObject) -> JSONObject {
        JSONObject(
            unchecked: record.pairs.map { name, value in
                (key: mapping.fields[name] ?? name, value: remote(value, name))
            })
    }

    private func remote(_ value: JSONValue, _ name: String) -> JSONValue {
        guard let text = value.text else { return value }
        if mapping.documents.contains(name) {
            do throws(JSONError) { return try JSONValue.parse(text) } catch { return value }
        }
        if mapping.numbers.contains(name), let number = Int64(text) { return .int(number) }
        return value
    }

    /// The values of a record's key, for the variables of a document.
    func keyValues(_ id: RecordID) -> (key: JSONObject, id: JSONValue)? {
        guard let key = model.keyValues(of: id) else { return nil }
        let theirs = remote(key)
        return (theirs, theirs.count == 1 ? theirs.pairs[0].value : .object(theirs))
    }

    /// False for an id that the API cannot have made, where it makes them all.
    func mayHave(_ id: RecordID) -> Bool {
        guard mapping.assignsIDs, let key = model.keyValues(of: id) else { return true }
        return key.pairs.allSatisfy { name, value in
            !mapping.numbers.contains(name) || value.text.map { Int64($0) != nil } ?? true
        }
    }

    /// Asks for one record; nil where the mapping has no way to.
    package func fetch(_ id: RecordID) -> GraphQLRequest? {
        guard let step = mapping.get, let (key, value) = keyValues(id) else { return nil }
        return step.request(
            words, MappingValues(JSONObject([("key", .object(key)), ("id", value)])))
    }
}
