internal import JSON
package import Records
package import Storage

/// What undoing one group did.
package struct UndoReport: Sendable, Equatable {
    /// A record, and why its change stays.
    package struct Kept: Sendable, Equatable {
        package var key: RecordKey
        package var reason: String
    }

    package var group: String
    package var undone: [RecordKey] = []
    package var kept: [Kept] = []
    /// Rejected or parked mutations that were dropped: they were not in view as typed.
    package var dropped: [Mutation] = []
}

extension Outbox {
    /// Takes back one group.
    ///
    /// Unsent mutations leave; for sent ones an inverse is queued that applies only where the
    /// field still holds our value. It belongs to the group `inverse`, which cannot be undone
    /// itself. What was refused, though it may have arrived before, is offered again first.
    package func undo(
        _ group: String, inverse: String, policies: (String) -> MergePolicies
    ) throws(StoreError) -> UndoReport {
        var report = UndoReport(group: group)
        var (settled, offered): (Set<RecordKey>, Set<RecordKey>) = ([], [])
        for mutation in try store.mutations(
            states: [.rejected, .conflict], group: group, after: 0, limit: .max)
        {
            if mutation.hasUnknownOutcome {
                if try findOut(mutation, policies, inverse) {
                    offered.insert(mutation.record)
                    continue
                }
                let reason =
                    "it may have arrived before it was refused: "
                    + "queue retry \(mutation.seq) finds that out"
                report.kept.append(.init(key: mutation.record, reason: reason))
                settled.insert(mutation.record)
                continue
            }
            let outcome = try drop(mutation.seq, policies: policies, group: inverse)
            if outcome == .done { report.dropped.append(mutation) }
        }
        settled.formUnion(report.dropped.map(\.record))
        settled.subtract(offered)
        for entry in try store.journal(of: group).reversed() where !settled.contains(entry.key) {
            guard let model = store.schema.model(entry.key.model) else {
                report.kept.append(.init(key: entry.key, reason: "the schema has no such model"))
                continue
            }
            if let reason = try takeBack(entry, model, inverse) {
                report.kept.append(.init(key: entry.key, reason: reason))
            } else {
                report.undone.append(entry.key)
            }
        }
        try store.markUndone(group)
        try store.markUndone(inverse)
        return report
    }

    /// Offers a refused change that may have arrived again, under its key: its inverse follows it.
    ///
    /// - Returns: False where that cannot be, or would cost what was edited since.
    private func findOut(
        _ mutation: Mutation, _ policies: (String) -> MergePolicies, _ group: String
    ) throws(StoreError) -> Bool {
        if mutation.kind == .delete, let model = store.schema.model(mutation.model) {
            let live = try state(of: model, mutation.id).live
            if live.contains(where: { $0.seq > mutation.seq }) { return false }
        }
        return try retry(mutation.seq, policies: policies(mutation.model), group: group) == .done
    }

    /// - Returns: Why it stays; nil when it is taken back.
    private func takeBack(_ entry: JournalEntry, _ model: Model, _ group: String)
        throws(StoreError) -> String?
    {
        let id = entry.key.id
        let before = try entry.before.map { (values) throws(StoreError) in
            try present(values, id, model)
        }
        let after = try entry.after.map { (values) throws(StoreError) in
            try present(values, id, model)
        }
        switch (before, after) {
        case (nil, let after): return try uncreate(model, id, after, group)
        case (let before?, nil): return try undelete(model, id, before, group)
        case (let before?, let after?):
            guard let current = try store.record(model, id)?.record else {
                return "the record is not there any more"
            }
            let moved = after.pairs.filter { current[$0.key] ?? .null != $0.value }.map(\.key)
            if !moved.isEmpty {
                return "\(moved.joined(separator: ", ")) changed since"
            }
            let gone = try store.goneFields(of: model.name).filter { before.index(of: $0) != nil }
            if !gone.isEmpty {
                return "\(gone.joined(separator: ", ")) left the schema since"
            }
            _ = try update(model, id, set: before, group: group)
            return nil
        }
    }

    /// Values as of then under the ids of now, which a backend may have chosen since.
    private func present(_ values: JSONObject, _ id: RecordID, _ model: Model)
        throws(StoreError) -> JSONObject
    {
        var values = values
        for (name, value) in model.keyValues(of: id)?.pairs ?? [] where values[name] != nil {
            values[name] = value
        }
        return try naming(values, model)
    }

    private func uncreate(
        _ model: Model, _ id: RecordID, _ after: JSONObject?, _ group: String
    ) throws(StoreError) -> String? {
        guard let current = try store.record(model, id)?.record else {
            return "the record is not there any more"
        }
        // What the backend filled in where there was nothing is nobody's edit.
        let moved = (after?.pairs ?? [])
            .filter { !$0.value.isNull && current[$0.key] ?? .null != $0.value }.map(\.key)
        if !moved.isEmpty { return "\(moved.joined(separator: ", ")) changed since" }
        for relation in model.relations where relation.kind != .belongsTo {
            if let (child, childID) = try related(current, relation).first {
                return "\(child.name) \(childID) refers to it"
            }
        }
        _ = try delete(model, id, group: group)
        return nil
    }

    private func undelete(
        _ model: Model, _ id: RecordID, _ before: JSONObject, _ group: String
    ) throws(StoreError) -> String? {
        if try store.recordExists(model, id) { return "a record of that id is there again" }
        let state = try state(of: model, id)
        if let last = state.live.last, last.kind == .delete, !last.isFrozen {
            try store.releaseDependents(of: last.seq)
            try store.removeMutation(last.seq)
            try doubtFilteredPull(of: model)
            let change = try refold(model, id, base: state.base)
            try view(change, model, last, group)
            if try store.recordExists(model, id) {
                _ = try update(model, id, set: before, group: group)
                return nil
            }
        }
        _ = try create(model, id, before, group: group, isAnew: true)
        return nil
    }
}
