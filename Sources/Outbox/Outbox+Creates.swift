internal import JSON
internal import Records
internal import Storage

// A create in the queue and what refers to the record that it makes.
extension Outbox {
    /// Gives a create that came into the queue its place among what refers to its record: that waits
    /// for it, and what it refers to in a circle is left to an update that comes later.
    ///
    /// With `isAnew` the record was there before: then also what is not in view any more may refer
    /// to it, for an edit that comes after it in the queue refers to another.
    func settleCreate(_ seq: Int64, _ model: Model, isAnew: Bool = true) throws(StoreError) {
        guard let create = try store.mutation(seq), create.kind == .create else { return }
        let children = try mutations(referringTo: create, model, isAnew: isAnew)
        if children.isEmpty { return }
        try breakCircles(of: create, children, model)
        for child in children {
            // What came before may have changed it.
            guard let child = try store.mutation(child.seq) else { continue }
            try hold(child, on: seq)
        }
    }

    /// Other records' mutations that refer to the record of `create`, live or parked.
    private func mutations(referringTo create: Mutation, _ model: Model, isAnew: Bool)
        throws(StoreError) -> [Mutation]
    {
        var found: [Mutation] = []
        for (child, relation) in foreignKeys.pointing(to: model) {
            var ids = try store.pendingRecords(of: child, referringTo: create.set, by: relation)
            if isAnew, let field = relation.fields.first, let reference = relation.references.first,
                let value = create.set[reference]
            {
                let others = try store.recordsWithMutations(
                    of: child.name, setting: field, to: value)
                ids += others.filter { !ids.contains($0) }
            }
            for id in ids {
                for mutation in try store.mutations(of: RecordKey(child.name, id))
                where refers(mutation, relation, to: create.id) && mutation.seq != create.seq {
                    found.append(mutation)
                }
            }
        }
        return found
    }

    /// Two records that refer to each other: no order suits both creates at once.
    private func breakCircles(of create: Mutation, _ children: [Mutation], _ model: Model)
        throws(StoreError)
    {
        for relation in foreignKeys.held(by: model) {
            guard let other = store.schema.model(relation.model),
                let id = other.idNamed(by: create.set, relation),
                let awaited = try pendingCreate(of: RecordKey(other.name, id)),
                awaited.seq != create.seq,
                relation.fields.allSatisfy({ model.field($0)?.isRequired == false })
            else { continue }
            var isCircle = false
            for child in children where !isCircle {
                isCircle = try waits(awaited.seq, for: child.seq)
            }
            if isCircle { try postpone(relation.fields, of: create.seq, awaited.seq, model) }
        }
    }

    /// Takes fields out of a create and sets them in an update after it.
    private func postpone(
        _ fields: [String], of seq: Int64, _ awaited: Int64, _ model: Model
    ) throws(StoreError) {
        guard var create = try store.mutation(seq) else { return }
        let later = try store.mutations(of: create.record).filter { $0.seq > seq }
        var update = create
        update.kind = .update
        (update.seq, update.key, update.state) = (0, makeKey(), .queued)
        (update.set, update.was) = (JSONObject(), JSONObject())
        for field in fields {
            let value = create.set[field] ?? .null
            create.set[field] = .null
            guard var next = later.first(where: { $0.set[field] != nil }) else {
                update.set[field] = value
                update.was[field] = .null
                continue
            }
            if next.was[field] == value { next.was[field] = .null }
            try store.updateMutation(next)
        }
        try store.removeDependency(seq: seq, on: awaited)
        try store.updateMutation(try stillWaiting(create))
        let goes = later.contains { $0.kind == .delete || $0.kind == .replace }
        if !update.set.isEmpty, !goes { try place(update, model) }
    }
}
