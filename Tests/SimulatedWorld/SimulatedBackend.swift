import JSON
import Records
import Storage
import Sync

/// One process's line to the server, with the faults that strike on it.
final class SimulatedBackend: Backend {
    private let server: SimulatedServer
    private let world: World
    private unowned let client: SimulatedClient
    private let store: Store
    /// What the process knows of the schema: in which form it is told records and tells them.
    private let variant: SchemaVariant
    weak var process: SimulatedProcess?
    /// The next reply is lost.
    var losesReply = false
    private var early: (request: PullRequest, page: PullPage?, epoch: Int64)?
    /// How far events were told; nil while nobody listens.
    private var told: Int?
    /// The data set that this line was opened to.
    private var greeted: String?
    /// The server's epoch when the request began.
    private var epoch: Int64 = 0

    init(
        _ world: World, _ client: SimulatedClient, _ store: Store, _ variant: SchemaVariant
    ) {
        self.world = world
        self.client = client
        self.store = store
        self.variant = variant
        server = world.server
    }

    func capabilities() throws(BackendError) -> Capabilities {
        greeted = server.identity
        return world.setting.capabilities
    }

    func identity() throws(BackendError) -> String? {
        greeted = server.identity
        // The first one that a store meets is its own.
        if queue({ try store.meta(.identity) }) == .some(nil) {
            client.consented.insert(server.identity)
        }
        return server.identity
    }

    func ping() throws(BackendError) {
        // A plugin that broke is started anew: the sync that follows finds out to what.
        defer { if greeted != server.identity { greeted = nil } }
        try beforeRequest()
    }

    /// Faults that strike before the server sees anything.
    private func beforeRequest() throws(BackendError) {
        epoch = server.epoch
        server.arrive { world.draw.chance(.told, 50) }
        if world.strikes(.requestLost, 4) { throw BackendError(.retryable, "request lost") }
        if world.strikes(.serverError, 2) { throw BackendError(.retryable, "503") }
        if world.strikes(.rateLimited, 2) {
            let delay = Int64(world.draw.number(.pause, 1..<2_000))
            throw BackendError(
                .rateLimited(afterMilliseconds: delay % 2 == 0 ? delay : nil), "429")
        }
        if world.strikes(.unauthorized, 1) { throw BackendError(.auth, "401") }
        process?.meanwhile()
        if greeted != nil, greeted != server.identity {
            throw BackendError(.broken, "the line was to another data set")
        }
    }

    private func afterEffect() throws(BackendError) {
        defer { losesReply = false }
        process?.meanwhile()
        // A server that goes back to a backup cuts its lines.
        if epoch != server.epoch { throw BackendError(.retryable, "connection reset") }
        if world.strikes(.replyLost, 5) || losesReply {
            throw BackendError(.retryable, "reply lost")
        }
        if world.strikes(.replyMalformed, 2) { throw BackendError(.broken, "malformed reply") }
    }

    /// Nothing is sent to a data set, or taken from it, that nobody said is the right one.
    private func checkConsent() {
        guard !client.consented.contains(server.identity) else { return }
        world.violation = Violation(
            invariant: "identity", detail: "\(client.name) talks to \(server.identity)")
    }

    // MARK: Pulling

    func pull(_ request: PullRequest) throws(BackendError) -> PullPage {
        if client.processes.count > 1 {
            process?.page = queue { try PageWatch(request.model, store) } ?? nil
        }
        try beforeRequest()
        let kept = early.flatMap { $0.epoch == server.epoch ? $0 : nil }
        early = nil
        if world.strikes(.cursorRefused, 1) {
            throw BackendError(.cursorExpired, "cursor refused")
        }
        if request.limit > 1, world.strikes(.pageTooLarge, 2) {
            throw BackendError(.tooLarge, "413")
        }
        var page: PullPage?
        if let kept, kept.request == request {
            world.count(.pageLate)
            page = kept.page
        } else {
            page = server.pull(request)
        }
        try afterEffect()
        Trace.note(
            "    pull \(request.model) \(request.cursor?.serialized() ?? "") "
                + "\(page?.records.map(\.id.text) ?? []) \(page?.cursor?.serialized() ?? "")")
        guard var page else { throw BackendError(.cursorExpired, "another history") }
        process?.page?.arrive(page)
        checkConsent()
        if request.model == "Post" { client.hasPulledPosts = process?.isOutdated == false }
        for record in page.records where record.isDeleted {
            process?.told.insert(RecordKey(request.model, record.id))
        }
        if world.strikes(.pageDoubled, 3) { page.records += page.records }
        if !page.more, world.strikes(.pageCut, 3) { page.complete = false }
        if world.strikes(.recordRaw, 30) { rawen(&page) }
        page.records = page.records.map { $0.local(variant, request.model) }
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
        guard world.draw.strikes(.pageLate, 50) else { return }
        early = (request, server.pull(request), server.epoch)
    }

    func fetch(model: String, ids: [RecordID]) throws(BackendError) -> [RemoteRecord] {
        try beforeRequest()
        let records = ids.map { server.remote(RecordKey(model, $0)) }
        for record in records where record.isDeleted {
            process?.told.insert(RecordKey(model, record.id))
        }
        try afterEffect()
        process?.page?.arriveAgain(model, ids)
        return records.map { $0.local(variant, model) }
    }

    // MARK: Pushing

