import JSON
import Records
import Storage
import Sync

/// One process's line to the server, with the faults that strike on it.
final class SimulatedBackend: Backend {
    let server: SimulatedServer
    let world: World
    unowned let client: SimulatedClient
    let store: Store
    /// What the process knows of the schema: in which form it is told records and tells them.
    let variant: SchemaVariant
    weak var process: SimulatedProcess?
    /// The next reply is lost.
    var losesReply = false
    private var early: (request: PullRequest, page: PullPage?, epoch: Int64)?
    /// How far events were told; nil while nobody listens.
    private var told: Int?
    /// The data set that this line was opened to.
    private var greeted: String?
    /// The one that a ping found since: until the next sync greets it, nothing else goes there.
    private var pinged: String?
    /// Keys of the present push that were sent before.
    var repeated: Set<String> = []
    /// The places in the queue of mutations that failed alone since others last passed.
    var failedAlone: Set<Int64> = []
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
        greet()
        return world.setting.capabilities
    }

    private func greet() {
        greeted = server.identity
        pinged = nil
    }

    func identity() throws(BackendError) -> String? {
        greet()
        // The first one that a store meets is its own.
        if queue({ try store.meta(.identity) }) == .some(nil) {
            client.consented.insert(server.identity)
        }
        return server.identity
    }

    func ping() throws(BackendError) {
        // A plugin that broke is started anew: the sync that follows finds out to what.
        defer { pinged = server.identity }
        try beforeRequest(to: pinged ?? greeted)
    }

    func beforeRequest() throws(BackendError) { try beforeRequest(to: greeted) }

    /// Faults that strike before the server sees anything.
    private func beforeRequest(to line: String?) throws(BackendError) {
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
        if let line, line != server.identity {
            throw BackendError(.broken, "the line was to another data set")
        }
    }

    func afterEffect() throws(BackendError) {
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
    func checkConsent() {
        guard !client.consented.contains(server.identity) else { return }
        world.violation = Violation(
            invariant: "identity", detail: "\(client.name) talks to \(server.identity)")
    }

    // MARK: Pulling

    func pull(_ request: PullRequest) throws(BackendError) -> PullPage {
        // Whoever does not know of the filter of now has begun by the one of before.
        if request.model == "Post", process?.isOutdated == true { client.hasPulledPosts = false }
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
        if world.strikes(.itemNameless, 10) { strip(&page, of: request.model) }
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

    /// An item may also come without its id.
    ///
    /// A pull of everything then has to ask for what it did not meet; any other, and what it met
    /// before, would not know of what, and backends that cannot be asked would never tell.
    private func strip(_ page: inout PullPage, of name: String) {
        guard world.setting.capabilities.hasFetch, let model = store.schema.model(name),
            queue({ try store.cursor(name)?.isFull }) == .some(true),
            let unmet = queue({
                try store.unseenCleanRecords(model, pushedSince: .max)
                    + store.unseenBases(model, pushedSince: .max)
            }),
            let known = page.records.first(where: { !$0.isDeleted && unmet.contains($0.id) })
        else { return }
        page.undecodable.append(Undecodable(id: nil, raw: "[]", reason: "it has no id"))
        page.records.removeAll { $0.id == known.id }
    }

    /// The page is made now and arrives later: by then it may be old.
    func prefetch(_ request: PullRequest) {
        guard world.draw.strikes(.pageLate, 50) else { return }
        early = (request, server.pull(request), server.epoch)
    }

    func fetch(model: String, ids: [RecordID]) throws(BackendError) -> [RemoteRecord] {
        try beforeRequest()
        // Of what a pull of everything did not meet it would hide that it is gone.
        if queue({ try store.cursor(model)?.isFull }) != .some(true),
            world.strikes(.fetchRefused, 5)
        {
            throw BackendError(.permanent, "403")
        }
        let records = ids.map { server.remote(RecordKey(model, $0)) }
        for record in records where record.isDeleted {
            process?.told.insert(RecordKey(model, record.id))
        }
        try afterEffect()
        process?.page?.arriveAgain(model, ids)
        return records.map { $0.local(variant, model) }
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
