internal import JSON
package import PluginKit
internal import Records

/// A push under way: operations of one record in their order, others side by side.
struct PushRun {
    private let operations: [PluginOperation]
    private let client: GraphQLClient
    private let bound: Int
    private let plan: (String) throws(PluginError) -> any WritePlan
    private var verdicts: [PluginVerdict?]
    /// Places of operations that are not sent yet.
    private var waiting: [Int]
    private var running: [Int: Sent] = [:]
    private var busy: Set<RecordKey> = []
    /// Why nothing more is sent.
    private var halt: PluginError?
    /// An operation was sent whose outcome nobody told.
    private var hasUnknown = false
    private var hasVerdict = false
    /// Nothing more is sent: the host wants an answer.
    private var isEnding = false

    private struct Sent {
        let place: Int
        let verb: ModelPlan.Write
        let root: String
        var stage = Stage.write

        /// The record is looked at before it is written to.
        var looks: Bool { stage == .before }
    }

    private enum Stage: Equatable {
        /// The record is looked at before it is written to.
        case before
        case write
        /// It is looked at since the answer, which came to this, does not tell enough.
        case after(PluginVerdict?)
        /// It is written once more, with another base.
        case again
    }

    init(
        _ operations: [PluginOperation], _ client: GraphQLClient, atOnce bound: Int,
        plan: @escaping (String) throws(PluginError) -> any WritePlan
    ) {
        self.operations = operations
        self.client = client
        self.bound = bound
        self.plan = plan
        verdicts = Array(repeating: nil, count: operations.count)
        waiting = Array(operations.indices)
    }

    /// Operations there are.
    var count: Int { operations.count }

    /// Sends everything and waits for the verdicts.
    ///
    /// Once `beat` says false nothing more is sent, and what was not sent is for later; once it
    /// throws, what has no answer yet has none.
    ///
    /// - Throws: Why nothing at all was done.
    mutating func run(
        _ beat: (_ done: Int) throws(PluginError) -> Bool
    ) throws(PluginError) -> [PluginVerdict?] {
        while true {
            while halt == nil, !isEnding, running.count < bound, let place = nextPlace() {
                try start(place)
            }
            guard !running.isEmpty else { break }
            let done = operations.count - waiting.count - running.count
            var goesOn = true
            let next: (ticket: Int, outcome: GraphQLClient.Outcome)?
            do throws(PluginError) {
                goesOn = try beat(done)
                next = try client.next { () throws(PluginError) in
                    goesOn = try beat(done) && goesOn
                }
            } catch {
                isEnding = true
                break
            }
            isEnding = isEnding || !goesOn
            guard let (ticket, outcome) = next else { break }
            guard let sent = running.removeValue(forKey: ticket) else { continue }
            try take(outcome, sent)
        }
        // What has no answer yet has none.
        for sent in running.values where !sent.looks {
            verdicts[sent.place] = try plan(operations[sent.place].model)
                .verdict(onLost: operations[sent.place])
            if case .after(let verdict) = sent.stage { verdicts[sent.place] = verdict }
        }
        if isEnding {
            for place in waiting {
                verdicts[place] = .retry(message: "it was not sent yet", afterMilliseconds: 0)
            }
        }
        if let halt {
            let isRetryable = halt.kind == .retryable
            if !hasVerdict, isRetryable || !hasUnknown { throw halt }
            for place in waiting { verdicts[place] = later(halt) }
        }
        return verdicts
    }

    /// The first operation whose record none is on its way of.
    private func nextPlace() -> Int? {
        var passed: Set<RecordKey> = []
        for place in waiting {
            let key = operations[place].target
            if !busy.contains(key), !passed.contains(key) { return place }
            passed.insert(key)
            if passed.count > bound * 4 { return nil }
        }
        return nil
    }

    private mutating func start(_ place: Int) throws(PluginError) {
        let operation = operations[place]
        waiting.removeAll { $0 == place }
        let plan = try plan(operation.model)
        if plan.mustLookFirst(operation), let look = plan.look(at: operation) {
            busy.insert(operation.target)
            running[client.begin(look)] = Sent(
                place: place, verb: .update, root: "", stage: .before)
            return
        }
        try send(place, operation, plan)
    }

    private mutating func send(
        _ place: Int, _ operation: PluginOperation, _ plan: any WritePlan, _ stage: Stage = .write
    ) throws(PluginError) {
        switch plan.request(for: operation) {
        case .settled(let verdict):
            busy.remove(operation.target)
            try settle(place, stage == .again ? verdict.onTombstone(operation.id) : verdict)
        case .send(let request, let verb):
            busy.insert(operation.target)
            running[client.begin(request)] = Sent(
                place: place, verb: verb, root: request.document.root, stage: stage)
        }
    }

