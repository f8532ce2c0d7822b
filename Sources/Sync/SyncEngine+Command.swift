internal import JSON
internal import Outbox
internal import Records
internal import Storage

extension SyncEngine {
    /// Lets the programs that the merge policies name decide what waits for them.
    ///
    /// No transaction is open while a program runs. A record that moved on meanwhile is asked about
    /// anew; one that its program could not decide waits for a person, and holds up no other.
    ///
    /// - Returns: How many were decided.
    func resolveByCommand() throws(SyncError) -> Int {
        guard let resolve = ports.resolve else { return 0 }
        let waiting = try stored { () throws(StoreError) in
            try store.mutations(states: [.conflict]).filter(\.waitsForProgram)
        }
        var decided = 0
        for mutation in waiting {
            if ports.isInterrupted() { return decided }
            if try decide(mutation, resolve) { decided += 1 }
        }
        return decided
    }

    private func decide(
        _ waiting: Mutation, _ resolve: (String, JSONValue) -> MergeAnswer
    ) throws(SyncError) -> Bool {
        guard let model = model(waiting.model) else { return false }
        var mutation = waiting
        // One that keeps moving is left to the next sync.
        for _ in 1...3 {
            let question = try stored { () throws(StoreError) in
                try MergeQuestion(mutation, known(of: mutation), settings.policies(of: model.name))
            }
            guard let question else { return false }
            let verdict = question.ask(resolve, model, store.schema)
            let outcome = try stored { () throws(StoreError) in
                try store.write { () throws(StoreError) -> Taken in
                    let now = try store.mutation(mutation.seq)
                    guard now == mutation, try known(of: mutation) == question.ground else {
                        return .moved(now)
                    }
                    return try take(verdict, mutation, model)
                }
            }
            switch outcome {
            case .decided: return true
            case .left(let reason):
                if let reason { notify(.undecided(mutation.record, reason: reason)) }
                return false
            case .moved(let now?) where now.waitsForProgram: mutation = now
            case .moved: return false
            }
        }
        return false
    }

    /// What became of a verdict.
    private enum Taken {
        case decided
        /// The conflict stays; the reason, where it is new.
        case left(String?)
        /// The record is another one than was asked about.
        case moved(Mutation?)
    }

    private func take(_ verdict: MergeVerdict, _ mutation: Mutation, _ model: Model)
        throws(StoreError) -> Taken
    {
        var parked = mutation
        switch verdict {
        case .values(let values):
            let outcome = try outbox.resolve(
                model, mutation.id, mutation.seq, as: .values(values),
                policies: settings.policies(of: model.name), group: mutation.group)
            if outcome == .done { return .decided }
            parked.failure?.kind = "field"
            if case .refused(let reason) = outcome { parked.failure?.message = reason }
        case .undecided(let reason):
            parked.failure?.kind = "field"
            parked.failure?.message =
                "\(reason); mend it and let it try again: queue retry \(mutation.seq), or decide: "
                + "conflicts resolve \(mutation.model) \(mutation.id)"
        case .unasked(let reason):
            parked.failure?.message = reason
        }
        if parked == mutation { return .left(nil) }
        try store.updateMutation(parked)
        return .left(parked.failure?.message)
    }
}

extension Mutation {
    fileprivate var waitsForProgram: Bool {
        state == .conflict && failure?.kind == Rebase.commandKind
    }
}
