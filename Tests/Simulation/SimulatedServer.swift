import JSON
import Outbox
import Records
import Sync

/// The remote of a simulation: records, versions, a log, and a memory of keys.
final class SimulatedServer {
    struct Entry {
        var version: Int64
        var record: JSONObject?
        /// What other programs wrote there is no record of the schema.
        var isBroken = false
    }

    struct LogLine {
        var seq: Int64
        var key: RecordKey
        var fields: [String]
    }

    let setting: Setting
    let schema: Schema
    private(set) var epoch: Int64 = 1
    private(set) var entries: [RecordKey: Entry] = [:]
    /// Every change that is still remembered, oldest first.
    private(set) var log: [LogLine] = []
    /// Cursors before this are refused: the log does not reach so far back.
    private(set) var forgotten: Int64 = 0
    private var verdicts: [String: PushOutcome] = [:]
    /// How often each mutation key took effect.
    private var effects: [String: Int] = [:]
    /// A mutation key that took effect twice.
    private(set) var doubled: String?
    private var writers: [String: RecordKey] = [:]
    /// Every state that was ever true here, by record: what a base may hold.
    private(set) var history: [RecordKey: [JSONObject]] = [:]
    /// Every value that was ever accepted, by record and field.
    private(set) var accepted: [RecordKey: [String: [JSONValue]]] = [:]
    /// The changes of each record, oldest first.
    private var versions: [RecordKey: [(seq: Int64, isDelete: Bool)]] = [:]
    /// The record of every change, oldest first: what events tell of.
    private(set) var stream: [RecordKey] = []
    private var seq: Int64 = 0

    init(_ setting: Setting, schema: Schema) {
        self.setting = setting
        self.schema = schema
    }

    var capabilities: Capabilities {
        var able = Capabilities()
        able.pushes = true
        able.idempotency = setting.idempotency
        able.batch = setting.batch
        able.hasDelta = setting.hasDelta
        able.hasTombstones = true
        able.hasSnapshot = true
        able.page = setting.page
        able.answersPing = true
        able.hasFetch = setting.hasFetch
        able.hasEvents = setting.hasEvents
        return able
    }

    // MARK: What befalls it

    /// Its history begins anew: cursors of before mean nothing.
    func beginEpoch() { epoch += 1 }

    /// Old changes and tombstones are forgotten.
    func forget() {
        forgotten = seq
        log.removeAll()
        // Without keys and tombstones nobody can tell a lost create from one that was deleted.
        for (key, entry) in entries where entry.record == nil { forgive(key) }
        entries = entries.filter { $0.value.record != nil }
    }

    /// Where a create that arrived and was deleted cannot be told from a lost one, it may go again.
    private func forgive(_ key: RecordKey) {
        guard setting.idempotency == .conditional else { return }
        for writer in writers.filter({ $0.value == key }).keys { effects[writer] = 0 }
    }

    /// Another program writes what the schema does not know how to read.
    func breakRecord(_ key: RecordKey) {
        guard var entry = entries[key], entry.record != nil else { return }
        seq += 1
        entry.version = seq
        entry.isBroken = true
        entries[key] = entry
        note(key, [])
    }

    func mend() {
        for key in entries.keys.sorted(by: { $0.id.text < $1.id.text })
        where entries[key]?.isBroken ?? false {
            guard let record = entries[key]?.record else { continue }
            seq += 1
            entries[key] = Entry(version: seq, record: record)
            note(key, [])
        }
    }

    private func note(_ key: RecordKey, _ fields: [String]) {
        log.append(LogLine(seq: seq, key: key, fields: fields))
        stream.append(key)
        versions[key, default: []].append((seq, entries[key]?.record == nil))
    }

    // MARK: Writing

