import JSON
import Outbox
import Records
import Storage
import Sync

/// A satchel process: its own connection to the store, its engine, and how it comes to grief.
final class SimulatedProcess {
    let name: String
    unowned let client: SimulatedClient
    private let path: String
    let world: World
    private(set) var store: Store
    /// The schema that the store was opened with.
    private(set) var variant: SchemaVariant
    private(set) var backend: SimulatedBackend
    private(set) var engine: SyncEngine
    var background: BackgroundSync
    private(set) var owner: String
    let trouble: Trouble
    private var starts = 0
    let consent = Consent()
    /// What another process on the same store does between two transactions of this one.
    var meanwhile: () -> Void = {}
    /// Records that the backend told are deleted, in this step.
    var told: Set<RecordKey> = []
    /// True where the person agreed to many deletions in this step.
    var acceptsDeletions = false
    /// How many schemas its client had been on when it started: the store is on the last of them.
    private(set) var adopted: Int
    /// True where the configuration has changed since it started.
    var isOutdated = false
    var commits: Int { trouble.commits }
    /// True while somebody else looks into the store: nothing strikes then.
    var isWatched: Bool {
        get { trouble.isPaused }
        set { trouble.isPaused = newValue }
    }
    /// True where another process had its turn in this step.
    var wasInterleaved = false
    /// The page that was asked for last, in this step.
    var page: PageWatch?

    init(name: String, path: String, client: SimulatedClient, world: World) throws {
        self.name = name
        self.path = path
        self.client = client
        self.world = world
        let trouble = Trouble()
        self.trouble = trouble
        variant = client.variant
        adopted = client.variants.count
        store = try Self.open(path, variant, world, trouble)
        owner = "\(name)-0"
        backend = SimulatedBackend(world, client, store, variant)
        engine = Self.engine(store, backend, world, owner, name, filter: nil)
        background = Self.background(engine, backend, consent, client)
        world.alive.insert(owner)
        backend.process = self
        trouble.struck = { [unowned self] fault in
            world.count(fault)
            // The page is not taken in: what commits next is something else.
            page = nil
        }
        trouble.atBegin = { [unowned self] in
            meanwhile()
            watchPage { (watch, store) throws(StoreError) in try watch.begin(store) }
        }
        trouble.atCommitted = { [unowned self] in
            watchPage { (watch, store) throws(StoreError) in
                if let problem = try watch.end(store) {
                    world.violation =
                        world.violation ?? Violation(invariant: "swap", detail: problem)
                }
            }
        }
    }

    /// Watches the page that this process has asked for, where another one may overtake it.
    func watchPage(_ body: (inout PageWatch, Store) throws(StoreError) -> Void) {
        guard var watch = page, watch.isHere,
            let other = client.processes.first(where: { $0 !== self })
        else { return }
        other.isWatched = true
        defer { other.isWatched = false }
        // A store on another schema cannot be looked into.
        do throws(StoreError) { try body(&watch, other.store) } catch { return }
        page = watch
    }

    private static func open(
        _ path: String, _ variant: SchemaVariant, _ world: World, _ trouble: Trouble
    ) throws(StoreError) -> Store {
        try Store(
            path: path, schema: variant.schema, schemaHash: variant.hash,
            options: StoreOptions(
                busyTimeoutMilliseconds: 0, isDurable: false,
                adopt: Outbox.adopter(
                    now: { world.now }, makeKey: { "s-\(world.draw.bits(.key))" },
                    policies: world.policies(of:)),
                faults: { point throws(StoreError) in try trouble.strike(point) }))
    }

    private static func engine(
        _ store: Store, _ backend: SimulatedBackend, _ world: World, _ owner: String,
        _ name: String, filter: (text: String, filter: Filter)?
    ) -> SyncEngine {
        let ports = SyncPorts(
            now: { world.now }, random: { world.draw.bits(.jitter) },
            makeKey: { "\(name)-\(world.draw.bits(.key))" },
            wait: { delay in
                world.now += delay
                return true
            }, isInterrupted: { false }, owner: owner, pid: 1, bootID: "boot",
            isAlive: { world.alive.contains($0.owner) },
            resolve: { _, input in Resolver.answer(input, world) })
        return SyncEngine(
            store: store, backend: backend,
            settings: SyncSettings(
                filters: filter.map { ["Post": $0] } ?? [:], policies: world.policies, page: 3,
                deletionsWithoutConsent: DeletionGuard.few), ports: ports)
    }

    private static func background(
        _ engine: SyncEngine, _ backend: SimulatedBackend, _ consent: Consent,
        _ client: SimulatedClient
    ) -> BackgroundSync {
        BackgroundSync(engine: engine, backend: backend, isPaused: false) { [weak client] notice in
            switch notice {
            case .failed(.identityChanged), .failed(.deletionsRefused): consent.isWanted = true
            case .record(.doubtful): client?.hasDoubts = true
            case .failed, .network, .record, .synced: break
            }
        }
    }

    /// The process is gone and another one opens its store.
    func restart() throws {
        trouble.clear()
        page = nil
        // It may just have begun a pull by the configuration of before.
        if isOutdated { client.hasPulledPosts = false }
        isOutdated = false
        world.alive.remove(owner)
        starts += 1
        owner = "\(name)-\(starts)"
        world.alive.insert(owner)
        variant = client.variant
        adopted = client.variants.count
        store = try Self.open(path, variant, world, trouble)
        backend = SimulatedBackend(world, client, store, variant)
        backend.process = self
        engine = Self.engine(store, backend, world, owner, name, filter: try client.scope())
        consent.isWanted = false
        background = Self.background(engine, backend, consent, client)
    }

    var outbox: Outbox { engine.outbox }

    /// Runs `body` under the trouble the step draws.
    func live(_ body: () throws -> Void) throws {
        told = []
        acceptsDeletions = false
        wasInterleaved = false
        if world.draw.strikes(.crash, 6) { trouble.crash = world.draw.number(.crash, 0..<5) }
        if world.draw.strikes(.storeFull, 2) {
            trouble.failure = (world.draw.number(.storeCall, 0..<40), .full)
        } else if world.draw.strikes(.storeBusy, 2) {
            trouble.failure = (world.draw.number(.storeCall, 0..<40), .busy)
        }
        defer {
            trouble.clear()
            page = nil
        }
        do {
            try body()
        } catch let error as StoreError {
            try survive(error)
        } catch SyncError.store(let error) {
            try survive(error)
        }
    }

    private func survive(_ error: StoreError) throws {
        switch error.kind {
        case .closed, .newer: try restart()
        case .full, .busy: return
        default: throw error
        }
    }
}

// A session that lasts.
extension SimulatedProcess {
    /// What the session asked the person.
    final class Consent {
        var isWanted = false
    }

    var needsLogin: Bool { background.monitor.state == .needsAuth }

    func logIn() { background.receive(.loggedIn) }

    func turn() throws(StoreError) {
        background.turn()
        // The session tells what went wrong and goes on; one that was killed does not.
        if trouble.isGone { throw StoreError(.closed, "killed") }
    }

    /// When the session wants its next turn: events are looked for once a second.
    var nextTurn: Int64 {
        let earliest = world.now + (background.isListening ? 1_000 : 1)
        return max(earliest, background.wakeAt ?? world.now + 60_000)
    }
}
