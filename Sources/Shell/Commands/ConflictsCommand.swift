internal import JSON
internal import Outbox
internal import Records
internal import Storage

extension Session {
    func conflicts(_ request: ConflictsRequest) throws(ShellError) -> ExitCode {
        let open = try workspace()
        switch request {
        case .list:
            try listing().write(try views(open), to: output)
        case .show(let name, let keys):
            let model = try open.model(name)
            let view = try view(try ids(keys, model, open), model, open)
            try view.show(
                try listing(), secrets: try secretFields(model.name, open), to: output)
        case .resolve(let resolve): return try self.resolve(resolve, open)
        }
        return .done
    }

    private func views(_ open: OpenWorkspace) throws(ShellError) -> [ConflictView] {
        try stored { () throws(StoreError) in try open.outbox.conflicts() }.map { conflict in
            ConflictView(
                RecordKey(conflict.model, conflict.id),
                fields: conflict.fields.map {
                    .init(field: $0.field, base: $0.base, local: $0.local, remote: $0.remote)
                },
                kind: ConflictView.Kind(rawValue: conflict.kind.rawValue) ?? .field,
                reason: conflict.message)
        }
    }

    private func view(_ ids: [RecordID], _ model: Model, _ open: OpenWorkspace)
        throws(ShellError) -> ConflictView
    {
        for id in ids {
            let key = RecordKey(model.name, id)
            if let view = try views(open).first(where: { $0.key == key }) { return view }
        }
        throw notInConflict(model, ids)
    }

    private func notInConflict(_ model: Model, _ ids: [RecordID]) -> ShellError {
        ShellError(
            .notFound, "\(model.name) \(ids.shown) is not in conflict",
            hint: "see: satchel conflicts list")
    }

    private func resolve(_ request: ConflictsRequest.Resolve, _ open: OpenWorkspace)
        throws(ShellError) -> ExitCode
    {
        let model = try open.model(request.model)
        var keys = request.keys
        var choice = request.choice
        if case .values(var values) = choice, keys.isEmpty {
            guard case .keys(let words) = try target(nil, &values, model, open) else {
                return .done
            }
            keys = words
            choice = .values(values)
        }
        guard let id = try ids(keys, model, open).first else {
            throw .usage("conflicts resolve does not say which record")
        }
        let resolution = try resolution(choice, model, open)
        if options.isDryRun {
            _ = try approved(resolution, of: id, model, open)
            try listing().write([try view([id], model, open)], to: output)
            console.note("nothing was done")
            return .done
        }
        let group = identifiers.next()
        let outcome = try settled(open) { () throws(ShellError) -> RepairOutcome? in
            let (approved, repair) = try approved(resolution, of: id, model, open)
            return try stored { () throws(StoreError) in
                try open.store.write { () throws(StoreError) -> RepairOutcome? in
                    guard try repair?.stillHolds(in: open.store) ?? true else { return nil }
                    return try open.outbox.resolve(
                        model, id, as: approved, policies: open.policies(of: model.name),
                        group: group)
                }
            }
        }
        switch outcome {
        case .done: break
        case .notFound: throw notInConflict(model, [id])
        case .inFlight: throw ShellError(.refused, "\(model.name) \(id) is on its way")
        case .refused(let reason):
            throw ShellError(
                .refused, reason, hint: "both sides: satchel conflicts show \(model.name) \(id)")
        }
        try tellWritten([id], "resolved", model, open, single: true)
        guard request.delivers else { return .done }
        let left = try stored { () throws(StoreError) in
            try open.store.mutations(of: RecordKey(model.name, id)).map(\.group)
        }
        var code = ExitCode.done
        for group in left { code = code.merged(with: try deliver(group, true, open)) }
        return code
    }

    /// Asks the hook about values that end a conflict; `--local` and `--remote` were let pass before.
    private func approved(
        _ resolution: Resolution, of id: RecordID, _ model: Model, _ open: OpenWorkspace
    ) throws(ShellError) -> (Resolution, ApprovedRepair?) {
        guard case .values(let values) = resolution else { return (resolution, nil) }
        let parked = try stored { () throws(StoreError) in
            try open.store.mutations(of: RecordKey(model.name, id)).first { $0.state == .conflict }
        }
        guard let parked, parked.kind != .delete else { return (resolution, nil) }
        let repair = try approved(values, of: parked, model, open)
        return (.values(repair.set), repair)
    }

    private func resolution(
        _ choice: ConflictsRequest.Resolve.Choice, _ model: Model, _ open: OpenWorkspace
    ) throws(ShellError) -> Resolution {
        switch choice {
        case .local: return .local
        case .remote: return .remote
        case .values(let values):
            let data = try data(values.data)
            let items = try items(values)
            return try meaning { () throws(RecordsError) -> Resolution in
                var set = JSONObject()
                if let members = data?.members {
                    set = try model.validate(data: members, in: open.schema)
                }
                let given = try items.changes(to: model, current: nil, in: open.schema)
                return .values(set.overlaid(with: given))
            }
        }
    }
}
