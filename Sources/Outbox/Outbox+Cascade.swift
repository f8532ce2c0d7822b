package import JSON
package import Records
internal import Sabotage
package import Storage

/// What a delete takes with it, in the order in which it goes: children first.
package struct DeletePlan: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        package var key: RecordKey
        /// The record whose delete pulls this one in; nil for one that was asked for.
        package var parent: RecordKey?
    }

    package var entries: [Entry]

    package var asked: Int { entries.count { $0.parent == nil } }
    package var cascaded: Int { entries.count - asked }
}

extension Outbox {
    /// Finds what deleting `ids` deletes: has-one and has-many children and the join records of
    /// many-to-many relations, through all levels.
    ///
    /// - Returns: Nothing for an id that is not there; the caller reports it.
    package func plan(deleting ids: [RecordID], of model: Model, cascade: Bool)
        throws(StoreError) -> DeletePlan
    {
        var plan = DeletePlan(entries: [])
        var seen: Set<RecordKey> = []
        for id in ids { seen.insert(RecordKey(model.name, id)) }
        for id in ids {
            try visit(model, id, parent: nil, cascade: cascade, &plan, &seen)
        }
        return plan
    }

    private func visit(
        _ model: Model, _ id: RecordID, parent: RecordKey?, cascade: Bool,
        _ plan: inout DeletePlan, _ seen: inout Set<RecordKey>
    ) throws(StoreError) {
        guard let stored = try store.record(model, id) else { return }
        let key = RecordKey(model.name, id)
        if cascade {
            for relation in model.relations where !model.isChild(of: relation) {
                for (child, childID) in try related(stored.record, relation)
                where seen.insert(RecordKey(child.name, childID)).inserted {
                    try visit(child, childID, parent: key, cascade: cascade, &plan, &seen)
                }
            }
        }
        plan.entries.append(DeletePlan.Entry(key: key, parent: parent))
    }

    /// The records at the other end of `relation`; of a many-to-many, the join records.
    package func related(_ record: JSONObject, _ relation: Relation)
        throws(StoreError) -> [(Model, RecordID)]
    {
        guard let other = store.schema.model(relation.join ?? relation.model) else { return [] }
        var tests: [Filter] = []
        for (field, reference) in zip(relation.fields, relation.references) {
            guard let value = record[field], !value.isNull else { return [] }
            tests.append(.test(Filter.Path([], reference), .equal(value)))
        }
        guard !tests.isEmpty else { return [] }
        let filter = tests.count == 1 ? tests[0] : .and(tests)
        return try store.ids(Query(model: other.name, filter: filter), limit: .max)
            .map { (other, $0) }
    }

    /// Deletes what the plan names, as one group; a parent's delete waits for its children's.
    package func delete(_ plan: DeletePlan, group: String) throws(StoreError) -> Int {
        var sequences: [RecordKey: Int64] = [:]
        var deleted = 0
        for entry in plan.entries {
            guard let model = store.schema.model(entry.key.model) else { continue }
            let (outcome, seq) = try delete(model, entry.key.id, group: group)
            if outcome == .written { deleted += 1 }
            sequences[entry.key] = seq
        }
        // By what the relations say they wait already, but for what was edited in between.
        var held: [Int64: Set<Int64>] = [:]
        for entry in plan.entries where !sabotage(.deleteParentFirst) {
            guard let parent = entry.parent.flatMap({ sequences[$0] }),
                let child = sequences[entry.key]
            else { continue }
            if held[parent] == nil { held[parent] = Set(try store.dependencies(of: parent)) }
            guard held[parent]?.contains(child) == false, let mutation = try store.mutation(parent)
            else { continue }
            try hold(mutation, on: child)
        }
        return deleted
    }
}

extension Model {
    /// True when following `relation` leads to a parent: deleting a child leaves it alone.
    fileprivate func isChild(of relation: Relation) -> Bool { relation.kind == .belongsTo }
}
