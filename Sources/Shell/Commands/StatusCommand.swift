internal import JSON
internal import Outbox
internal import Platform
internal import Records
internal import Storage
internal import Sync

extension Session {
    func status() throws(ShellError) {
        let open = try workspace()
        let store = open.store
        let context = open.workspace.context
        let report = try stored { () throws(StoreError) in
            try store.read { () throws(StoreError) -> StatusReport in
                let isPaused = try store.meta(.paused) == "1"
                let known = try store.meta(.network) ?? "unknown"
                var report = StatusReport(
                    context: context.name, backend: context.backend ?? "none",
                    network: isPaused ? "paused" : worker?.network.rawValue ?? known,
                    now: clock.now())
                let counts = try store.mutationCounts()
                report.queued = counts[.queued] ?? 0
                report.sending = counts[.sending] ?? 0
                report.unknown = counts[.unknown] ?? 0
                report.waiting = counts[.waiting] ?? 0
                report.conflicts = counts[.conflict] ?? 0
                report.rejected = counts[.rejected] ?? 0
                report.quarantined = try store.quarantineCount()
                report.oldestQueuedAt = try store.oldestQueuedAt()
                report.lastError = try store.meta(.lastError)
                if (report.queued + report.unknown) > 0 {
                    report.wait = try BackendWait.found(in: store, now: clock.now())
                }
                for model in open.schema.models {
                    let cursor = try store.cursor(model.name)
                    report.models.append(
                        StatusReport.ModelStatus(
                            model: model.name, records: try store.count(Query(model: model.name)),
                            isComplete: cursor?.complete ?? false, syncedAt: cursor?.syncedAt))
                }
                return report
            }
        }
        try listing().write(report, to: output)
    }

    func log(_ request: LogRequest) throws(ShellError) {
        let open = try workspace()
        let model: Model?
        if let name = request.model { model = try open.model(name) } else { model = nil }
        var id: RecordID?
        if let model, !request.keys.isEmpty { id = try ids(request.keys, model, open).first }
        let limit = request.limit ?? (console.terminal.outputIsTerminal ? 100 : .max)
        var since: Int64?
        if let token = request.since { since = try place(token) }
        let changes = try stored { () throws(StoreError) in
            if let since {
                return try open.store.changes(
                    after: since, model: model?.name, id: id, limit: limit)
            }
            return try open.store.recentChanges(model: model?.name, id: id, limit: limit)
                .reversed()
        }
        let entries = changes.filter { $0.kind != .heard }.map { change in
            LogEntry(
                token: String(change.seq), at: change.at, origin: change.origin.rawValue,
                kind: change.kind.rawValue, key: RecordKey(change.model, change.id),
                group: change.group, fields: change.fields)
        }
        try listing().write(entries, to: output)
    }

    /// The place in the feed that a token names.
    func place(_ token: String) throws(ShellError) -> Int64 {
        guard let place = Int64(token), place >= 0 else {
            throw .usage(
                "\"\(token)\" is no token", hint: "tokens come from watch -o ndjson and from log")
        }
        return place
    }

    func undo(_ request: UndoRequest) throws(ShellError) -> ExitCode {
        let open = try workspace()
        let group = identifiers.next()
        let groups = try stored { () throws(StoreError) in
            try open.store.undoableGroups(limit: request.count)
        }
        guard !groups.isEmpty else {
            throw ShellError(.notFound, "there is nothing to undo")
        }
        if options.isDryRun { return try previewUndo(groups, open) }
        var taken: [RecordKey] = []
        var isPartial = false
        for undone in groups {
            let report = try stored { () throws(StoreError) in
                try open.store.write { () throws(StoreError) in
                    try open.outbox.undo(
                        undone.group, inverse: group, policies: open.policies(of:))
                }
            }
            tell(report.undone + report.dropped.map(\.record), of: undone)
            taken += report.undone
            for mutation in report.dropped {
                console.note("dropped from the queue: \(mutation.summary)")
                taken.append(mutation.record)
            }
            for kept in report.kept {
                isPartial = true
                console.warn("\(kept.key.model) \(kept.key.id) stays as it is: \(kept.reason)")
            }
        }
        try listing().write(taken.map(UndoneRecord.init), to: output)
        let code = try deliver(group, request.delivers && !taken.isEmpty, open)
        return isPartial ? code.merged(with: .partial) : code
    }

    /// Says which command it was that was taken back, as far as that is known.
    private func tell(_ keys: [RecordKey], of group: UndoGroup) {
        guard let first = keys.first else { return }
        var records = "\(first.model) \(first.id)"
        if Set(keys).count > 1 { records += " and \(Quantity.count(Set(keys).count - 1, "other"))" }
        console.note("took back what was done \(age(of: group.at, at: clock.now())) to \(records)")
    }

    private func previewUndo(_ groups: [UndoGroup], _ open: OpenWorkspace) throws(ShellError)
        -> ExitCode
    {
        var keys: [RecordKey] = []
        for group in groups {
            keys += try stored { () throws(StoreError) in
                try open.store.journal(of: group.group).map(\.key)
            }
        }
        try listing().write(keys.map(UndoneRecord.init), to: output)
        console.note("nothing was done")
        return .done
    }
}

/// A record whose change was taken back.
private struct UndoneRecord: Listed {
    let key: RecordKey

    init(_ key: RecordKey) { self.key = key }

    static let keys = ["model", "id"]
    static var columns: [Column] { Column.values("model", "id") }
    var values: [JSONValue] { [.string(key.model), .string(key.id.text)] }
    var cells: [JSONValue] { values }
    var handle: JSONValue { .string(key.id.text) }
}
