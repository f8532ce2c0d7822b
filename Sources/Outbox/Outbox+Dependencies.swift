package import JSON
package import Records
internal import Sabotage
package import Storage

extension Outbox {
    /// Writes `mutation` to the queue, waiting where a record it refers to is yet to be created.
    ///
    /// - Returns: Its place in the queue.
    @discardableResult
    package func place(_ mutation: Mutation, _ model: Model) throws(StoreError) -> Int64 {
        var placed = mutation
        if placed.kind == .create, placed.seq != 0, !placed.isFrozen {
            // Made of a record that the backend deleted: what that refers to may be called
            // otherwise by now.
            placed.set = try naming(placed.set, model)
        }
        var blockers: [Int64] = []
        for target in references(in: placed.set, model) where mutation.kind != .delete {
            guard let create = try pendingCreate(of: target), create.seq != mutation.seq else {
                continue
            }
            if mutation.seq != 0, try waits(create.seq, for: mutation.seq) { continue }
            blockers.append(create.seq)
        }
        if sabotage(.pushDependentFirst) { blockers = [] }
        if !blockers.isEmpty, placed.state == .queued { placed.state = .waiting }
        if placed.seq == 0 {
            placed.seq = try store.appendMutation(placed)
        } else {
            try store.updateMutation(placed)
        }
        for blocker in blockers { try store.addDependency(seq: placed.seq, on: blocker) }
        if placed.kind != .create { try settleDelete(placed, model) }
        return placed.seq
    }

    /// Takes references to a record that the backend will never hear of out of mutations whose
    /// record refers to another one by now.
    func forgetReferences(to vanished: Mutation, _ model: Model) throws(StoreError) {
        for seq in try store.dependents(on: vanished.seq) {
            guard var mutation = try store.mutation(seq),
                let child = store.schema.model(mutation.model)
            else { continue }
            let later = try store.mutations(of: mutation.record).filter { $0.seq > seq }
            for (holder, relation) in foreignKeys.pointing(to: model)
            where holder.name.sameBytes(as: child.name)
                && refers(mutation, relation, to: vanished.id)
            {
                for field in relation.fields {
                    guard var next = later.first(where: { $0.set[field] != nil }) else { continue }
                    if next.was[field] == mutation.set[field] { next.was[field] = .null }
                    mutation.set[field] = .null
                    try store.updateMutation(next)
                    try store.updateMutation(mutation)
                }
            }
        }
    }

    /// Makes a mutation that is not on its way wait for another, unless that one waits for it
    /// already.
    package func hold(_ mutation: Mutation, on seq: Int64) throws(StoreError) {
        guard mutation.state == .queued || mutation.state == .waiting,
            try !waits(seq, for: mutation.seq)
        else { return }
        try store.addDependency(seq: mutation.seq, on: seq)
        guard mutation.state == .queued else { return }
        var held = mutation
        held.state = .waiting
        try store.updateMutation(held)
    }

    /// True when `seq` waits for `other`, directly or through others: for what it depends on, and
    /// for what comes before it in its own record.
    func waits(_ seq: Int64, for other: Int64) throws(StoreError) -> Bool {
        var open = [seq]
        var seen: Set<Int64> = []
        while let next = open.popLast() {
            if next == other { return true }
            guard seen.insert(next).inserted, let mutation = try store.mutation(next) else {
                continue
            }
            open += try store.dependencies(of: next)
            open += try store.mutations(of: mutation.record)
                .filter { $0.seq < next && $0.state.isLive }.map(\.seq)
        }
        return false
    }

    /// True when `mutation` refers to a record whose queued create comes after `seq`, or waits for
    /// it.
    func refersToLaterCreate(_ mutation: Mutation, than seq: Int64, _ model: Model)
        throws(StoreError) -> Bool
    {
        if sabotage(.coalesceAcrossReference) { return false }
        for target in references(in: mutation.set, model) {
            guard let create = try pendingCreate(of: target), create.seq != seq else { continue }
            if create.seq > seq { return true }
            if try waits(create.seq, for: seq) { return true }
        }
        return false
    }

    /// The create that the backend has yet to take of a record: also one that was refused, as long
    /// as the record is not there.
    func pendingCreate(of key: RecordKey) throws(StoreError) -> Mutation? {
        let creates = try store.mutations(of: key).filter { $0.kind == .create }
        if let live = creates.last(where: \.state.isLive) { return live }
        guard let refused = creates.last, let model = store.schema.model(key.model),
            try !store.recordExists(model, key.id)
        else { return nil }
        return refused
    }

    /// The records that the foreign keys in `set` name.
    func references(in set: JSONObject, _ model: Model) -> [RecordKey] {
        var found: [RecordKey] = []
        for relation in foreignKeys.held(by: model) {
            guard let other = store.schema.model(relation.model) else { continue }
            if let id = other.idNamed(by: set, relation) {
                found.append(RecordKey(other.name, id))
            }
        }
        return found
    }

    func refers(_ mutation: Mutation, _ relation: Relation, to id: RecordID) -> Bool {
        guard mutation.kind != .delete, let other = store.schema.model(relation.model) else {
            return false
        }
        return other.idNamed(by: mutation.set, relation) == id
    }
}

extension Model {
    /// The id of this model's record that `record`'s foreign key of `relation` names; nil when
    /// the key is null, absent, or does not refer to this model's key fields.
    package func idNamed(by record: JSONObject, _ relation: Relation) -> RecordID? {
        var keyed = JSONObject()
        for (field, reference) in zip(relation.fields, relation.references) {
            guard let value = record[field], !value.isNull else { return nil }
            keyed[reference] = value
        }
        return self.id(of: keyed)
    }
}
