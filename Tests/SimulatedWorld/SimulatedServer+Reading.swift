import JSON
import Records
import Sync

// What the server tells.
extension SimulatedServer {
    /// A record as it is told.
    func remote(_ key: RecordKey) -> RemoteRecord {
        RemoteRecord(
            id: key.id, version: entries[key].map { .int($0.version) }, record: shown(key))
    }

    func shown(_ key: RecordKey) -> JSONObject? {
        guard let entry = entries[key], var record = entry.record else { return nil }
        if entry.isBroken { record[key.model == "Post" ? "title" : "text"] = .int(7) }
        return record
    }

    /// Snapshot pages in id order, then changes by sequence: no change falls between the two.
    func pull(_ request: PullRequest) -> PullPage? {
        let cursor = request.cursor
        if let cursor, cursor["epoch"] != .int(epoch), !takesOldCursors { return nil }
        if let since = cursor?["since"]?.integer, since < forgotten { return nil }
        let limit = min(request.limit, pageLimit)
        if hasDelta, let since = cursor?["since"]?.integer, cursor?["after"] == nil {
            return delta(request, since, limit)
        }
        return snapshot(request, cursor, limit)
    }

    private func delta(_ request: PullRequest, _ since: Int64, _ limit: Int) -> PullPage {
        let model = request.model
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
            records: keys.compactMap { told($0, request) },
            cursor: position(since: last, after: nil), more: more, epoch: .int(epoch),
            complete: true)
    }

    /// A changed record as a filtered pull tells of it: one that left the filter is told to be
    /// gone, or not at all.
    private func told(_ key: RecordKey, _ request: PullRequest) -> RemoteRecord? {
        let remote = remote(key)
        guard let record = entries[key]?.record, !passes(key, record, request) else {
            return remote
        }
        if setting["filters"] == "strict" { return nil }
        return RemoteRecord(id: key.id, version: remote.version, record: nil)
    }

    private func passes(_ key: RecordKey, _ record: JSONObject, _ request: PullRequest) -> Bool {
        guard let filter = request.filter, let model = schema.model(key.model) else { return true }
        return filter.matches(record, model: model, schema: schema) ?? true
    }

    private func snapshot(_ request: PullRequest, _ cursor: JSONValue?, _ limit: Int) -> PullPage {
        let model = request.model
        let since = cursor?["since"]?.integer ?? seq
        let after = cursor?["after"]?.text ?? ""
        let rest = entries.filter {
            guard let record = $0.value.record else { return false }
            return $0.key.model == model && $0.key.id.text > after
                && passes($0.key, record, request)
        }.keys.sorted { $0.id.text < $1.id.text }
        let taken = rest.prefix(limit)
        let isEnd = taken.count == rest.count
        let next = isEnd ? nil : taken.last?.id.text
        var end: JSONValue?
        if !isEnd || hasDelta { end = position(since: since, after: next) }
        return PullPage(
            records: taken.map(remote), cursor: end,
            more: !isEnd || hasDelta, epoch: .int(epoch), complete: true)
    }

    private func position(since: Int64, after: String?) -> JSONValue {
        var cursor: JSONObject = JSONObject([("epoch", .int(epoch)), ("since", .int(since))])
        if let after { cursor["after"] = .string(after) }
        return .object(cursor)
    }

    /// True for a record that a pull up to `since` must have told is gone, or not have met.
    func isGone(_ key: RecordKey, upTo since: Int64) -> Bool {
        guard let last = states[key]?.last else { return true }
        return last.record == nil && last.seq <= since
    }

    /// True for a version that is part of the present history: none that was lost.
    func remembers(_ key: RecordKey, _ version: Int64) -> Bool {
        states[key]?.contains { $0.seq == version } ?? false
    }

    /// The last state of a record that a pull up to `since` must have shown; nil if it was
    /// deleted by then or later, which the client may know.
    func state(of key: RecordKey, upTo since: Int64) -> (seq: Int64, record: JSONObject)? {
        let all = states[key] ?? []
        if all.contains(where: { $0.seq > since && $0.record == nil }) { return nil }
        guard let last = all.last(where: { $0.seq <= since }), let record = last.record else {
            return nil
        }
        return (last.seq, record)
    }
}
