import JSON
import Outbox
import Records
import Sync

// What the server makes of a push.
extension SimulatedServer {
    /// True for what it cannot bear: any operation with such a value.
    func isTooMuch(_ operation: PushOperation, _ prefix: String) -> Bool {
        isFrail && operation.set.pairs.contains { $1.text?.hasPrefix(prefix) ?? false }
    }

    /// Operations that arrive after whoever sent them has given up waiting.
    func delay(_ operations: [PushOperation]) { late += operations }

    /// Some time or other what was late arrives.
    func arrive(_ decide: () -> Bool) {
        guard !late.isEmpty, decide() else { return }
        let arrived = late
        late = []
        for operation in arrived { _ = push(operation) }
    }

    func push(_ operation: PushOperation) -> PushOutcome {
        if knowsKeys, case .ok = verdicts[operation.key] {
            return verdicts[operation.key] ?? .conflict(.unknown)
        }
        let outcome = decide(operation)
        verdicts[operation.key] = outcome
        Trace.note(
            "    \(operation.key) \(operation.kind) \(operation.id) on "
                + "\(operation.baseVersion?.serialized() ?? "nothing") "
                + "\(JSONValue.object(operation.set).serialized()): \(outcome.word)")
        return outcome
    }

    private func decide(_ operation: PushOperation) -> PushOutcome {
        let key = RecordKey(operation.model, operation.id)
        let entry = entries[key]
        for (field, value) in operation.set.pairs where value.text?.hasPrefix("bad") ?? false {
            return .rejected(message: "may not begin with bad", code: "rule", field: field)
        }
        switch operation.kind {
        case .create:
            if entry?.record != nil { return conflict(key) }
            var record = operation.record ?? operation.set
            if operation.model == "Post" { record["stamp"] = .int(seq) }
            guard setting.assignsIDs, entry == nil, history[key] == nil else {
                return write(key, record, operation)
            }
            return create(choose(for: key), record, operation)
        case .delete:
            guard let entry, entry.record != nil else {
                if setting["gone"] == "conflict" { return .conflict(.gone(version: nil)) }
                return .ok(version: nil, record: nil, assignedID: nil)
            }
            if isStale(operation, entry), rule != "lastWriter" { return conflict(key) }
            return write(key, nil, operation)
        case .update, .replace:
            guard let entry, let record = entry.record else {
                return .conflict(.gone(version: entry.map { .int($0.version) }))
            }
            var set = operation.kind == .replace ? operation.record ?? operation.set : operation.set
            if isStale(operation, entry) {
                switch rule {
                case "merge": set = mergeable(set, key, operation)
                case "lastWriter": break
                default: return conflict(key)
                }
            }
            return write(key, record.overlaid(with: set), operation)
        }
    }

    /// A record under an id of its own.
    private func choose(for key: RecordKey) -> RecordKey {
        let new = RecordKey(key.model, RecordID("s\(originals.count + 1)"))
        chosen[key] = new
        names[key, default: [key]].append(new)
        originals[new] = key
        return new
    }

    private func create(_ key: RecordKey, _ record: JSONObject, _ operation: PushOperation)
        -> PushOutcome
    {
        var record = record
        record["id"] = .string(key.id.text)
        guard case .ok(let version, let shown, _) = write(key, record, operation) else {
            return .conflict(.unknown)
        }
        return .ok(version: version, record: shown, assignedID: key.id)
    }

    /// The id that it chose for what a client had named so.
    func assigned(of key: RecordKey) -> RecordKey? { chosen[key] }

    /// What a client first called a record.
    func original(of key: RecordKey) -> RecordKey { originals[key] ?? key }

    /// All that a record which a client made was ever called.
    func names(of original: RecordKey) -> [RecordKey] { names[original] ?? [original] }

    func hasEffect(_ key: String) -> Bool { effects[key] ?? 0 > 0 }

    private func isStale(_ operation: PushOperation, _ entry: Entry) -> Bool {
        operation.baseVersion != .int(entry.version)
    }

    /// What nobody else has changed since the writer's version.
    private func mergeable(_ set: JSONObject, _ key: RecordKey, _ operation: PushOperation)
        -> JSONObject
    {
        let since = operation.baseVersion?.integer ?? 0
        let changed = Set(log.filter { $0.key == key && $0.seq > since }.flatMap(\.fields))
        accept(key, set)
        return JSONObject(unchecked: set.pairs.filter { !changed.contains($0.key) })
    }

    private func conflict(_ key: RecordKey) -> PushOutcome {
        guard let record = shown(key) else { return .conflict(.gone(version: nil)) }
        return .conflict(.record(record, version: entries[key].map { .int($0.version) }))
    }

    private func write(_ key: RecordKey, _ record: JSONObject?, _ operation: PushOperation)
        -> PushOutcome
    {
        seq += 1
        let before = entries[key]
        var entry = Entry(version: seq, record: record.map { normal($0, key) })
        entry.isBroken = record != nil && (before?.isBroken ?? false)
        entries[key] = entry
        let fields = entry.record?.pairs.filter { before?.record?[$0.key] != $0.value }.map(\.key)
        note(key, fields ?? [])
        effects[operation.key, default: 0] += 1
        if effects[operation.key] == 2 { doubled = operation.key }
        writers[operation.key] = key
        if let record = entry.record { history[key, default: []].append(record) }
        accept(key, operation.set)
        if record == nil {
            everDeleted.insert(key)
            forgive(key)
        }
        return .ok(version: .int(entry.version), record: shown(key), assignedID: nil)
    }

    private func accept(_ key: RecordKey, _ set: JSONObject) {
        for (field, value) in set.pairs {
            accepted[key, default: [:]][field, default: []].append(value)
        }
    }

    /// A record in the form in which it is kept; fields that only some schemas have are there where
    /// somebody gave them a value.
    func normal(_ record: JSONObject, _ key: RecordKey) -> JSONObject {
        guard let model = schema.model(key.model) else { return record }
        return model.normalized(
            JSONObject(unchecked: record.pairs.filter { !$0.value.isNull }))
    }
}

extension PushOutcome {
    fileprivate var word: String {
        switch self {
        case .ok(let version, _, _): "ok \(version?.serialized() ?? "")"
        case .conflict(.record(_, let version)): "conflict \(version?.serialized() ?? "")"
        case .conflict: "gone"
        case .rejected: "rejected"
        case .retry, .auth: "later"
        case .unknown: "unknown"
        }
    }
}
