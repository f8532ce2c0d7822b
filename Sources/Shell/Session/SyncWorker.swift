internal import Outbox
internal import Platform
internal import Plugins
internal import Records
internal import Storage
internal import Sync
internal import Synchronization

/// Syncs in the background while a session lasts, on a thread with a store of its own.
///
/// The plugin is started once and kept; whole syncs that a person asks for run here as well.
final class SyncWorker: Sendable {
    /// What the thread needs to make its own store and backend.
    struct Recipe: Sendable {
        var backend: BackendRecipe
        var settings: SyncSettings
        var schema: Schema
        var schemaHash: String
        var storePath: String
        var clock: Clock
        var identifiers: Identifiers
        var isPaused: Bool
        /// False: only what is asked for is synced.
        var isAutomatic: Bool
        var merging: MergeProgram
        var afterSync: AfterSync?
        /// Sees logins since the backend's secrets were read.
        var login: LoginWatch
        var says: Sayings
    }

    /// Called on the thread.
    struct Sayings: Sendable {
        /// With what went wrong beside a sync.
        var warn: @Sendable (String) -> Void
        /// With what only whoever looks closely wants to know.
        var detail: @Sendable (String) -> Void = { _ in }
        /// When somebody logged in while a login is missing: a plugin gets its secrets when it is
        /// started, so another worker has to take over.
        var loggedIn: @Sendable () -> Void
    }

    private enum Order: Sendable {
        case wake
        case event(NetworkMonitor.Event)
        case sync(SyncOptions, Ticket)
        case stop
    }

    /// One sync somebody waits for.
    private final class Ticket: Sendable {
        let reply: Mailbox<SyncOutcome>
        private let abandoned = Atomic(false)

        init() throws(SystemError) { reply = try Mailbox() }

        var isAbandoned: Bool { abandoned.load(ordering: .acquiring) }
        func abandon() { abandoned.store(true, ordering: .releasing) }
    }

    private let orders: Mailbox<Order>
    private let interrupt: Interrupt
    private let tell: @Sendable (BackgroundSync.Notice) -> Void
    private let state = Mutex<NetworkMonitor.State>(.unknown)
    private let stopped: Mailbox<Void>
    private let isStopping = Atomic(false)
    private let isLoginUnread = Atomic(false)

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - recipe: What the thread works with.
    ///   - tell: Called on that thread with what a person should hear of.
    /// - Throws: When the system has no thread or descriptor left.
    init(
        _ recipe: Recipe, tell: @escaping @Sendable (BackgroundSync.Notice) -> Void
    ) throws(SystemError) {
        orders = try Mailbox()
        stopped = try Mailbox()
        interrupt = try Interrupt()
        self.tell = tell
        try Worker.start { [self] in
            work(recipe)
            stopped.put(())
        }.detach()
    }

    /// The state of the network as it is known.
    var network: NetworkMonitor.State { state.withLock { $0 } }

    /// Something was queued.
    func wake() { orders.put(.wake) }

    /// Who was told of a login could not read what came with it yet: it is told again a moment later.
    func tellLoginAgain() { isLoginUnread.store(true, ordering: .releasing) }

    func setPaused(_ isPaused: Bool) { orders.put(.event(isPaused ? .paused : .resumed)) }

    /// Runs one whole sync and waits for it; gives up when `interrupt` is raised.
    func run(_ options: SyncOptions, _ interrupt: Interrupt) throws(ShellError) -> SyncOutcome {
        let ticket: Ticket
        do throws(SystemError) { ticket = try Ticket() } catch { throw ShellError(error) }
        orders.put(.sync(options, ticket))
        if let outcome = ticket.reply.take(within: -1, interrupt: interrupt) { return outcome }
        // Before the raise: one that has not begun never will.
        ticket.abandon()
        self.interrupt.raise()
        throw ShellError(.interrupted, "interrupted: what was sent is settled by the next sync")
    }

    /// Ends the thread and its plugin, waiting a bounded time.
    func stop() {
        // Before the raise, which the thread may take for the end of one sync.
        isStopping.store(true, ordering: .releasing)
        orders.put(.stop)
        interrupt.raise()
        _ = stopped.take(within: 5_000)
    }
}

// MARK: - On the thread

