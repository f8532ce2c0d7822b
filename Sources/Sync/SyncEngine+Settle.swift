internal import JSON
internal import Outbox
internal import Records
internal import Storage

extension SyncEngine {
    /// Takes in the verdicts of a push; a mutation without one has an unknown outcome.
    ///
    /// - Returns: How many mutations are out of the way: delivered, parked or rejected.
    func settle(_ sent: [Mutation], _ verdicts: [String: PushOutcome]) throws(SyncError) -> Int {
        var notices: [SyncNotice] = []
        var untold: [Mutation] = []
        var settled = 0
        var refusedAuth: String?
        try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) in
                for mutation in sent {
                    guard let present = try store.mutation(mutation.seq),
                        present.key.sameBytes(as: mutation.key)
                    else { continue }
                    switch verdicts[mutation.key] {
                    case .ok(let version, let record, _):
                        try deliver(present, version: version, record: record)
                        notices.append(.delivered(present))
                        settled += 1
                    case .conflict(.unknown):
                        untold.append(present)
                    case .conflict(.record(let record, let version)):
                        notices += try conflict(
                            present, Base(version: version, record: record))
                        settled += 1
                    case .conflict(.gone(let version)):
                        notices += try conflict(present, try gone(present, version))
                        settled += 1
                    case .rejected(let message, let code, let field):
                        let failure = Mutation.Failure(
                            kind: code ?? "rejected", message: message, field: field)
                        notices.append(.rejected(try reject(present, failure)))
                        settled += 1
                    case .retry(let message, let delay):
                        try hold(present, message, delay)
                    case .auth(let message):
                        refusedAuth = message
                        var waiting = present
                        waiting.state = .queued
                        waiting.attempts -= 1
                        try store.updateMutation(waiting)
                    case nil:
                        var unknown = present
                        unknown.state = .unknown
                        unknown.notBefore =
                            ports.now()
                            + Backoff.delay(attempts: present.attempts, random: ports.random())
                        try store.updateMutation(unknown)
                    }
                }
            }
        }
        for notice in notices { notify(notice) }
        if let refusedAuth { throw .backend(BackendError(.auth, refusedAuth)) }
        if settled > 0 {
            failures = 0
            if batchLimit < Int.max / 2 { batchLimit *= 2 }
        }
        if !untold.isEmpty { settled += try askAbout(untold) }
        return settled
    }

    /// Not now: the same key is offered again later; an announced delay charges no attempt.
    private func hold(_ mutation: Mutation, _ message: String, _ delay: Int64?)
        throws(StoreError)
    {
        var held = mutation
        held.state = .queued
        let pause = Backoff.delay(attempts: mutation.attempts, random: ports.random())
        held.notBefore = ports.now() + (delay ?? pause)
        if delay != nil { held.attempts -= 1 }
        held.failure = Mutation.Failure(kind: "retry", message: message)
        try store.updateMutation(held)
    }

    /// The backend holds the mutation now: its answer is the new base.
    func deliver(_ mutation: Mutation, version: JSONValue?, record: JSONObject?)
        throws(StoreError)
    {
        guard let model = model(mutation.model) else {
            return try store.removeMutation(mutation.seq)
        }
        let state = try outbox.state(of: model, mutation.id)
        let wanted = mutation.applied(to: state.base.record, orElse: state.base.deletedRecord)
        var told = record
        if let record, let reason = model.reasonNotDecodable(record, mutation.id, store.schema) {
            _ = try store.addQuarantine(
                model: model.name, id: mutation.id, raw: JSONValue.object(record).serialized(),
                reason: reason, receivedAt: ports.now())
            told = nil
        }
        let base = Base(
            version: version, record: mutation.kind == .delete ? nil : told ?? wanted)
        try store.releaseDependents(of: mutation.seq)
        try store.removeMutation(mutation.seq)
        let change = try outbox.rebase(
            model, mutation.id, onto: base, policies: settings.policies(of: model.name),
            cause: .ownWrite)
        try feed(.synced, .push, mutation, change?.fields ?? [], version: version)
    }

    /// The backend moved on first: three-way, then the mutation goes again or is parked.
    func conflict(_ mutation: Mutation, _ base: Base) throws(StoreError) -> [SyncNotice] {
        guard let model = model(mutation.model) else { return [] }
        var refused = mutation
        refused.state = .queued
        refused.notBefore = 0
        try store.updateMutation(refused)
        let change = try outbox.rebase(
            model, mutation.id, onto: base, policies: settings.policies(of: model.name),
            cause: .remote)
        if let change { try feed(change.kind, .remote, mutation, change.fields) }
        try feed(.heard, .push, mutation, [])
        guard var present = try store.mutation(mutation.seq) else { return [] }
        if present.state == .queued, present.attempts >= settings.conflictBound {
            present.state = .conflict
            present.failure = Mutation.Failure(
                kind: "field", message: "met a newer state \(present.attempts) times in a row")
            try store.updateMutation(present)
        }
        guard present.state == .conflict else { return [] }
        return [.conflict(present.record, kind: present.failure?.kind ?? "field")]
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
        if mutation.kind == .create || mutation.kind == .replace {
            for later in try store.mutations(of: mutation.record) where later.seq > mutation.seq {
                try outbox.hold(later, on: mutation.seq)
            }
        }
        let change = try outbox.refold(model, mutation.id, base: base)
        try feed(.rejected, .rollback, mutation, change?.fields ?? [])
        return rejected
    }

    func feed(
        _ kind: ChangeKind, _ origin: ChangeOrigin, _ mutation: Mutation, _ fields: [String],
        version: JSONValue? = nil
    ) throws(StoreError) {
        _ = try store.appendChange(
            Change(
                seq: 0, model: mutation.model, id: mutation.id, kind: kind, origin: origin,
                group: mutation.group, at: ports.now(), fields: fields, version: version))
    }
}
