internal import JSON
internal import Outbox
internal import Records
internal import Sabotage
internal import Storage

/// Takes records of one model from the backend into the store, within one transaction.
struct Intake {
    private let engine: SyncEngine
    private let store: Store
    private let model: Model
    private let filter: Filter?
    /// The model's first pull: most records are not there yet.
    private let isFirst: Bool
    /// False where the history may have begun anew: equal versions then need not be equal states.
    private let trustsVersions: Bool
    private let hasLive: Bool
    private var hasQuarantine: Bool
    /// What is told to be gone may only have left the filter that was sent along.
    private let isFiltered: Bool
    private let at: Int64

    var tally = PageTally()
    var notices: [SyncNotice] = []

    init(
        _ engine: SyncEngine, _ model: Model, filter: Filter?, cursor: Cursor?,
        isFiltered: Bool = false
    ) throws(StoreError) {
        self.engine = engine
        self.model = model
        self.filter = filter
        store = engine.store
        isFirst = cursor.map { !$0.isFull && !$0.complete } ?? false
        trustsVersions = !(cursor?.isFull ?? false)
        hasLive = try store.hasLiveMutations(ofModel: model.name)
        hasQuarantine = try store.hasQuarantine()
        self.isFiltered = isFiltered
        at = engine.ports.now()
    }

    /// Takes one record in; one that was asked for by its id is `isFetched`: pages asked for before
    /// may be older.
    mutating func take(_ remote: RemoteRecord, isFetched: Bool = false) throws(StoreError) {
        let key = RecordKey(model.name, remote.id)
        if sabotage(.loseTombstone), remote.isDeleted { return }
        if let record = remote.record {
            if let reason = model.reasonNotDecodable(record, remote.id, store.schema) {
                try quarantine(
                    Undecodable(
                        id: remote.id, raw: JSONValue.object(record).serialized(), reason: reason),
                    version: remote.version)
                return
            }
        }
        if hasQuarantine { try store.removeQuarantine(model.name, remote.id) }
        if isFetched { try feed(.heard, .push, key, []) }
        if hasLive, !sabotage(.applyEchoOverLive), try store.hasLiveMutations(key) {
            // The backend says which it is when the change is sent, or the next pull of everything.
            if remote.isDeleted, isFiltered, !isFetched { return }
            return try rebase(remote, key)
        }
        try replace(remote, key)
    }

    /// - Returns: The item's number.
    @discardableResult
    mutating func quarantine(
        _ item: Undecodable, version: JSONValue? = nil
    ) throws(StoreError) -> Int64 {
        if sabotage(.dropUnreadable) { return 0 }
        let n = try store.addQuarantine(
            model: model.name, id: item.id, raw: item.raw, reason: item.reason, receivedAt: at,
            version: version)
        hasQuarantine = true
        tally.quarantined += 1
        notices.append(
            .quarantined(RecordKey(model.name, item.id ?? RecordID("")), reason: item.reason))
        return n
    }

    /// A clean record is what the backend says.
    private mutating func replace(_ remote: RemoteRecord, _ key: RecordKey) throws(StoreError) {
        guard let record = remote.record, isInScope(record) else {
            guard try store.recordExists(model, remote.id) else { return }
            try store.removeRecord(model, remote.id)
            tally.deleted += 1
            return try feed(.delete, .remote, key, [])
        }
        if isFirst,
            try store.insertRecord(model, remote.id, record, version: remote.version)
        {
            tally.applied += 1
            return try feed(.insert, .remote, key, [])
        }
        let present = try store.legible { () throws(StoreError) in
            try store.record(model, remote.id)
        }
        guard let known = present else {
            try store.putRecord(model, remote.id, record, version: remote.version)
            tally.applied += 1
            return try feed(.insert, .remote, key, [])
        }
        if trustsVersions, let version = remote.version, version == known.version { return }
        let change = ViewChange(from: known.record, to: model.normalized(record))
        if change == nil, remote.version == known.version { return }
        try store.putRecord(model, remote.id, record, version: remote.version)
        guard let change else { return try feed(.heard, .remote, key, []) }
        tally.applied += 1
        try feed(.update, .remote, key, change.fields)
    }

    /// A record with live mutations: its base moves, what the user did stays on top.
    private mutating func rebase(_ remote: RemoteRecord, _ key: RecordKey) throws(StoreError) {
        let state = try engine.outbox.state(of: model, remote.id)
        let record = remote.record.map(model.normalized)
        if remote.version == state.base.version, remote.version != nil || record == nil,
            trustsVersions
                ? remote.isDeleted == (state.base.record == nil)
                : record == state.base.record
        {
            return
        }
        if remote.isDeleted, state.base.record == nil { return }
        let base = Base(
            version: remote.version, record: record,
            deletedRecord: remote.isDeleted ? state.base.record : nil)
        let change = try engine.outbox.rebase(
            model, remote.id, onto: base, policies: engine.settings.policies(of: model.name),
            cause: .remote)
        if remote.isDeleted { tally.deleted += 1 } else { tally.applied += 1 }
        if let change {
            try feed(change.kind, .rebase, key, change.fields)
        } else {
            try feed(.heard, .remote, key, [])
        }
        for mutation in try store.mutations(of: key) where mutation.state == .conflict {
            notices.append(.conflict(key, kind: mutation.failure?.kind ?? "field"))
        }
    }

    private func isInScope(_ record: JSONObject) -> Bool {
        sabotage(.ignoreScope)
            || filter?.matches(record, model: model, schema: store.schema) ?? true
    }

    private func feed(
        _ kind: ChangeKind, _ origin: ChangeOrigin, _ key: RecordKey, _ fields: [String]
    ) throws(StoreError) {
        try engine.feed(kind, origin, key, fields)
    }
}

extension Model {
    /// Why a record from outside cannot be this model's record `id`; nil when it can.
    func reasonNotDecodable(_ record: JSONObject, _ id: RecordID, _ schema: Schema) -> String? {
        if let fault = fault(remote: record, in: schema) { return fault }
        if key.count == 1, case .string(let text)? = record[key[0]], text.sameBytes(as: id.text) {
            return nil
        }
        guard let found = self.id(of: record) else { return "the record lacks its key" }
        return found == id ? nil : "the record's key is \(found.text), its id \(id.text)"
    }
}

extension Capabilities {
    /// True when the backend can apply the whole of `filter`.
    func evaluates(_ filter: Filter) -> Bool {
        filter.protocolJSON(operators: filterOperators) != nil
    }
}
