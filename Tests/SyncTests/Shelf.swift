import JSON
import Records
import Sync

/// A backend in memory whose answers a test can bend.
final class Shelf: Backend {
    struct Entry {
        var version: Int64
        var record: JSONObject?
    }

    var able: Capabilities
    let title = "shelf"
    var name: String? = "shelf"
    var entries: [RecordKey: Entry] = [:]
    private(set) var log: [(seq: Int64, key: RecordKey)] = []
    private var seq: Int64 = 0
    private var verdicts: [String: PushOutcome] = [:]
    /// Operations that took effect, in their order.
    private(set) var applied: [PushOperation] = []
    /// Keys of every push, in their order.
    private(set) var pushes: [[String]] = []
    private(set) var pulls: [JSONValue?] = []
    /// True lets the engine do something while a push is on its way.
    var letsGoOn = false
    /// Called before a push; what it throws is the answer.
    var beforePush: ([PushOperation]) throws(BackendError) -> Void = { _ in }
    /// Called after a push took effect: what it throws is a lost answer.
    var afterPush: () throws(BackendError) -> Void = {}
    /// The verdict in place of the real one; the operation then has no effect.
    var verdict: (PushOperation) -> PushOutcome? = { _ in nil }
    /// False leaves an operation without a verdict.
    var isTold: (PushOperation) -> Bool = { _ in true }
    var beforePull: (PullRequest) throws(BackendError) -> Void = { _ in }
    var afterPull: (inout PullPage) throws(BackendError) -> Void = { _ in }
    /// Called before a fetch; what it throws is the answer.
    var beforeFetch: ([RecordID]) throws(BackendError) -> Void = { _ in }
    /// Records that a fetch may ask for.
    var mostFetched = Int.max
    var onPing: () throws(BackendError) -> Void = {}
    var epoch: Int64 = 1
    var events: [RemoteEvent] = []
    var onEvents: () throws(BackendError) -> Void = {}
    var onSubscribe: () throws(BackendError) -> Void = {}
    var onCapabilities: () throws(BackendError) -> Void = {}
    /// Requests of any kind that a real backend would notice.
    private(set) var requests = 0
    private(set) var subscriptions = 0
    var isSubscribed: Bool { subscriptions > 0 }

    init() {
        able = Capabilities()
        able.pushes = true
        able.idempotency = .key
        able.batch = 50
        able.hasDelta = true
        able.hasTombstones = true
        able.answersPing = true
    }

    func capabilities() throws(BackendError) -> Capabilities {
        try onCapabilities()
        return able
    }

    func identity() throws(BackendError) -> String? { name }

    func ping() throws(BackendError) {
        requests += 1
        try onPing()
    }

    /// Somebody else writes; nil deletes.
    func write(_ model: String, _ id: String, _ pairs: [(String, JSONValue)]?) {
        put(
            RecordKey(model, RecordID(id)),
            pairs.map { JSONObject([("id", .string(id))] + $0) })
    }

    /// A record goes without a trace.
    func lose(_ model: String, _ id: String) {
        let key = RecordKey(model, RecordID(id))
        entries[key] = nil
        log.removeAll { $0.key == key }
    }

    private func put(_ key: RecordKey, _ record: JSONObject?) {
        seq += 1
        entries[key] = Entry(version: seq, record: record)
        log.append((seq, key))
    }

    func record(_ model: String, _ id: String) -> JSONObject? {
        entries[RecordKey(model, RecordID(id))]?.record
    }

    func push(_ operations: [PushOperation]) throws(BackendError) -> [String: PushOutcome] {
        try push(operations) {}
    }

    func push(
        _ operations: [PushOperation], meanwhile: () -> Void
    ) throws(BackendError) -> [String: PushOutcome] {
        requests += 1
        pushes.append(operations.map(\.key))
        if letsGoOn { meanwhile() }
        try beforePush(operations)
        var answer: [String: PushOutcome] = [:]
        for operation in operations {
            let outcome = verdict(operation) ?? take(operation)
            if isTold(operation) { answer[operation.key] = outcome }
        }
        try afterPush()
        return answer
    }

    private func take(_ operation: PushOperation) -> PushOutcome {
        if able.idempotency == .key, let known = verdicts[operation.key] { return known }
        let key = RecordKey(operation.model, operation.id)
        let entry = entries[key]
        if let entry, operation.kind == .create ? entry.record != nil : true,
            operation.baseVersion != .int(entry.version),
            operation.kind != .create
                || entry.record != nil
        {
            guard let record = entry.record else {
                return .conflict(.gone(version: .int(entry.version)))
            }
            return .conflict(.record(record, version: .int(entry.version)))
        }
        applied.append(operation)
        put(key, operation.record)
        let outcome = PushOutcome.ok(
            version: .int(seq), record: operation.record, assignedID: nil)
        verdicts[operation.key] = outcome
        return outcome
    }

    func pull(_ request: PullRequest) throws(BackendError) -> PullPage {
        requests += 1
        pulls.append(request.cursor)
        try beforePull(request)
        let since = request.cursor?.integer ?? 0
        let rest = log.filter { $0.seq > since && $0.key.model == request.model }
        let taken = rest.prefix(request.limit)
        var page = PullPage(
            records: taken.map { remote($0.key) },
            cursor: .int(taken.last?.seq ?? since), more: taken.count < rest.count,
            epoch: .int(epoch))
        try afterPull(&page)
        return page
    }

    func fetch(model: String, ids: [RecordID]) throws(BackendError) -> [RemoteRecord] {
        try beforeFetch(ids)
        guard ids.count <= mostFetched else { throw BackendError(.tooLarge, "413") }
        requests += 1
        return ids.map { remote(RecordKey(model, $0)) }
    }

    func subscribe(models: [String]) throws(BackendError) {
        requests += 1
        subscriptions += 1
        try onSubscribe()
    }

    func nextEvents() throws(BackendError) -> [RemoteEvent] {
        try onEvents()
        defer { events = [] }
        return events
    }

    private func remote(_ key: RecordKey) -> RemoteRecord {
        RemoteRecord(
            id: key.id, version: entries[key].map { .int($0.version) },
            record: entries[key]?.record)
    }
}
