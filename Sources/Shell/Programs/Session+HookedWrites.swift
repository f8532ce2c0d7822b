internal import JSON
internal import Outbox
internal import Records
internal import Storage

// Writes that a hook is asked about first. No transaction is open meanwhile: what it was asked about
// is compared again in the one that writes.

extension Session {
    /// A change of one record, not written yet.
    struct PlannedUpdate {
        var id: RecordID
        var old: StoredRecord
        var set: JSONObject

        var after: StoredRecord {
            var after = old
            after.record = old.record.overlaid(with: set)
            return after
        }
    }

    /// Asks about changes of records; a refusal of one refuses them all.
    ///
    /// - Returns: The changes as the hook wants them.
    func approved(_ plans: [PlannedUpdate], _ model: Model, by hook: Hook)
        throws(ShellError) -> [PlannedUpdate]
    {
        let news = plans.indices.filter { !plans[$0].changes.isEmpty }
        let verdicts = try hook.ask(
            news.map { index in
                let plan = plans[index]
                return HookEvent(
                    model: model, id: plan.id, record: plan.after.record, set: plan.changes,
                    old: plan.old.record)
            })
        var approved = plans
        var changed: [(id: RecordID, set: JSONObject)] = []
        for (index, verdict) in zip(news, verdicts) {
            switch verdict {
            case .accepts(let changes):
                approved[index].set = approved[index].set.overlaid(with: changes)
                changed.append((plans[index].id, changes))
            case .refuses(let error): throw error
            }
        }
        tellChanged(changed, model, by: hook)
        return approved
    }

    /// Says what a hook made of records: what is written is not what was typed.
    ///
    /// Values are not shown: they may be secret.
    func tellChanged(_ changes: [(id: RecordID, set: JSONObject)], _ model: Model, by hook: Hook) {
        let real = changes.filter { !$0.set.isEmpty }
        guard let first = real.first else { return }
        let point = "hooks.\(hook.config.point)"
        if real.count == 1 {
            let fields = first.set.keys.joined(separator: ", ")
            console.note("\(point) changed \(fields) of \(model.name) \(first.id)")
        } else {
            console.note("\(point) changed \(Quantity.count(real.count, "\(model.name) record"))")
        }
    }

    /// Writes changes of records if all of them still are what was planned on.
    ///
    /// - Returns: The records that changed; nil where another process was faster, and nothing was
    ///   written.
    func write(_ plans: [PlannedUpdate], _ model: Model, _ group: String, _ open: OpenWorkspace)
        throws(ShellError) -> [RecordID]?
    {
        try stored { () throws(StoreError) in
            try open.store.write { () throws(StoreError) -> [RecordID]? in
                for plan in plans {
                    let now = try open.store.record(model, plan.id)?.record
                    guard model.isSame(now, plan.old.record) else { return nil }
                }
                var changed: [RecordID] = []
                for plan in plans {
                    let outcome = try open.outbox.update(
                        model, plan.id, set: plan.set, group: group)
                    if outcome == .written { changed.append(plan.id) }
                }
                return changed
            }
        }
    }

    /// Asks about the records that a delete takes along.
    ///
    /// - Returns: Their states as they were shown to the hook.
    func approve(_ plan: DeletePlan, by hook: Hook, _ open: OpenWorkspace)
        throws(ShellError) -> [RecordKey: JSONObject]
    {
        var states: [RecordKey: JSONObject] = [:]
        var events: [HookEvent] = []
        for entry in plan.entries {
            guard let model = open.schema.model(entry.key.model) else { continue }
            let stored = try self.stored { () throws(StoreError) in
                try open.store.record(model, entry.key.id)
            }
            guard let record = stored?.record else { continue }
            states[entry.key] = record
            events.append(
                HookEvent(
                    model: model, id: entry.key.id, record: record, old: record,
                    because: entry.parent))
        }
        for verdict in try hook.ask(events) {
            if case .refuses(let error) = verdict { throw error }
        }
        return states
    }

    /// Deletes what was planned if that is still the same; nil where it is not.
    func delete(
        _ plan: DeletePlan, _ states: [RecordKey: JSONObject], of ids: [RecordID], _ model: Model,
        cascade: Bool, _ group: String, _ open: OpenWorkspace
    ) throws(ShellError) -> Int? {
        try stored { () throws(StoreError) in
            try open.store.write { () throws(StoreError) -> Int? in
                let now = try open.outbox.plan(deleting: ids, of: model, cascade: cascade)
                guard now == plan else { return nil }
                for (key, state) in states {
                    guard let model = open.schema.model(key.model) else { continue }
                    let record = try open.store.record(model, key.id)?.record
                    guard model.isSame(record, state) else { return nil }
                }
                return try open.outbox.delete(plan, group: group)
            }
        }
    }

    /// Asks about an edit of a queued change, or values that end a conflict.
    ///
    /// - Returns: The values as the hook wants them, and what it was asked about.
    func approved(
        _ set: JSONObject, of mutation: Mutation, _ model: Model, _ open: OpenWorkspace
    ) throws(ShellError) -> ApprovedRepair {
        let isCreate = mutation.kind == .create
        guard let hook = try hook(isCreate ? "before_create" : "before_update", open) else {
            return ApprovedRepair(set: set)
        }
        let stored = try stored { () throws(StoreError) in
            try open.store.record(model, mutation.id)
        }
        let ground = stored?.record ?? JSONObject()
        let changes = mutation.set.overlaid(with: set)
        let record = ground.overlaid(with: changes)
        let wanted = try hook.ask(
            HookEvent(
                model: model, id: mutation.id, record: record, set: isCreate ? nil : changes,
                old: isCreate ? nil : ground))
        tellChanged([(mutation.id, wanted)], model, by: hook)
        return ApprovedRepair(
            set: set.overlaid(with: wanted), asked: (mutation, stored?.record, model))
    }
}

/// Values for a queued change, as a hook let them pass.
struct ApprovedRepair {
    var set: JSONObject
    /// The change and the record that the hook was asked about; nil where there is no hook.
    var asked: (mutation: Mutation, record: JSONObject?, model: Model)?

    /// False where another process was faster; for the transaction that writes.
    func stillHolds(in store: Store) throws(StoreError) -> Bool {
        guard let asked else { return true }
        guard try store.mutation(asked.mutation.seq) == asked.mutation else { return false }
        return asked.model.isSame(
            try store.record(asked.model, asked.mutation.id)?.record, asked.record)
    }
}

extension Session.PlannedUpdate {
    /// The fields whose value becomes another.
    var changes: JSONObject {
        JSONObject(unchecked: set.pairs.filter { old.record[$0.key] ?? .null != $0.value })
    }
}

extension [RecordID] {
    /// Those that no plan is about.
    func missing(in plans: [Session.PlannedUpdate]) -> [RecordID] {
        if plans.count == count { return [] }
        let found = Set(plans.map(\.id))
        return filter { !found.contains($0) }
    }
}