    func push(_ operation: PushOperation) -> PushOutcome {
        if setting.idempotency == .key, case .ok = verdicts[operation.key] {
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
            record["stamp"] = operation.model == "Post" ? .int(seq) : nil
            return write(key, record, operation)
        case .delete:
            guard let entry, entry.record != nil else {
                return .ok(version: nil, record: nil, assignedID: nil)
            }
            if isStale(operation, entry), setting.rule != .lastWriter { return conflict(key) }
            return write(key, nil, operation)
        case .update, .replace:
            guard let entry, let record = entry.record else {
                return .conflict(.gone(version: entry.map { .int($0.version) }))
            }
            var set = operation.kind == .replace ? operation.record ?? operation.set : operation.set
            if isStale(operation, entry) {
                switch setting.rule {
                case .reject: return conflict(key)
                case .merge: set = mergeable(set, key, operation)
                case .lastWriter: break
                }
            }
            return write(key, record.overlaid(with: set), operation)
        }
    }

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
        if setting.idempotency != .none, effects[operation.key] == 2 { doubled = operation.key }
        writers[operation.key] = key
        if let record = entry.record { history[key, default: []].append(record) }
        accept(key, operation.set)
        if record == nil { forgive(key) }
        return .ok(version: .int(entry.version), record: shown(key), assignedID: nil)
    }

    private func accept(_ key: RecordKey, _ set: JSONObject) {
        for (field, value) in set.pairs {
            accepted[key, default: [:]][field, default: []].append(value)
        }
    }

    private func normal(_ record: JSONObject, _ key: RecordKey) -> JSONObject {
        schema.model(key.model)?.normalized(record) ?? record
    }

    // MARK: Reading

    /// A record as it is told.
    func remote(_ key: RecordKey) -> RemoteRecord {
        RemoteRecord(
            id: key.id, version: entries[key].map { .int($0.version) }, record: shown(key))
    }

    private func shown(_ key: RecordKey) -> JSONObject? {
        guard let entry = entries[key], var record = entry.record else { return nil }
        if entry.isBroken { record[key.model == "Post" ? "title" : "text"] = .int(7) }
        return record
    }

    /// Snapshot pages in id order, then changes by sequence: no change falls between the two.
    func pull(_ request: PullRequest) -> PullPage? {
        let cursor = request.cursor
        if let cursor, cursor["epoch"] != .int(epoch) { return nil }
        if let since = cursor?["since"]?.integer, since < forgotten { return nil }
        let limit = min(request.limit, setting.page)
        if setting.hasDelta, let since = cursor?["since"]?.integer, cursor?["after"] == nil {
            return delta(request.model, since, limit)
        }
        return snapshot(request.model, cursor, limit)
    }

    private func delta(_ model: String, _ since: Int64, _ limit: Int) -> PullPage {
        var keys: [RecordKey] = []
        var last = since
        var more = false
        for change in log where change.seq > since && change.key.model == model {
            if !keys.contains(change.key) {
                if keys.count == limit {
                    more = true
                    break
                }
                keys.append(change.key)
            }
            last = change.seq
        }
        return PullPage(
            records: keys.map(remote), cursor: position(since: last, after: nil), more: more,
            epoch: .int(epoch), complete: true)
    }

    private func snapshot(_ model: String, _ cursor: JSONValue?, _ limit: Int) -> PullPage {
        let since = cursor?["since"]?.integer ?? seq
        let after = cursor?["after"]?.text ?? ""
        let rest = entries.filter {
            $0.key.model == model && $0.key.id.text > after && $0.value.record != nil
        }.keys.sorted { $0.id.text < $1.id.text }
        let taken = rest.prefix(limit)
        let isEnd = taken.count == rest.count
        let next = isEnd ? nil : taken.last?.id.text
        var end: JSONValue?
        if !isEnd || setting.hasDelta { end = position(since: since, after: next) }
        return PullPage(
            records: taken.map(remote), cursor: end,
            more: !isEnd || setting.hasDelta, epoch: .int(epoch), complete: true)
    }

    private func position(since: Int64, after: String?) -> JSONValue {
        var cursor: JSONObject = JSONObject([("epoch", .int(epoch)), ("since", .int(since))])
        if let after { cursor["after"] = .string(after) }
        return .object(cursor)
    }

    /// The version a pull up to `since` must have shown; nil if it was deleted later, which the
    /// client may know.
    func version(of key: RecordKey, upTo since: Int64) -> Int64? {
        let all = versions[key] ?? []
        if all.contains(where: { $0.seq > since && $0.isDelete }) { return nil }
        return all.last { $0.seq <= since }.flatMap { $0.isDelete ? nil : $0.seq }
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
        }
    }
}
