internal import JSON
internal import Plugins
internal import Records
internal import Sync

/// Follows relations at the backend, for records that came from there.
///
/// What belongs to whom is asked for by id; records that hold the key are asked for by a filter, where
/// the backend has one, else all are looked through. Nothing is stored.
final class RemoteRelations {
    private let backend: PluginBackend
    private let schema: Schema
    /// All records of a model whose backend has no filter.
    private var everything: [String: [JSONObject]] = [:]

    init(_ backend: PluginBackend, _ schema: Schema) {
        self.backend = backend
        self.schema = schema
    }

    /// One value a relation for each record: an object or null for one record, an array for several.
    func values(
        of records: [JSONObject?], _ model: Model, _ nodes: [Includes.Node]
    ) throws(BackendError) -> [[JSONValue]] {
        var values = records.map { _ in [JSONValue]() }
        for node in nodes {
            let found = try related(node.relation, node.model, records)
            let flat = found.flatMap { $0 }
            let inner = try self.values(of: flat, node.model, node.children)
            var place = 0
            for (index, objects) in found.enumerated() {
                var filled: [JSONValue] = []
                for object in objects {
                    var object = node.model.normalized(object)
                    for (child, value) in zip(node.children, inner[place]) {
                        object[child.relation.name] = value
                    }
                    place += 1
                    filled.append(.object(object))
                }
                let isToMany =
                    node.relation.kind == .hasMany || node.relation.kind == .manyToMany
                values[index].append(isToMany ? .array(filled) : filled.first ?? .null)
            }
        }
        return values
    }

    /// The related records of each.
    private func related(
        _ relation: Relation, _ other: Model, _ records: [JSONObject?]
    ) throws(BackendError) -> [[JSONObject]] {
        let holders = relation.join.flatMap(schema.model) ?? other
        let isByKey =
            relation.join == nil && Set(relation.references) == Set(other.key)
        guard !isByKey else {
            return try byKey(relation.fields, relation.references, other, records.map { [$0] })
        }
        var found: [[JSONObject]] = []
        for record in records {
            guard let record else {
                found.append([])
                continue
            }
            found.append(try holding(record, relation.fields, relation.references, holders))
        }
        guard relation.join != nil else { return found }
        return try byKey(relation.joinFields, other.key, other, found)
    }

    /// The records whose key stands in `fields` of others, asked for together.
    private func byKey(
        _ fields: [String], _ key: [String], _ other: Model, _ holders: [[JSONObject?]]
    ) throws(BackendError) -> [[JSONObject]] {
        func id(_ record: JSONObject?) -> RecordID? {
            guard let record else { return nil }
            var values = JSONObject()
            for (field, name) in zip(fields, key) {
                guard let value = record[field], !value.isNull else { return nil }
                values.append(name, value)
            }
            return other.id(of: values)
        }
        let ids = holders.map { $0.map(id) }
        var wanted: [RecordID] = []
        var known: Set<RecordID> = []
        for case let id? in ids.joined() where known.insert(id).inserted { wanted.append(id) }
        var shown: [RecordID: JSONObject] = [:]
        for start in stride(from: 0, to: wanted.count, by: 100) {
            let part = Array(wanted[start..<min(start + 100, wanted.count)])
            for remote in try backend.fetch(model: other.name, ids: part) {
                shown[remote.id] = remote.record
            }
        }
        return ids.map { $0.compactMap { id in id.flatMap { shown[$0] } } }
    }

    /// The records in whose `references` the values of `fields` stand.
    private func holding(
        _ record: JSONObject, _ fields: [String], _ references: [String], _ other: Model
    ) throws(BackendError) -> [JSONObject] {
        var tests: [Filter] = []
        for (field, reference) in zip(fields, references) {
            guard let value = record[field], !value.isNull else { return [] }
            tests.append(.test(Filter.Path([], reference), .equal(value)))
        }
        let hasFilter = try backend.capabilities().filterOperators.contains("eq")
        let candidates: [JSONObject]
        if hasFilter {
            candidates = try all(other, tests.count == 1 ? tests[0] : .and(tests))
        } else if let known = everything[other.name] {
            candidates = known
        } else {
            candidates = try all(other, nil)
            everything[other.name] = candidates
        }
        // A backend may give more than was asked for.
        return candidates.filter { candidate in
            zip(fields, references).allSatisfy { field, reference in
                guard let ours = record[field], let theirs = candidate[reference] else {
                    return false
                }
                return ours == theirs
                    || ours.text != nil && ours.text == theirs.integer?.description
                    || theirs.text != nil && theirs.text == ours.integer?.description
            }
        }
    }

    private func all(_ model: Model, _ filter: Filter?) throws(BackendError) -> [JSONObject] {
        var records: [JSONObject] = []
        var cursor: JSONValue?
        while true {
            let page = try backend.pull(
                PullRequest(model: model.name, cursor: cursor, limit: 1_000, filter: filter))
            records += page.records.compactMap(\.record)
            guard page.more, page.cursor != cursor else { return records }
            cursor = page.cursor
        }
    }
}
