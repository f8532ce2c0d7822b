internal import JSON
package import Records
internal import Sabotage
package import Storage

extension Outbox {
    /// Gives a record the id that the backend chose: its queue moves along, and what refers to it
    /// follows.
    ///
    /// Only what is pending can refer to an id that the backend never knew.
    package func reassign(_ model: Model, _ id: RecordID, to assigned: RecordID)
        throws(StoreError)
    {
        let old = RecordKey(model.name, id)
        let new = RecordKey(model.name, assigned)
        guard let keys = model.keyValues(of: assigned) else { return }
        let state = try state(of: model, id)
        let known = try self.state(of: model, assigned).base
        let before = state.current ?? state.live.first?.set ?? JSONObject()
        try store.noteRenaming(of: old, to: assigned)
        try store.moveDetachments(from: old, to: assigned)
        var waiting: Set<RecordKey> = []
        for var mutation in try store.mutations(of: old) {
            mutation = Mutation(moving: mutation, to: assigned, keys)
            try store.updateMutation(mutation)
            for seq in try store.dependents(on: mutation.seq) {
                if let record = try store.mutation(seq)?.record { waiting.insert(record) }
            }
        }
        try store.removeBase(old)
        // What was pulled under that id may have been edited here since.
        let base = known == .absent ? state.base : known
        if state.current != nil {
            try store.removeRecord(model, id)
            try note(.delete, model, id, origin: .push)
        }
        // What was pulled under that id is in view until here, also where it is deleted by now.
        try store.setBase(new, base)
        if let change = try refold(model, assigned, base: base) {
            try note(change.kind, model, assigned, origin: .push, fields: change.fields)
        }
        try redirect(from: before, to: keys, model, waiting)
    }

    /// Values with references by present ids: who wrote them may have read the ones of before.
    func naming(_ values: JSONObject, _ model: Model) throws(StoreError) -> JSONObject {
        var values = values
        for relation in foreignKeys.held(by: model) {
            guard let other = store.schema.model(relation.model),
                let named = other.idNamed(by: values, relation)
            else { continue }
            let present = try store.presentID(of: RecordKey(other.name, named))
            guard present != named, let keys = other.keyValues(of: present) else { continue }
            for (field, reference) in zip(relation.fields, relation.references) {
                values[field] = keys[reference]
            }
        }
        return values
    }

    /// `waiting` are records with mutations that wait for the renamed one: what they refer to need
    /// not be in view any more.
    private func redirect(
        from record: JSONObject, to keys: JSONObject, _ model: Model, _ waiting: Set<RecordKey>
    ) throws(StoreError) {
        if sabotage(.forgetRenaming) { return }
        for (child, relation) in foreignKeys.pointing(to: model) {
            let change = zip(relation.fields, relation.references)
                .compactMap { field, reference -> ForeignKeyChange? in
                    guard let old = record[reference], let new = keys[reference] else {
                        return nil
                    }
                    return ForeignKeyChange(field: field, old: old, new: new)
                }
            if change.isEmpty { continue }
            var ids = try store.pendingRecords(of: child, referringTo: record, by: relation)
            ids += try store.rejectedRecords(of: child.name, naming: change.map(\.old))
            ids += waiting.filter { $0.model.sameBytes(as: child.name) }.map(\.id)
            for id in Set(ids).sorted(by: { $0.text < $1.text }) {
                try redirect(child, id, change)
            }
        }
    }

    private func redirect(_ child: Model, _ id: RecordID, _ change: [ForeignKeyChange])
        throws(StoreError)
    {
        for var mutation in try store.mutations(of: RecordKey(child.name, id)) {
            let before = mutation
            for part in change {
                part.apply(to: &mutation.set)
                part.apply(to: &mutation.was)
            }
            if mutation != before { try store.updateMutation(mutation) }
        }
        // Its key may hold the reference, as that of a join model does: it is another record then.
        if let moved = movedID(of: child, id, by: change) {
            return try reassign(child, id, to: moved)
        }
        guard let stored = try store.record(child, id) else { return }
        var record = stored.record
        for part in change { part.apply(to: &record) }
        guard record != stored.record else { return }
        try store.putRecord(child, id, record, version: stored.version)
        _ = try store.appendChange(
            Change(
                model: child.name, id: id, kind: .update, origin: .rebase, at: now(),
                fields: change.map(\.field)))
    }

    /// - Returns: Nil when the record's id stays what it is.
    private func movedID(
        of child: Model, _ id: RecordID, by change: [ForeignKeyChange]
    ) -> RecordID? {
        guard change.contains(where: { child.key.contains($0.field) }),
            var keys = child.keyValues(of: id)
        else { return nil }
        for part in change { part.apply(to: &keys) }
        return child.id(of: keys).flatMap { $0 == id ? nil : $0 }
    }

    private func note(
        _ kind: ChangeKind, _ model: Model, _ id: RecordID, origin: ChangeOrigin,
        fields: [String] = []
    ) throws(StoreError) {
        _ = try store.appendChange(
            Change(
                model: model.name, id: id, kind: kind, origin: origin, at: now(), fields: fields))
    }
}

private struct ForeignKeyChange {
    var field: String
    var old: JSONValue
    var new: JSONValue

    func apply(to object: inout JSONObject) {
        if object[field] == old { object[field] = new }
    }
}

extension Mutation {
    fileprivate init(moving mutation: Mutation, to id: RecordID, _ keys: JSONObject) {
        self = mutation
        self.id = id
        for (name, value) in keys.pairs {
            if set.index(of: name) != nil { set[name] = value }
            if was.index(of: name) != nil { was[name] = value }
        }
    }
}