extension SyncWorker {
    private func work(_ recipe: Recipe) {
        let teardown: Teardown
        do throws(SystemError) { teardown = try Teardown() } catch {
            return tell(.failed(.store(StoreError(.misuse, error.message))))
        }
        let backend = recipe.backend.make(teardown, interrupt, cancelGrace: 0)
        defer {
            backend.close()
            teardown.wait()
        }
        let store: Store
        let interrupt = interrupt
        do throws(StoreError) {
            store = try Store(
                path: recipe.storePath, schema: recipe.schema, schemaHash: recipe.schemaHash,
                options: StoreOptions(
                    busyTimeoutMilliseconds: 30_000, isInterrupted: { interrupt.isRaised },
                    adopt: Outbox.adopter(
                        now: recipe.clock.now, makeKey: recipe.identifiers.next,
                        policies: recipe.settings.policies(of:))))
        } catch {
            return tell(.failed(.store(error)))
        }
        let engine = SyncEngine(
            store: store, backend: backend, settings: recipe.settings,
            ports: .real(
                recipe.clock, recipe.identifiers, interrupt, merging: recipe.merging))
        // Each pull meets the same refusal anew; it is news once.
        var refused: [String: String] = [:]
        var background = BackgroundSync(
            engine: engine, backend: backend, isPaused: recipe.isPaused || !recipe.isAutomatic,
            notify: { [self] notice in
                if case .network(let state) = notice { self.state.withLock { $0 = state } }
                if case .record(.modelRefused(let model, let reason)) = notice {
                    guard refused.updateValue(reason, forKey: model) != reason else { return }
                }
                if case .record(let record) = notice {
                    tell(.record(record.masked(by: recipe.backend.masker)))
                } else {
                    tell(notice)
                }
                if case .record(let record) = notice,
                    let loss = CascadeLoss(notice: record, in: store)
                {
                    recipe.says.warn(loss.text)
                }
            })
        var told = Told(recipe)
        var login = recipe.login
        var interfaces = Interfaces(
            isWatching: recipe.isAutomatic, clock: recipe.clock, detail: recipe.says.detail)
        var asked = AskedToWait(recipe)
        var network = KeptNetwork()
        told.begin(store)
        while true {
            // A raise ended what was under way, and no more than that.
            interrupt.reset()
            if isStopping.load(ordering: .acquiring) { return }
            if recipe.isAutomatic {
                if interfaces.haveChanged() {
                    recipe.says.detail("a network interface changed: the backend is asked")
                    background.receive(.interfaceChanged)
                }
                background.turn()
                do throws(StoreError) { try network.keep(background.monitor, in: store) } catch {
                    recipe.says.detail(error.message)
                }
            }
            asked.tell(store)
            told.tell(engine.store, interrupt)
            let needsLogin = background.monitor.state == .needsAuth
            if needsLogin {
                let isUnread = isLoginUnread.exchange(false, ordering: .acquiring)
                if login.isNew() || isUnread { recipe.says.loggedIn() }
            }
            let order = next(
                background, backend, recipe, interfaces.pending,
                within: needsLogin ? LoginWatch.interval : -1)
            if let order, !obey(order, &background, engine, recipe, &told) { return }
        }
    }

    /// The next order; nil when there is something else to be done.
    private func next(
        _ background: BackgroundSync, _ backend: PluginBackend, _ recipe: Recipe,
        _ interfaces: (descriptors: [Int32], milliseconds: Int64), within bound: Int64
    ) -> Order? {
        var waits = [interfaces.milliseconds, bound]
        var descriptors = interfaces.descriptors
        if recipe.isAutomatic {
            if let wakeAt = background.wakeAt { waits.append(max(wakeAt - recipe.clock.now(), 0)) }
            // What the backend says by itself is looked at when it comes.
            if background.isListening, let events = backend.eventDescriptor {
                descriptors.append(events)
            }
        }
        return orders.take(within: waits.filter { $0 >= 0 }.min() ?? -1, or: descriptors)
    }

    /// - Returns: False where the thread is to end.
    private func obey(
        _ order: Order, _ background: inout BackgroundSync, _ engine: SyncEngine,
        _ recipe: Recipe, _ told: inout Told
    ) -> Bool {
        switch order {
        case .stop: return false
        case .wake: break
        case .event(let event): if recipe.isAutomatic { background.receive(event) }
        case .sync(let options, let ticket):
            if ticket.isAbandoned { break }
            var run = SyncRun(engine: engine, options: options)
            let outcome = run.run()
            told.tell(engine.store, interrupt)
            ticket.reply.put(outcome)
            if recipe.isAutomatic { background.heard(outcome) }
        }
        return true
    }
}

/// How far the hook `after_sync` has been told.
private struct Told {
    private let hook: AfterSync?
    private let warn: @Sendable (String) -> Void
    private var place: Int64 = 0

    init(_ recipe: SyncWorker.Recipe) {
        hook = recipe.afterSync
        warn = recipe.says.warn
    }

    mutating func begin(_ store: Store) {
        guard hook != nil else { return }
        do throws(StoreError) { place = try store.lastChangeSeq() } catch { warn(error.message) }
    }

    mutating func tell(_ store: Store, _ interrupt: Interrupt) {
        guard let problem = hook?.tell(store, since: &place, interrupt) else { return }
        warn(problem)
    }
}
