internal import JSON
internal import Outbox
internal import Records
internal import Storage

extension SyncEngine {
    /// Settles mutations whose outcome is unknown with a backend that does not know keys: asks
    /// for the records and compares.
    ///
    /// The record equals our post-image: it had arrived. It still has the version we wrote on: it
    /// had not, and goes again. Anything else is another's write: a conflict.
    func settleUnknown(_ mutations: [Mutation], _ able: Capabilities) throws(SyncError) -> PushStep
    {
        let asked = try vantage()
        let sparing = try tellsCulprits()
        let states: States
        do throws(BackendError) {
            states = try self.states(of: mutations, sparing: sparing)
        } catch {
            if case .retryable = error.kind { try keep(try pause(after: error, batch: nil)) }
            if case .rateLimited = error.kind { try keep(try pause(after: error, batch: nil)) }
            return .failed(error)
        }
        let settled = try written { (notices) throws(StoreError) in
            var settled = 0
            for mutation in mutations {
                guard let present = try sending(mutation) else { continue }
                if let cause = states.untold[mutation.record] {
                    // Asking again at once would turn in circles.
                    try lose(present, untold: cause)
                    continue
                }
                guard let remote = states.found[mutation.record],
                    try !heardSince(asked, of: mutation.model).contains(mutation.id)
                else {
                    try lose(present, "told of it anew while it was looked up", kind: "heard")
                    continue
                }
                notices += try compare(present, with: remote, asked)
                settled += 1
            }
            return settled
        }
        return .answered(settled)
    }

    /// Settles what pulls brought news of, where the backend cannot be asked for single records.
    ///
    /// - Returns: What to tell of each that was.
    func settleByPulled(_ mutations: [Mutation]) throws(StoreError) -> [[SyncNotice]] {
        let now = Vantage(feed: try store.lastChangeSeq(), data: try store.dataVersion())
        var settled: [[SyncNotice]] = []
        for mutation in mutations {
            let known = try known(of: mutation)
            if known.version == mutation.baseVersion { continue }
            let remote = RemoteRecord(
                id: mutation.id, version: known.version, record: known.record)
            settled.append(try compare(mutation, with: remote, now, told: .remote))
        }
        return settled
    }

    private func compare(
        _ mutation: Mutation, with remote: RemoteRecord, _ asked: Vantage,
        told origin: ChangeOrigin = .push
    ) throws(StoreError) -> [SyncNotice] {
        var isDone = mutation.isDone(in: remote)
        if !isDone { isDone = try wasUndone(mutation, remote) }
        if isDone {
            try acknowledge(mutation, remote, origin: origin)
            return [.delivered(mutation)]
        }
        if mutation.stands(on: remote) {
            var again = mutation
            again.state = .queued
            again.notBefore = 0
            return try putBack(again, asked)
        }
        return try conflict(mutation, try base(remote, mutation))
    }

    /// True when a create had arrived and the record was deleted since: it was met in between.
    ///
    /// A tombstone alone proves nothing: the record may have been made and deleted before.
    private func wasUndone(_ mutation: Mutation, _ remote: RemoteRecord) throws(StoreError) -> Bool
    {
        guard mutation.kind == .create, remote.isDeleted else { return false }
        let known = try known(of: mutation)
        return known.record != nil || known.deletedRecord != nil
    }

