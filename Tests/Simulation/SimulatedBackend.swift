import JSON
import Records
import Sync

/// One process's line to the server, with the faults the seed draws.
final class SimulatedBackend: Backend {
    private let server: SimulatedServer
    private let world: World
    /// What happens elsewhere while a request is on its way.
    private let meanwhile: () -> Void
    private let isPending: (RecordKey) -> Bool
    private var early: (PullRequest, PullPage?)?
    /// How far events were told; nil while nobody listens.
    private var told: Int?

    /// `isPending` is true while the create of a record waits in the queue.
    init(
        _ world: World, isPending: @escaping (RecordKey) -> Bool, meanwhile: @escaping () -> Void
    ) {
        self.world = world
        self.isPending = isPending
        server = world.server
        self.meanwhile = meanwhile
    }

    private func fails(_ percent: Int, _ fault: String) -> Bool {
        guard world.isFaulty, world.dice.chance(percent) else { return false }
        world.count(fault)
        return true
    }

    func capabilities() throws(BackendError) -> Capabilities { server.capabilities }

    func identity() throws(BackendError) -> String? { "simulated" }

    func ping() throws(BackendError) { try beforeRequest() }

    /// Faults that strike before the server sees anything.
    private func beforeRequest() throws(BackendError) {
        if fails(4, "request lost") { throw BackendError(.retryable, "request lost") }
        if fails(2, "5xx") { throw BackendError(.retryable, "503") }
        if fails(2, "429") {
            throw BackendError(
                .rateLimited(afterMilliseconds: world.dice.chance(50) ? 700 : nil), "429")
        }
        if fails(1, "401") { throw BackendError(.auth, "401") }
        meanwhile()
    }

    private func afterEffect() throws(BackendError) {
        meanwhile()
        if fails(5, "reply lost") { throw BackendError(.retryable, "reply lost") }
        if fails(2, "malformed reply") { throw BackendError(.broken, "malformed reply") }
    }

    func pull(_ request: PullRequest) throws(BackendError) -> PullPage {
        try beforeRequest()
        let kept = early
        early = nil
        if fails(1, "cursor refused") { throw BackendError(.cursorExpired, "cursor refused") }
        if request.limit > 1, fails(2, "page too large") { throw BackendError(.tooLarge, "413") }
        var page: PullPage?
        if let kept, kept.0 == request {
            world.count("page delayed")
            page = kept.1
        } else {
            page = server.pull(request)
        }
        try afterEffect()
        Trace.note(
            "    pull \(request.model) \(request.cursor?.serialized() ?? "") "
                + "\(page?.records.map(\.id.text) ?? []) \(page?.cursor?.serialized() ?? "")")
        guard var page else { throw BackendError(.cursorExpired, "another history") }
        if fails(3, "page doubled") { page.records += page.records }
        if !page.more, fails(3, "page cut") { page.complete = false }
        if fails(30, "record raw") { rawen(&page) }
        return page
    }

    /// What is no record of the schema may also be found by whoever reads the page.
    private func rawen(_ page: inout PullPage) {
        for record in page.records where record.record?["title"]?.integer != nil {
            page.undecodable.append(Undecodable(id: record.id, raw: "{}", reason: "title"))
            page.records.removeAll { $0.id == record.id }
        }
    }

    /// The page is made now and arrives later: by then it may be old.
    func prefetch(_ request: PullRequest) {
        if world.isFaulty, world.dice.chance(50) { early = (request, server.pull(request)) }
    }

    func fetch(model: String, ids: [RecordID]) throws(BackendError) -> [RemoteRecord] {
        try beforeRequest()
        let records = ids.map { server.remote(RecordKey(model, $0)) }
        try afterEffect()
        return records
    }

    func push(_ operations: [PushOperation]) throws(BackendError) -> [String: PushOutcome] {
        for operation in operations { checkReferences(of: operation) }
        try beforeRequest()
        if operations.count > 1, fails(3, "413") { throw BackendError(.tooLarge, "413") }
        var verdicts: [String: PushOutcome] = [:]
        for operation in operations {
            if fails(2, "retry later") {
                verdicts[operation.key] = .retry(
                    message: "later", afterMilliseconds: world.dice.chance(50) ? 300 : nil)
                continue
            }
            var outcome = server.push(operation)
            if server.setting.idempotency == .key, fails(4, "duplicate") {
                outcome = server.push(operation)
            }
            if fails(3, "verdict missing") { continue }
            if case .conflict = outcome, fails(30, "conflict untold") {
                outcome = .conflict(.unknown)
            }
            verdicts[operation.key] = outcome
        }
        try afterEffect()
        return verdicts
    }

    func subscribe(models: [String]) throws(BackendError) {
        try beforeRequest()
        told = server.stream.count
    }

    /// Events are lost, doubled, late and out of order, and say little.
    func nextEvents() throws(BackendError) -> [RemoteEvent] {
        guard let from = told else { return [] }
        if fails(5, "events cut") {
            told = nil
            throw BackendError(.retryable, "events cut")
        }
        told = server.stream.count
        if fails(5, "events gap") { return [.gap] }
        var keys = Array(server.stream[from...])
        if fails(10, "event lost"), !keys.isEmpty { keys.removeLast() }
        if fails(10, "event doubled") { keys += keys }
        if fails(10, "events reordered") { keys.reverse() }
        return keys.map { key in
            let remote = server.remote(key)
            return .changed(
                model: key.model, id: key.id, version: remote.version,
                record: world.dice.chance(50) ? remote.record : nil, deleted: remote.isDeleted,
                originKey: nil)
        }
    }

    /// What a write refers to comes before it; of one that goes again nobody knows whether it
    /// arrived before that was to be made.
    private func checkReferences(of operation: PushOperation) {
        guard world.sent.insert(operation.key).inserted else { return }
        for (field, model) in [("postID", "Post"), ("replyToID", "Comment")] {
            guard let id = operation.set[field]?.text else { continue }
            let key = RecordKey(model, RecordID(id))
            if key.id != operation.id, isPending(key) {
                world.violation = Violation(
                    invariant: "order",
                    detail: "\(operation.id) was sent before \(id), which it refers to")
            }
        }
    }
}
