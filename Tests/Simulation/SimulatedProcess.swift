import JSON
import Outbox
import Records
import Storage
import Sync

/// A satchel process: its own connection to the store, its engine, and how it comes to grief.
final class SimulatedProcess {
    let name: String
    private let path: String
    private let world: World
    private(set) var store: Store
    private(set) var engine: SyncEngine
    private(set) var background: BackgroundSync
    private var owner: String
    private let trouble: Trouble
    /// What another process on the same store does between two transactions of this one.
    var meanwhile: () -> Void = {}

    /// Strikes at a boundary of a transaction, or at a call of the store.
    final class Trouble {
        /// Commit boundaries until the process is gone.
        var crash: Int?
        /// Store calls until one fails.
        var failure: (left: Int, kind: StoreError.Kind)?
        var atBegin: () -> Void = {}

        func strike(_ point: StorePoint) throws(StoreError) {
            if point == .begin { atBegin() }
            if point != .committed, let (left, kind) = failure {
                failure = left > 0 ? (left - 1, kind) : nil
                if left == 0 { throw StoreError(kind, "simulated") }
            }
            guard point == .commit || point == .committed, let left = crash else { return }
            if left > 0 {
                crash = left - 1
                return
            }
            throw StoreError(.closed, "killed")
        }
    }

    init(name: String, path: String, world: World) throws {
        self.name = name
        self.path = path
        self.world = world
        let trouble = Trouble()
        self.trouble = trouble
        store = try Self.open(path, world, trouble)
        owner = "\(name)-0"
        var me: () -> Void = {}
        engine = Self.engine(store, world, owner, name) { me() }
        background = BackgroundSync(
            engine: engine,
            backend: SimulatedBackend(world, isPending: { _ in false }, meanwhile: {}),
            isPaused: false,
            notify: { _ in })
        world.alive.insert(owner)
        me = { [unowned self] in meanwhile() }
        trouble.atBegin = { [unowned self] in meanwhile() }
    }

    private static func open(_ path: String, _ world: World, _ trouble: Trouble)
        throws(StoreError) -> Store
    {
        try Store(
            path: path, schema: world.schema, schemaHash: "simulation",
            options: StoreOptions(
                busyTimeoutMilliseconds: 0, isDurable: false,
                faults: { point throws(StoreError) in try trouble.strike(point) }))
    }

    private static func engine(
        _ store: Store, _ world: World, _ owner: String, _ name: String,
        _ meanwhile: @escaping () -> Void
    ) -> SyncEngine {
        let ports = SyncPorts(
            now: { world.now }, random: { world.dice.next() },
            makeKey: { "\(name)-\(world.dice.next())" },
            wait: { delay in
                world.now += delay
                return true
            }, isInterrupted: { false }, owner: owner, pid: 1, bootID: "boot",
            isAlive: { world.alive.contains($0.owner) })
        return SyncEngine(
            store: store,
            backend: SimulatedBackend(
                world, isPending: { isPending($0, store) }, meanwhile: meanwhile),
            settings: SyncSettings(
                policies: world.setting.policies, page: 3), ports: ports)
    }

    private static func isPending(_ key: RecordKey, _ store: Store) -> Bool {
        do {
            return try store.mutations(of: key).contains { $0.kind == .create && $0.state.isLive }
        } catch {
            return false
        }
    }

    /// The process is gone and another one opens its store.
    func restart() throws {
        trouble.crash = nil
        trouble.failure = nil
        world.alive.remove(owner)
        owner = "\(name)-\(world.dice.next())"
        world.alive.insert(owner)
        store = try Self.open(path, world, trouble)
        engine = Self.engine(store, world, owner, name) { [unowned self] in meanwhile() }
        background = BackgroundSync(
            engine: engine,
            backend: SimulatedBackend(world, isPending: { _ in false }, meanwhile: {}),
            isPaused: false,
            notify: { _ in })
    }

    func turn() { background.turn() }

    var outbox: Outbox { engine.outbox }

    /// Runs `body` under the trouble the seed draws.
    func live(_ body: () throws -> Void) throws {
        if world.isFaulty, world.dice.chance(6) {
            trouble.crash = world.dice.number(0..<5)
            world.count("crash")
        }
        if world.isFaulty, world.dice.chance(4) {
            let kind: StoreError.Kind = world.dice.chance(50) ? .full : .busy
            trouble.failure = (world.dice.number(0..<40), kind)
            world.count(kind == .full ? "disk full" : "store busy")
        }
        defer {
            trouble.crash = nil
            trouble.failure = nil
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
        case .closed: try restart()
        case .full, .busy: return
        default: throw error
        }
    }
}
