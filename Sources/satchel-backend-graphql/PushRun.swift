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
        /// The record is looked at before it is written to.
        var looks = false
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
            running[client.begin(look)] = Sent(place: place, verb: .update, root: "", looks: true)
            return
        }
        try send(place, plan)
    }

    private mutating func send(
        _ place: Int, _ plan: any WritePlan
    ) throws(PluginError) {
        switch plan.request(for: operations[place]) {
        case .settled(let verdict):
            busy.remove(operations[place].target)
            try settle(place, verdict)
        case .send(let request, let verb):
            busy.insert(operations[place].target)
            running[client.begin(request)] = Sent(
                place: place, verb: verb, root: request.document.root)
        }
    }

    private mutating func settle(_ place: Int, _ told: PluginVerdict?) throws(PluginError) {
        var verdict = told
        if verdict == nil {
            verdict = try plan(operations[place].model).verdict(onLost: operations[place])
        }
        verdicts[place] = verdict
        switch verdict {
        case nil: hasUnknown = true
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
                return try send(sent.place, plan)
            }
            try settle(sent.place, verdict)
        case .success(let answer):
            let verdict = plan.verdict(on: operation, sent.verb, answer, root: sent.root)
            try settle(sent.place, verdict)
        case .failure(let failure):
            try fail(sent, failure)
        }
        busy.remove(operation.target)
    }

    /// A request failed as a whole: what that says of its operation, and of those not sent yet.
    private mutating func fail(
        _ sent: Sent, _ failure: Reply.Failure
    ) throws(PluginError) {
        let error = failure.error
        switch error.kind {
        case .tooLarge where !failure.isWithoutEffect:
            // It was the answer that is too large: whether it was done is not known.
            return try settle(sent.place, sent.looks ? .conflictUnseen(version: nil) : nil)
        case .tooLarge:
            return try settle(
                sent.place, .rejected(message: error.message, code: "too_large"))
        case .permanent where !failure.isWithoutEffect:
            return try settle(sent.place, sent.looks ? .conflictUnseen(version: nil) : nil)
        case .permanent, .unsupported, .cursorExpired:
            return try settle(sent.place, .rejected(message: error.message, code: "server"))
        case .auth, .retryable, .rateLimited, .cancelled: break
        }
        // A later refusal says more than a broken connection.
        if halt == nil || halt?.kind == .retryable { halt = error }
        try settle(sent.place, failure.isWithoutEffect || sent.looks ? later(error) : nil)
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
