internal import JSON
internal import Outbox
internal import Records
internal import Sabotage
internal import Storage

extension SyncEngine {
    /// Takes in the verdicts of a push; a mutation without one has an unknown outcome.
    ///
    /// - Returns: How many mutations are out of the way: delivered, parked or rejected.
    func settle(
        _ sent: [Mutation], _ verdicts: [String: PushOutcome], _ asked: Vantage,
        _ again: Set<Int64> = []
    ) throws(SyncError) -> Int {
        var outcome = Settlement(again: again)
        try written { (notices) throws(StoreError) in
            // Whoever took over may have sent it again meanwhile.
            if try !isPusher() { outcome.again.formUnion(sent.map(\.seq)) }
            for mutation in sent {
                try settle(mutation, verdicts[mutation.key], asked, &outcome)
            }
            if outcome.isHeard {
                if !failedAlone.isEmpty { outcome.notices += try chargeLoners() }
                try recover()
            }
            notices = outcome.notices
        }
        if let message = outcome.refusedAuth {
            throw .backend(BackendError(.auth, message))
        }
        if !outcome.untold.isEmpty || !outcome.uncertain.isEmpty {
            outcome.settled += try lookUp(outcome)
        }
        return outcome.settled
    }

    /// What the verdicts of one push come to.
    struct Settlement {
        /// True when the backend took part of the push, or will not take it as it is.
        var isHeard: Bool { settled > 0 || !untold.isEmpty || !uncertain.isEmpty }
        /// Places of those that were sent before.
        var again: Set<Int64> = []
        var settled = 0
        var notices: [SyncNotice] = []
        /// In conflict with a state that was not told.
        var untold: [Mutation] = []
        /// Taken, but the record may have moved on since.
        var uncertain: [Mutation] = []
        /// What was told of those whose base did not move meanwhile.
        var answers: [Int64: (version: JSONValue?, record: JSONObject?)] = [:]
        var refusedAuth: String?
        /// Records of which others heard while the push was on its way, by model.
        var heard: [String: Set<RecordID>] = [:]

        /// Not taken now: but one that was sent before may have been taken then.
        func stateOfUntaken(_ mutation: Mutation) -> Mutation.State {
            again.contains(mutation.seq) ? .unknown : .queued
        }
    }

    private func settle(
        _ mutation: Mutation, _ verdict: PushOutcome?, _ asked: Vantage,
        _ outcome: inout Settlement
    ) throws(StoreError) {
        var state: RecordState?
        if let model = model(mutation.model) { state = try outbox.state(of: model, mutation.id) }
        guard var present = try sending(mutation, in: state) else { return }
        switch heeded(verdict, present) {
        case .ok(let version, let record, let assigned):
            // A repeated answer may be as old as the first sending, and what was known then too.
            var isOld = outcome.again.contains(present.seq)
            var isNews = try isNews(of: present, state, asked, &outcome)
            if sabotage(.trustRepeatedAnswer) { (isOld, isNews) = (false, true) }
            if let assigned, try isKnown(assigned, of: present, isOld, outcome) { isNews = false }
            if isOld || !isNews {
                present.state = .unknown
                try store.updateMutation(present)
                if isNews { outcome.answers[present.seq] = (version, record) }
                return outcome.uncertain.append(try renamed(present, assigned))
            }
            try deliver(
                present, version: version, record: record, assigned: assigned, known: state)
            outcome.notices.append(.delivered(present))
        case .conflict(.unknown):
            present.state = .unknown
            try store.updateMutation(present)
            return outcome.untold.append(present)
        case .conflict(.record(let record, let version)):
            // What is known may be newer than what is told: then it is tried on that first.
            let told = Base(version: version, record: record)
            let known = try known(of: present)
            let isNews = try isNews(of: present, state, asked, &outcome)
            // Where a filtered pull told that this very version is gone, it only left the filter.
            let isSame = version != nil && known.version == version && known.record == nil
            outcome.notices += try conflict(present, isNews || isSame ? told : known)
        case .conflict(.gone) where sabotage(.refuseMissingDelete) && present.kind == .delete:
            let failure = Mutation.Failure(kind: "gone", message: "not found")
            outcome.notices.append(.rejected(try reject(present, failure)))
        case .conflict(.gone(let version)):
            let isNews = try isNews(of: present, state, asked, &outcome)
            outcome.notices += try conflict(
                present, isNews ? gone(present, version) : known(of: present))
        case .rejected where sabotage(.dropVerdict):
            try store.removeMutation(present.seq)
        case .rejected(let message, let code, let field):
            let failure = Mutation.Failure.verdict(code, message, field: field)
            outcome.notices.append(.rejected(try reject(present, failure)))
        case .retry where sabotage(.countRetryAsSuccess):
            try deliver(present, version: present.baseVersion, record: nil)
        case .retry(let message, let delay):
            return try hold(present, message, delay, asked, &outcome)
        case .auth(let message):
            outcome.refusedAuth = message
            present.state = outcome.stateOfUntaken(present)
            outcome.notices += try putBack(present, asked)
            return
        case nil where sabotage(.treatUnknownAsSuccess):
            try deliver(present, version: present.baseVersion, record: nil)
        case .unknown(let message): return try lose(present, "gave \(message)")
        case nil: return try lose(present, "gave no verdict")
        }
        outcome.settled += 1
    }

