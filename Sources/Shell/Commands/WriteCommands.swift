internal import JSON
internal import Outbox
internal import Platform
internal import Records
internal import Storage

extension Session {
    func create(_ request: CreateRequest) throws(ShellError) -> ExitCode {
        let open = try workspace()
        let model = try open.model(request.model)
        let hook = try hook("before_create", open)
        var (record, isFresh) = try newRecord(request.values, model, open)
        guard let id = model.id(of: record) else {
            throw .usage(
                "\(model.name) needs \(model.key.joined(separator: " and ")) to be known by")
        }
        if let hook {
            let changes = try hook.ask(HookEvent(model: model, id: id, record: record))
            record = record.overlaid(with: changes)
            tellChanged([(id, changes)], model, by: hook)
        }
        let group = identifiers.next()
        if options.isDryRun {
            try preview([(id, StoredRecord(record: record, version: nil))], model, open)
            return .done
        }
        let outcome = try stored { () throws(StoreError) in
            // It refuses before it changes anything, so it needs no guard.
            try open.store.write(guarded: false) { () throws(StoreError) in
                try open.outbox.create(model, id, record, group: group, isFresh: isFresh)
            }
        }
        if outcome == .exists {
            throw ShellError(
                .exists, "\(model.name) \(id) exists already",
                hint: "change it: satchel update \(model.name) \(id.typed) FIELD=VALUE")
        }
        try tellWritten([id], "created", model, open, single: true)
        return try deliver(group, request.delivers, open)
    }

    /// The whole new record that items and `--data` spell, and whether its id was made here.
    func newRecord(_ values: Values, _ model: Model, _ open: OpenWorkspace)
        throws(ShellError) -> (JSONObject, isFresh: Bool)
    {
        var isFresh = false
        let newID = {
            isFresh = true
            return self.identifiers.next()
        }
        if values.data == nil, values.unset.isEmpty,
            let record = model.record(plain: values.items, in: open.schema, newID: newID)
        {
            return (record, isFresh)
        }
        isFresh = false
        let data = try data(values.data)
        let items = try related(try items(values), model, open)
        let record = try meaning { () throws(RecordsError) in
            var set = try items.changes(to: model, current: nil, in: open.schema)
            if let data {
                set = try model.validate(data: try data.record(), in: open.schema)
                    .overlaid(with: set)
            }
            return try model.complete(create: set, newID: newID)
        }
        return (record, isFresh)
    }

    func update(_ request: UpdateRequest) throws(ShellError) -> ExitCode {
        let open = try workspace()
        let model = try open.model(request.model)
        let hook = try hook("before_update", open)
        var values = request.values
        let target = try target(request.target, &values, model, open)
        let data = try data(values.data)
        let items = try related(try items(values), model, open)
        if items.isEmpty, data == nil {
            throw .usage("update sets nothing", hint: "add FIELD=VALUE")
        }
        // What can be judged from the words is judged before anything is looked up.
        // Parts of a nested value need the rest of it.
        _ = try changes(items.filter(\.parts.isEmpty), data, model, JSONObject(), open)
        let ids = try affected(target, model, open)
        if case .filter = target, ids.isEmpty { return try tellCount("updated", 0, model) }
        if options.isDryRun { return try previewUpdate(ids, items, data, model, hook, open) }
        if case .filter = target {
            try consent(
                to: "update \(Quantity.count(ids.count, "\(model.name) record"))", ids, model, open)
        }
        let group = identifiers.next()
        let changed: [RecordID]
        if let hook {
            changed = try settled(open) { () throws(ShellError) in
                let plans = try planned(ids, items, data, model, open)
                if case .keys = target { try refuseMissing(ids.missing(in: plans), model) }
                return try write(try approved(plans, model, by: hook), model, group, open)
            }
        } else {
            changed = try write(ids, target, items, data, model, group, open)
        }
        if case .filter = target {
            _ = try tellCount("updated", changed.count, model)
        } else {
            try tellWritten(
                ids, changed.isEmpty ? "unchanged" : "updated", model, open,
                single: ids.count == 1)
        }
        return try deliver(group, request.delivers && !changed.isEmpty, open)
    }

    /// Changes records in one transaction, each as it is then.
    private func write(
        _ ids: [RecordID], _ target: Target, _ items: [Item], _ data: JSONValue?, _ model: Model,
        _ group: String, _ open: OpenWorkspace
    ) throws(ShellError) -> [RecordID] {
        var changed: [RecordID] = []
        try open.store.write(
            { () throws(ShellError) in
                for id in ids {
                    let stored = try self.stored { () throws(StoreError) in
                        try open.store.record(model, id)
                    }
                    guard let stored else {
                        // A record that left between the look and the write is no error by filter.
                        if case .filter = target { continue }
                        return try refuseMissing([id], model)
                    }
                    let set = try changes(items, data, model, stored.record, open)
                    let outcome = try self.stored { () throws(StoreError) in
                        try open.outbox.update(model, id, set: set, group: group)
                    }
                    if outcome == .written { changed.append(id) }
                }
            }, mapping: { ShellError($0) })
        return changed
    }

    /// The `set` that items and `--data` make of a record.
    func changes(
        _ items: [Item], _ data: JSONValue?, _ model: Model, _ current: JSONObject,
        _ open: OpenWorkspace
    ) throws(ShellError) -> JSONObject {
        try meaning { () throws(RecordsError) in
            var set = JSONObject()
            if let data {
                set = try model.validate(data: try data.record(), in: open.schema)
                for name in set.keys where !(set[name] == current[name] ?? .null) {
                    if let field = model.field(name), !current.isEmpty {
                        try model.refuseKeyChange(field)
                    }
                }
            }
            return set.overlaid(
                with: try items.changes(to: model, current: current, in: open.schema))
        }
    }

    private func previewUpdate(
        _ ids: [RecordID], _ items: [Item], _ data: JSONValue?, _ model: Model, _ hook: Hook?,
        _ open: OpenWorkspace
    ) throws(ShellError) -> ExitCode {
        var plans = try planned(ids, items, data, model, open)
        try refuseMissing(ids.missing(in: plans), model)
        if let hook { plans = try approved(plans, model, by: hook) }
        try preview(plans.map { ($0.id, $0.after) }, model, open)
        return .done
    }

    /// What items and `--data` make of the records that are there.
    private func planned(
        _ ids: [RecordID], _ items: [Item], _ data: JSONValue?, _ model: Model,
        _ open: OpenWorkspace
    ) throws(ShellError) -> [PlannedUpdate] {
        var plans: [PlannedUpdate] = []
        for id in ids {
            let old = try stored { () throws(StoreError) in try open.store.record(model, id) }
            guard let old else { continue }
            let set = try changes(items, data, model, old.record, open)
            plans.append(PlannedUpdate(id: id, old: old, set: set))
        }
        return plans
    }
}

extension JSONValue {
    /// An object, as `--data` takes it.
    fileprivate func record() throws(RecordsError) -> JSONObject {
        guard case .object(let record) = self else {
            throw RecordsError(.value, "--data takes one JSON object", hint: "import takes several")
        }
        return record
    }
}