    private mutating func settle(_ place: Int, _ told: PluginVerdict?) throws(PluginError) {
        var verdict = told
        switch told {
        case nil, .unknown:
            let lost = try plan(operations[place].model).verdict(onLost: operations[place])
            if let lost { verdict = lost }
        default: break
        }
        verdicts[place] = verdict
        switch verdict {
        case nil, .unknown: hasUnknown = true
        case .retry, .auth: break
        case .ok, .conflict, .conflictUnseen, .rejected: hasVerdict = true
        }
    }

    private mutating func take(
        _ outcome: GraphQLClient.Outcome, _ sent: Sent
    ) throws(PluginError) {
        let operation = operations[sent.place]
        let plan = try plan(operation.model)
        switch outcome {
        case .success(let answer) where sent.looks:
            guard let verdict = plan.objection(to: operation, answer) else {
                return try send(sent.place, operation, plan)
            }
            try settle(sent.place, verdict)
        case .success(let answer):
            if try read(answer, sent, operation, plan) { return }
        case .failure(let failure):
            try fail(sent, failure)
        }
        busy.remove(operation.target)
    }

    /// Takes in the answer to a write, or to the look after it.
    ///
    /// - Returns: True where something else is on its way for it.
    private mutating func read(
        _ answer: GraphQLAnswer, _ sent: Sent, _ operation: PluginOperation, _ plan: any WritePlan
    ) throws(PluginError) -> Bool {
        if case .after(let verdict) = sent.stage {
            switch plan.outcome(of: operation, sent.verb, verdict, seeing: answer) {
            case .settled(let verdict): try settle(sent.place, verdict)
            case .again(let again):
                try send(sent.place, again, plan, .again)
                return busy.contains(operation.target)
            }
            return false
        }
        let verdict = plan.verdict(on: operation, sent.verb, answer, root: sent.root)
        if sent.stage == .again {
            try settle(sent.place, verdict?.onTombstone(operation.id))
        } else if plan.mustLookAfter(operation, answer, root: sent.root),
            let look = plan.look(at: operation)
        {
            running[client.begin(look)] = Sent(
                place: sent.place, verb: sent.verb, root: sent.root, stage: .after(verdict))
            return true
        } else {
            try settle(sent.place, verdict)
        }
        return false
    }

    /// A request failed as a whole: what that says of its operation, and of those not sent yet.
    private mutating func fail(
        _ sent: Sent, _ failure: Reply.Failure
    ) throws(PluginError) {
        let error = failure.error
        if case .after(let verdict) = sent.stage {
            switch error.kind {
            case .auth, .retryable, .rateLimited, .cancelled: halt = halt ?? error
            case .permanent, .unsupported, .cursorExpired, .tooLarge: break
            }
            return try settle(sent.place, verdict)
        }
        let unknown = PluginVerdict.unknown(message: error.message)
        switch error.kind {
        case .tooLarge where !failure.isWithoutEffect:
            // It was the answer that is too large: whether it was done is not known.
            return try settle(sent.place, sent.looks ? .conflictUnseen(version: nil) : unknown)
        case .tooLarge:
            return try settle(
                sent.place, .rejected(message: error.message, code: "too_large"))
        case .permanent where !failure.isWithoutEffect:
            return try settle(sent.place, sent.looks ? .conflictUnseen(version: nil) : unknown)
        case .permanent, .unsupported, .cursorExpired:
            return try settle(sent.place, .rejected(message: error.message, code: "server"))
        case .auth, .retryable, .rateLimited, .cancelled: break
        }
        // A later refusal says more than a broken connection.
        if halt == nil || halt?.kind == .retryable { halt = error }
        try settle(sent.place, failure.isWithoutEffect || sent.looks ? later(error) : unknown)
    }

    private func later(_ error: PluginError) -> PluginVerdict {
        switch error.kind {
        case .auth: .auth(message: error.message)
        case .rateLimited(let delay): .retry(message: error.message, afterMilliseconds: delay)
        default: .retry(message: error.message)
        }
    }
}

extension PluginOperation {
    /// The record it is about.
    fileprivate var target: RecordKey { RecordKey(model, id) }
}

extension ModelPlan {
    /// What stands against a write that the server cannot judge by itself; nil when nothing does.
    package func objection(
        to operation: PluginOperation, _ answer: GraphQLAnswer
    ) -> PluginVerdict? {
        guard answer.errors.isEmpty else { return .conflictUnseen(version: nil) }
        guard let result = answer.value(at: ["r0"]) else {
            if operation.kind == .delete { return .ok(version: nil, record: nil) }
            return .conflict(version: nil, record: nil)
        }
        guard case .record(_, let version, let record) = item(result) else {
            return .conflictUnseen(version: nil)
        }
        return version == operation.baseVersion
            ? nil : .conflict(version: version, record: record)
    }
}