    /// True when the store has heard of the record under the id that the backend chose: since it was
    /// asked, or, of one that was sent before, at any time.
    private func isKnown(
        _ assigned: RecordID, of mutation: Mutation, _ isOld: Bool, _ outcome: Settlement
    ) throws(StoreError) -> Bool {
        if outcome.heard[mutation.model]?.contains(assigned) ?? false { return true }
        guard isOld, assigned != mutation.id, let model = model(mutation.model) else {
            return false
        }
        let base = try outbox.state(of: model, assigned).base
        return base.version != nil || base.record != nil
    }

    /// The mutation under the id that the backend chose: asked for by that, its record may be newer.
    private func renamed(_ mutation: Mutation, _ assigned: RecordID?) throws(StoreError) -> Mutation
    {
        guard let assigned, assigned != mutation.id, let model = model(mutation.model) else {
            return mutation
        }
        try outbox.reassign(model, mutation.id, to: assigned)
        return try store.mutation(mutation.seq) ?? mutation
    }

    /// The verdict; a conflict that tells another record than was asked about tells nothing.
    private func heeded(_ verdict: PushOutcome?, _ mutation: Mutation) -> PushOutcome? {
        guard case .conflict(.record(let record, _))? = verdict,
            let id = model(mutation.model)?.id(of: record), id != mutation.id
        else { return verdict }
        return .conflict(.unknown)
    }

    /// False when the store heard of the record while the answer was on its way: that may be newer.
    private func isNews(
        of mutation: Mutation, _ state: RecordState?, _ asked: Vantage,
        _ outcome: inout Settlement
    ) throws(StoreError) -> Bool {
        guard let state else { return true }
        if outcome.heard[mutation.model] == nil {
            outcome.heard[mutation.model] = try heardSince(asked, of: mutation.model)
        }
        if outcome.heard[mutation.model]?.contains(mutation.id) ?? false { return false }
        // What was sent once is answered once, however far back the backend's history went since.
        if !outcome.again.contains(mutation.seq) { return true }
        // A backend that knows the key repeats its first answer, also when the record moved on.
        let version = state.base.version
        return mutation.baseVersion == version || mutation.kind == .create && version == nil
    }

    /// What the store holds as the backend's word on a mutation's record.
    func known(of mutation: Mutation) throws(StoreError) -> Base {
        guard let model = model(mutation.model) else { return .absent }
        return try outbox.state(of: model, mutation.id).base
    }
}
