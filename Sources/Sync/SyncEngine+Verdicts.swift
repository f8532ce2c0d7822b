internal import JSON
internal import Outbox
internal import Records
internal import Sabotage
internal import Storage

// What each verdict does to a mutation that is not delivered.
extension SyncEngine {
    /// No verdict: never success, never dropped.
    ///
    /// - Parameters:
    ///   - mutation: What was sent, or asked about.
    ///   - reason: What the backend did instead: "gave no verdict".
    ///   - kind: Of the failure; another one where the backend is not to blame.
    /// - Throws: What the store throws.
    func lose(_ mutation: Mutation, _ reason: String, kind: String = SyncEngine.unknownKind)
        throws(StoreError)
    {
        var lost = mutation
        lost.state = .unknown
        lost.count(kind, "\(backend.title) \(reason)")
        lost.notBefore =
            ports.now() + Backoff.delay(attempts: lost.attempts, random: ports.random())
        try store.updateMutation(lost)
    }

    /// The failure of a mutation whose outcome the backend does not tell.
    static let unknownKind = "unknown"

    /// Not now: the same key is offered again later; an announced delay charges no attempt.
    func hold(
        _ mutation: Mutation, _ message: String, _ delay: Int64?, _ asked: Vantage,
        _ outcome: inout Settlement
    ) throws(StoreError) {
        var held = mutation
        held.state = outcome.stateOfUntaken(mutation)
        if let delay {
            held.notBefore = ports.now() + min(delay, SyncEngine.longestDelay)
            held.failure = Mutation.Failure(kind: "later", message: message)
        } else {
            held.count("retry", message)
            held.notBefore =
                ports.now() + Backoff.delay(attempts: held.attempts, random: ports.random())
        }
        outcome.notices += try putBack(held, asked)
    }

    /// Queues a mutation that was on its way: what it refers to may have to be made first by now,
    /// and what was heard of its record since it was chosen (`asked`) has not been merged with it.
    func putBack(_ mutation: Mutation, _ asked: Vantage) throws(StoreError) -> [SyncNotice] {
        try place(mutation)
        guard mutation.state == .queued, let model = model(mutation.model),
            try heardSince(asked, of: model.name).contains(mutation.id)
        else { return [] }
        let change = try outbox.rebase(
            model, mutation.id, onto: try outbox.state(of: model, mutation.id).base,
            policies: settings.policies(of: model.name), cause: .remote)
        if let change { try feed(change.kind, .rebase, mutation, change.fields) }
        guard let present = try store.mutation(mutation.seq), present.state == .conflict else {
            return []
        }
        return [.conflict(present.record, kind: present.failure?.kind ?? "field")]
    }

    /// Writes what was on its way back to the queue; it may have to wait for others by now.
    func place(_ mutation: Mutation) throws(StoreError) {
        guard let model = model(mutation.model) else {
            return try store.updateMutation(mutation)
        }
        try outbox.place(mutation, model)
    }

    /// The backend moved on first: three-way, then the mutation goes again or is parked.
    ///
    /// `isHeard` says that `base` is what the backend told just now: what was asked for before may
    /// be older.
    func conflict(_ mutation: Mutation, _ base: Base, isHeard: Bool = true)
        throws(StoreError) -> [SyncNotice]
    {
        guard let model = model(mutation.model) else { return [] }
        var refused = mutation
        if let record = base.record, let reason = try unreadable(record, mutation.id, model) {
            refused.state = .conflict
            refused.failure = Mutation.Failure(
                kind: mutation.kind == .delete ? "delete-edit" : "field", message: reason)
            let known = try outbox.state(of: model, mutation.id).base
            try store.updateMutation(refused)
            let change = try outbox.refold(model, mutation.id, base: known)
            if let change { try feed(change.kind, .rebase, mutation, change.fields) }
            return [.conflict(refused.record, kind: "field")]
        }
        refused.state = .queued
        refused.notBefore = 0
        refused.count(Rebase.staleKind, "met a newer state")
        if refused.attempts >= settings.conflictBound {
            refused.state = .conflict
            refused.failure?.message = "met a newer state \(refused.attempts) times in a row"
        }
        try store.updateMutation(refused)
        let change = try outbox.rebase(
            model, mutation.id, onto: base.normalized(by: model),
            policies: settings.policies(of: model.name), cause: .remote)
        if let change { try feed(change.kind, .rebase, mutation, change.fields) }
        if isHeard { try feed(.heard, .push, mutation, []) }
        guard let present = try store.mutation(mutation.seq), present.state == .conflict else {
            return []
        }
        return [.conflict(present.record, kind: present.failure?.kind ?? "field")]
    }

    /// Puts a record that cannot be read into quarantine.
    ///
    /// - Returns: Why it cannot; nil when it can.
    func unreadable(_ record: JSONObject, _ id: RecordID, _ model: Model)
        throws(StoreError) -> String?
    {
        guard let reason = model.reasonNotDecodable(record, id, store.schema) else { return nil }
        try store.addQuarantine(
            model: model.name, id: id, raw: JSONValue.object(record).serialized(),
            reason: reason, receivedAt: ports.now())
        return "the backend's record cannot be read: \(reason)"
    }

    /// The record is not there any more; what was last known of it stays to be shown.
    func gone(_ mutation: Mutation, _ version: JSONValue?) throws(StoreError) -> Base {
        guard let model = model(mutation.model) else { return .absent }
        let before = try outbox.state(of: model, mutation.id).base
        return Base(
            version: version, record: nil, deletedRecord: before.record ?? before.deletedRecord)
    }

    /// The backend will never take it: out of view, kept with its reason; what builds on it waits.
    @discardableResult
    func reject(_ mutation: Mutation, _ failure: Mutation.Failure) throws(StoreError) -> Mutation {
        var rejected = mutation
        rejected.state = .rejected
        rejected.failure = failure
        guard let model = model(mutation.model) else {
            try store.updateMutation(rejected)
            return rejected
        }
        let base = try outbox.state(of: model, mutation.id).base
        try store.updateMutation(rejected)
        try outbox.leaveLater(than: rejected)
        if mutation.kind != .create { try outbox.doubtFilteredPull(of: model) }
        if sabotage(.parkWithoutRollback) { return rejected }
        let change = try outbox.rest(
            on: base, without: mutation, model, mutation.id, settings.policies(of:))
        try feed(.rejected, .rollback, mutation, change?.fields ?? [])
        return rejected
    }

    func feed(
        _ kind: ChangeKind, _ origin: ChangeOrigin, _ mutation: Mutation, _ fields: [String],
        version: JSONValue? = nil
    ) throws(StoreError) {
        try feed(
            kind, origin, mutation.record, fields, group: mutation.group, version: version)
    }

    /// Appends a line to the change feed.
    func feed(
        _ kind: ChangeKind, _ origin: ChangeOrigin, _ key: RecordKey, _ fields: [String],
        group: String? = nil, version: JSONValue? = nil
    ) throws(StoreError) {
        _ = try store.appendChange(
            Change(
                model: key.model, id: key.id, kind: kind, origin: origin, group: group,
                at: ports.now(), fields: fields, version: version))
    }
}

extension Mutation {
    /// Charges an attempt; another kind of failure than before begins to count anew.
    mutating func count(_ kind: String, _ message: String) {
        attempts = failure?.kind == kind ? attempts + 1 : 1
        failure = Failure(kind: kind, message: message)
    }
}

extension Base {
    /// The base with records in the form in which they are compared.
    func normalized(by model: Model) -> Base {
        var base = self
        base.record = record.map(model.normalized)
        return base
    }
}
