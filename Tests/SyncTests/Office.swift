import JSON
import Outbox
import Records
import Storage
import Sync
import Testing

/// A store with an engine on a shelf, and short ways to write and to look.
final class Office {
    static let sdl = """
        type Post @model { id: ID! title: String body: String rating: Int
            comments: [Comment] @hasMany(references: ["postID"]) }
        type Comment @model { id: ID! text: String postID: ID
            post: Post @belongsTo(fields: ["postID"]) }
        """

    let shelf: Shelf
    let store: Store
    private(set) var engine: SyncEngine
    let clock: Clock
    var notices: [SyncNotice] { clock.notices }

    final class Clock {
        var now: Int64 = 1_700_000_000_000
        var keys = 0
        var random: UInt64 = 999
        var waited: Int64 = 0
        var notices: [SyncNotice] = []
        var isAlive = true
        var isInterrupted = false
        /// Called before each step of the store that can fail; what it throws is the step's outcome.
        var onStore: (StorePoint) throws(StoreError) -> Void = { _ in }
        var resolve: (String, JSONValue) -> MergeAnswer = { _, _ in .failed("no program") }
    }

    init(
        _ shelf: Shelf = Shelf(), settings: SyncSettings = SyncSettings(), sdl: String = Office.sdl
    ) throws {
        self.shelf = shelf
        let clock = Clock()
        self.clock = clock
        store = try Store(
            inMemory: try Schema.parse(sdl),
            options: StoreOptions(
                faults: { (point) throws(StoreError) in try clock.onStore(point) }))
        engine = Office.engine(store, shelf, settings, clock, "me")
    }

    private static func engine(
        _ store: Store, _ shelf: Shelf, _ settings: SyncSettings, _ clock: Clock, _ owner: String
    ) -> SyncEngine {
        let ports = SyncPorts(
            now: { clock.now }, random: { clock.random },
            makeKey: {
                clock.keys += 1
                return "key\(clock.keys)"
            },
            wait: { delay in
                clock.waited += delay
                clock.now += delay
                return true
            }, isInterrupted: { clock.isInterrupted }, owner: owner, pid: 7, bootID: "boot",
            isAlive: { _ in clock.isAlive }, resolve: { clock.resolve($0, $1) })
        return SyncEngine(
            store: store, backend: shelf, settings: settings, ports: ports,
            notify: { clock.notices.append($0) })
    }

    /// Another process on the same store.
    func another(_ owner: String, settings: SyncSettings = SyncSettings()) -> SyncEngine {
        Office.engine(store, shelf, settings, clock, owner)
    }

    var outbox: Outbox { engine.outbox }

    func model(_ name: String) throws -> Model { try #require(store.schema.model(name)) }

    func create(_ name: String, _ id: String, _ pairs: [(String, JSONValue)] = []) throws {
        let model = try model(name)
        let record = model.normalized(JSONObject([("id", .string(id))] + pairs))
        _ = try store.write { () throws(StoreError) in
            try outbox.create(model, RecordID(id), record, group: "g")
        }
    }

    func update(_ name: String, _ id: String, _ pairs: [(String, JSONValue)]) throws {
        let model = try model(name)
        _ = try store.write { () throws(StoreError) in
            try outbox.update(model, RecordID(id), set: JSONObject(pairs), group: "g")
        }
    }

    func delete(_ name: String, _ id: String) throws {
        let model = try model(name)
        _ = try store.write { () throws(StoreError) in
            try outbox.delete(model, RecordID(id), group: "g")
        }
    }

    @discardableResult
    func sync(_ change: (inout SyncOptions) -> Void = { _ in }) -> SyncOutcome {
        var options = SyncOptions()
        change(&options)
        var run = SyncRun(engine: engine, options: options)
        return run.run()
    }

    /// One batch, by a process that holds the lease.
    func push(_ selection: PushSelection = PushSelection()) throws -> PushStep {
        try engine.takeLease()
        return try engine.pushStep(selection)
    }

    func shown(_ name: String, _ id: String) throws -> JSONObject? {
        try store.record(try model(name), RecordID(id))?.record
    }

    func first() throws -> Mutation { try #require(try store.mutations().first) }
}