    /// Asks for the present state of records of which a push told too little, or what may be old.
    ///
    /// Where it refuses to tell, or fails to again and again while it answers, what it said to the
    /// push and the next pull have to do.
    ///
    /// - Returns: How many mutations are out of the way.
    func lookUp(_ outcome: Settlement) throws(SyncError) -> Int {
        let vantage = try vantage()
        let mutations = outcome.untold + outcome.uncertain
        var states = States()
        if try able().hasFetch {
            let sparing = try tellsCulprits()
            states = try asked { () throws(BackendError) in
                try self.states(of: mutations, sparing: sparing)
            }
        }
        let taken = Set(outcome.uncertain.map(\.seq))
        return try written { (notices) throws(StoreError) in
            var settled = 0
            for mutation in mutations {
                guard let present = try sending(mutation),
                    try !heardSince(vantage, of: mutation.model).contains(mutation.id)
                else { continue }
                if let cause = states.untold[mutation.record], mayTell(present, cause) {
                    try lose(present, untold: cause)
                    continue
                }
                let remote = states.found[mutation.record]
                if taken.contains(mutation.seq) {
                    try confirm(present, remote, outcome)
                    notices.append(.delivered(present))
                } else if let remote {
                    notices += try conflict(present, try base(remote, present))
                } else {
                    notices += try postpone(present)
                }
                settled += 1
            }
            return settled
        }
    }

    /// The backend has the mutation; where it cannot be asked for the record, a pull of everything
    /// tells what became of it since.
    private func confirm(
        _ mutation: Mutation, _ remote: RemoteRecord?, _ outcome: Settlement
    ) throws(StoreError) {
        let answer = outcome.answers[mutation.seq]
        if remote == nil { try store.restartPull(of: mutation.model) }
        if let answer, remote == nil {
            return try deliver(mutation, version: answer.version, record: answer.record)
        }
        try acknowledge(mutation, remote)
    }

    /// In conflict with what nobody can be asked for: the next pull brings it.
    private func postpone(_ mutation: Mutation) throws(StoreError) -> [SyncNotice] {
        let known = try known(of: mutation)
        let notices = try conflict(mutation, known, isHeard: false)
        guard known.version == mutation.baseVersion, var present = try sent(mutation.seq) else {
            return notices
        }
        present.notBefore =
            ports.now() + Backoff.delay(attempts: present.attempts, random: ports.random())
        try store.updateMutation(present)
        return notices
    }

    private func sent(_ seq: Int64) throws(StoreError) -> Mutation? {
        try store.mutation(seq).flatMap { $0.state == .queued ? $0 : nil }
    }

    /// True where the backend only failed to tell, and not often yet.
    private func mayTell(_ mutation: Mutation, _ cause: BackendError) -> Bool {
        if cause.refusesQuestion { return false }
        return mutation.failure?.kind != SyncEngine.unknownKind
            || mutation.attempts <= SyncEngine.patience
    }

    private func lose(_ mutation: Mutation, untold cause: BackendError) throws(StoreError) {
        try lose(mutation, "does not tell what became of it: \(cause.message)")
    }

    private struct States {
        var found: [RecordKey: RemoteRecord] = [:]
        /// Why the backend does not tell.
        var untold: [RecordKey: BackendError] = [:]
    }

    private func states(of mutations: [Mutation], sparing: Bool) throws(BackendError) -> States {
        var states = States()
        var models: [String] = []
        for mutation in mutations where !models.contains(mutation.model) {
            models.append(mutation.model)
        }
        for model in models {
            let ids = mutations.filter { $0.model == model }.map(\.id)
            let fetched = try fetch(ids, of: model, sparing: sparing)
            for record in fetched.records { states.found[RecordKey(model, record.id)] = record }
            for (id, cause) in fetched.untold { states.untold[RecordKey(model, id)] = cause }
        }
        return states
    }

    private func base(_ remote: RemoteRecord, _ mutation: Mutation) throws(StoreError) -> Base {
        guard let record = remote.record else { return try gone(mutation, remote.version) }
        return Base(version: remote.version, record: record)
    }
}

extension Mutation {
    /// True when the record is what this would have made of it.
    fileprivate func isDone(in remote: RemoteRecord) -> Bool {
        guard let record = remote.record else { return kind == .delete }
        if kind == .delete { return false }
        return set.pairs.allSatisfy { record[$0.key] ?? .null == $0.value }
    }

    /// True when nobody has written the record since this was made.
    fileprivate func stands(on remote: RemoteRecord) -> Bool {
        guard remote.record != nil else { return kind == .create }
        return baseVersion != nil && baseVersion == remote.version
    }
}