    func push(_ operations: [PushOperation]) throws(BackendError) -> [String: PushOutcome] {
        try push(operations) {}
    }

    func push(
        _ operations: [PushOperation], meanwhile: () -> Void
    ) throws(BackendError) -> [String: PushOutcome] {
        checkLease()
        process?.page = nil
        let operations = operations.map { $0.plain(variant) }
        for operation in operations { note(operation) }
        do throws(BackendError) {
            if world.setting["ahead"] == "yes" { meanwhile() }
            return try answer(operations)
        } catch {
            // Whoever fails alone may be found to be at fault.
            if operations.count == 1 { client.refusals.insert(operations[0].key) }
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

    // MARK: What is watched

    /// Only who holds the lease sends.
    private func checkLease() {
        guard let process else { return }
        let holder = queue { try store.lease()?.owner } ?? nil
        if holder != process.owner {
            world.violation = Violation(
                invariant: "lease",
                detail: "\(process.name) sends, the lease is \(holder ?? "nobody")'s")
        }
    }

    /// What a write refers to comes before it; of one that goes again nobody knows whether it
    /// arrived before that was to be made.
    private func note(_ operation: PushOperation) {
        let key = RecordKey(operation.model, operation.id)
        if let record = operation.record { client.posted[key, default: []].append(record) }
        guard client.sent.insert(operation.key).inserted else { return }
        for (field, model) in [("postID", "Post"), ("replyToID", "Comment")] {
            guard let id = operation.set[field]?.text else { continue }
            let parent = RecordKey(model, RecordID(id))
            if parent.id != operation.id, isPending(parent) {
                world.violation = Violation(
                    invariant: "order",
                    detail: "\(operation.id) was sent before \(id), which it refers to")
            }
            if server.assigned(of: parent) != nil, client.renamed.contains(parent) {
                world.violation = Violation(
                    invariant: "order",
                    detail: "\(operation.id) refers to \(id), which has another id by now")
            }
        }
        if operation.kind == .delete { checkChildren(of: key) }
    }

    /// True while the create of a record waits in the queue, and has not arrived either.
    private func isPending(_ key: RecordKey) -> Bool {
        if server.entries[key]?.record != nil { return false }
        return queue {
            try store.mutations(of: key).contains { $0.kind == .create && $0.state.isLive }
        }
            ?? false
    }

    /// Children that were deleted by the same command go first.
    private func checkChildren(of parent: RecordKey) {
        guard parent.model == "Post" else { return }
        let waiting = queue {
            let all = try store.mutations()
            guard let own = all.first(where: { $0.record == parent && $0.kind == .delete }) else {
                return false
            }
            return all.contains {
                $0.kind == .delete && $0.group == own.group && $0.model != "Post"
                    && $0.state.isLive && $0.was["postID"]?.text == parent.id.text
            }
        }
        if waiting ?? false {
            world.violation = Violation(
                invariant: "order", detail: "\(parent.id) was deleted before its children")
        }
    }

    /// I4: one mutation takes effect under one key.
    private func noteEffect(_ operation: PushOperation) {
        guard server.hasEffect(operation.key), server.knowsKeys else { return }
        guard let seq = place(of: operation) else { return }
        client.effects[seq, default: []].insert(operation.key)
        if let keys = client.effects[seq], keys.count > 1 {
            world.violation = Violation(
                invariant: "I4", detail: "\(operation.id) took effect under \(keys.sorted())")
        }
    }

    /// The place in the queue of what is being sent.
    private func place(of operation: PushOperation) -> Int64? {
        queue {
            try store.mutations(of: RecordKey(operation.model, operation.id))
                .first { $0.key == operation.key }?.seq
        } ?? nil
    }

    private func noteTold(_ operation: PushOperation, _ verdict: PushOutcome?) {
        let key = RecordKey(operation.model, operation.id)
        guard case .ok(let version, _, let assigned) = verdict else { return }
        if operation.kind == .delete, let version = version?.integer {
            client.toldGone[operation.key] = (key, version)
        }
        if assigned != nil { client.toldRenamed[operation.key] = key }
    }

    /// Looks into the store, which is no step of the process's own.
    private func queue<T>(_ body: () throws -> T) -> T? {
        process?.isWatched = true
        defer { process?.isWatched = false }
        do { return try body() } catch { return nil }
    }

    // MARK: Events

    func subscribe(models: [String]) throws(BackendError) {
        try beforeRequest()
        told = server.stream.count
    }

    /// Events are lost, doubled, late and out of order, and say little.
    func nextEvents() throws(BackendError) -> [RemoteEvent] {
        guard let from = told else { return [] }
        if world.strikes(.eventsCut, 5) {
            told = nil
            throw BackendError(.retryable, "events cut")
        }
        told = server.stream.count
        if world.strikes(.eventsGap, 5) { return [.gap] }
        var keys = Array(server.stream[from...])
        if keys.isEmpty { return [] }
        if world.strikes(.eventLost, 20, alike: true) { keys.removeLast() }
        if world.strikes(.eventDoubled, 20, alike: true) { keys += keys }
        if keys.count > 1, world.strikes(.eventsReordered, 20, alike: true) { keys.reverse() }
        return keys.map { key in
            let remote = server.remote(key).local(variant, key.model)
            return .changed(
                model: key.model, id: key.id, version: remote.version,
                record: world.draw.chance(.told, 50) ? remote.record : nil,
                deleted: remote.isDeleted, originKey: nil)
        }
    }
}
