import Records
import Sync

extension SimulatedBackend {
    func push(_ operations: [PushOperation]) throws(BackendError) -> [String: PushOutcome] {
        try push(operations) {}
    }

    func push(
        _ operations: [PushOperation], meanwhile: () -> Void
    ) throws(BackendError) -> [String: PushOutcome] {
        checkLease()
        process?.page = nil
        let operations = operations.map { $0.plain(variant) }
        repeated = client.sent.intersection(operations.map(\.key))
        for operation in operations { note(operation) }
        do throws(BackendError) {
            if world.setting["ahead"] == "yes" { meanwhile() }
            let verdicts = try answer(operations)
            notePasses(verdicts)
            return verdicts
        } catch {
            if operations.count == 1 { note(error, on: operations[0]) }
            throw error
        }
    }

    private func answer(_ operations: [PushOperation])
        throws(BackendError) -> [String: PushOutcome]
    {
        try beforeRequest()
        if server.refusesWrites(at: world.now) {
            throw BackendError(.retryable, "503 no writes")
        }
        if operations.count > 1, world.strikes(.pushTooLarge, 3) {
            throw BackendError(.tooLarge, "413")
        }
        if operations.contains(where: { server.isTooMuch($0, "huge") }) {
            throw BackendError(.tooLarge, "413 huge")
        }
        if operations.contains(where: { server.isTooMuch($0, "sick") }) {
            throw BackendError(.retryable, "500 sick")
        }
        if server.knowsKeys, world.strikes(.requestLate, 2) {
            server.delay(operations)
            throw BackendError(.retryable, "timed out")
        }
        checkConsent()
        var verdicts: [String: PushOutcome] = [:]
        for operation in operations {
            if let verdict = verdict(on: operation) { verdicts[operation.key] = verdict }
        }
        try afterEffect()
        for operation in operations { noteTold(operation, verdicts[operation.key]) }
        return verdicts
    }

    private func verdict(on operation: PushOperation) -> PushOutcome? {
        if world.strikes(.verdictRetry, 2) {
            let delay = Int64(world.draw.number(.pause, 1..<600))
            return .retry(message: "later", afterMilliseconds: delay % 2 == 0 ? delay : nil)
        }
        if world.strikes(.verdictAuth, 1) { return .auth(message: "expired") }
        var outcome = server.push(operation)
        if server.knowsKeys, world.strikes(.requestDoubled, 4) {
            outcome = server.push(operation)
        }
        noteEffect(operation)
        if case .rejected = outcome {
            client.refusals.insert(operation.key)
            // A change of schema in the same step may give it another key before anybody looks.
            if let seq = place(of: operation) { client.refused.insert(seq) }
        }
        if case .conflict(.gone) = outcome {
            process?.told.insert(RecordKey(operation.model, operation.id))
        }
        if world.strikes(.verdictMissing, 3) { return nil }
        if case .conflict = outcome, world.strikes(.conflictUntold, 30) {
            outcome = .conflict(.unknown)
        }
        return local(outcome, operation.model)
    }

    private func local(_ outcome: PushOutcome, _ model: String) -> PushOutcome {
        switch outcome {
        case .ok(let version, let record?, let assigned):
            .ok(
                version: version, record: variant.local(record: record, model),
                assignedID: assigned)
        case .conflict(.record(let record, let version)):
            .conflict(.record(variant.local(record: record, model), version: version))
        default: outcome
        }
    }
}
