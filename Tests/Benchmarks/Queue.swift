import JSON
import Outbox
import Platform
import Records
import Storage
import Sync

/// A store on the disk with an outbox that is filled and measured.
final class Queue {
    private let store: Store
    private let outbox: Outbox
    private let engine: SyncEngine
    private let backend = InstantBackend()
    private let model: Model
    private var made = 0
    private var cleanCount = 0

    init(path: String) throws {
        let schema = try Schema.parse(QueueBenchmark.sdl)
        store = try Store(path: path, schema: schema, schemaHash: "benchmark")
        model = schema.models[0]
        let keys = Keys()
        let makeKey = { keys.next() }
        outbox = Outbox(store: store, now: Clock.system.now, makeKey: makeKey)
        engine = SyncEngine(
            store: store, backend: backend, settings: SyncSettings(),
            ports: SyncPorts(
                now: Clock.system.now, random: { 0 }, makeKey: makeKey, wait: { _ in true },
                isInterrupted: { false }, owner: "benchmark", pid: Machine.processID,
                bootID: "boot", isAlive: { _ in true }))
    }

    /// Texts as long as UUIDs, later for a greater number.
    static func identifier(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "018bcfe5-687b-7000-" + String(repeating: "0", count: 17 - digits.count) + digits
    }

    private func createOne() throws(StoreError) {
        let id = Queue.identifier(made)
        let record = model.normalized(
            JSONObject([
                ("id", .string(id)), ("title", .string("Post \(made) about rain")),
                ("rating", .int(Int64(made % 6))), ("status", "DRAFT"),
                ("views", .int(Int64(made))), ("created", "2024-05-06T07:08:09Z"),
            ]))
        made += 1
        _ = try outbox.create(model, RecordID(id), record, group: "g\(made / 100)")
    }

    /// Queues creates, and as many clean records that no mutation is of.
    func fill(_ count: Int) throws {
        for start in stride(from: 0, to: count, by: 5_000) {
            try store.write { () throws(StoreError) in
                for number in start..<min(start + 5_000, count) {
                    try createOne()
                    let id = RecordID("clean-\(number)")
                    let record = JSONObject([("id", .string("clean-\(number)")), ("title", "t")])
                    try store.putRecord(model, id, model.normalized(record), version: 1)
                }
            }
        }
        cleanCount = count
    }

    /// Microseconds inside a transaction that makes `count` creates; they are taken back after.
    func creates(_ count: Int) throws -> Double {
        let first = made
        let taken = try written { () throws(StoreError) in
            for _ in 0..<count { try createOne() }
        }
        try store.write { () throws(StoreError) in
            for number in first..<first + count {
                _ = try outbox.delete(model, RecordID(Queue.identifier(number)), group: "d")
            }
        }
        return taken
    }

    /// Microseconds inside a transaction that updates `count` clean records; they are set back
    /// after.
    func updates(_ count: Int) throws -> Double {
        let taken = try written { () throws(StoreError) in
            for turn in 0..<count { try retitle(turn, "changed \(turn)") }
        }
        try store.write { () throws(StoreError) in
            for turn in 0..<count { try retitle(turn, "t") }
        }
        return taken
    }

    private func retitle(_ turn: Int, _ title: String) throws(StoreError) {
        let id = RecordID("clean-\((turn &* 7_919) % cleanCount)")
        _ = try outbox.update(
            model, id, set: JSONObject([("title", .string(title))]), group: "u")
    }

    private func written(_ work: () throws(StoreError) -> Void) throws -> Double {
        try store.write { () throws(StoreError) -> Double in
            let begun = ContinuousClock().now
            try work()
            return (ContinuousClock().now - begun) / .microseconds(1)
        }
    }

    /// Microseconds to find the next `limit` mutations to send.
    func choose(_ limit: Int) throws -> Double {
        try microseconds {
            let found = try store.readyMutations(now: Clock.system.now(), limit: limit)
            precondition(!found.isEmpty)
        }
    }

    /// Microseconds from asking for a push to the backend being called.
    func timeToSend() throws -> Double {
        try engine.takeLease()
        let clock = ContinuousClock()
        let begun = clock.now
        _ = try engine.pushStep(PushSelection())
        return ((backend.askedAt ?? clock.now) - begun) / .microseconds(1)
    }

    /// Rebases a record with `edits` live mutations.
    ///
    /// - Returns: Microseconds, and how many other records the change feed tells of.
    func rebase(edits: Int) throws -> (Double, Int) {
        let id = RecordID("clean-1")
        for number in 0..<edits {
            try store.write { () throws(StoreError) in
                _ = try outbox.update(
                    model, id, set: JSONObject([("title", .string("edit \(number)"))]), group: "r")
                // Sent once: what comes later is a mutation of its own.
                if var last = try store.lastMutation(of: RecordKey(model.name, id)) {
                    last.isFrozen = true
                    try store.updateMutation(last)
                }
            }
        }
        let feed = try store.lastChangeSeq()
        var newer = model.normalized(JSONObject([("id", "clean-1"), ("title", "t")]))
        newer["views"] = 7
        let base = Base(version: 2, record: newer)
        let taken = try microseconds {
            _ = try store.write { () throws(StoreError) in
                let change = try outbox.rebase(
                    model, id, onto: base, policies: MergePolicies(), cause: .remote)
                if let change {
                    _ = try store.appendChange(
                        Change(
                            seq: 0, model: model.name, id: id, kind: change.kind, origin: .rebase,
                            group: nil, at: Clock.system.now(), fields: change.fields))
                }
            }
        }
        let others = try store.changes(after: feed, limit: 1_000).filter { $0.id != id }
        return (taken, others.count)
    }
}

/// Idempotency keys as long as real ones.
final class Keys {
    private var count = 0

    func next() -> String {
        count += 1
        return Queue.identifier(count)
    }
}

/// A backend that takes everything at once.
private final class InstantBackend: Backend {
    var askedAt: ContinuousClock.Instant?

    func capabilities() throws(BackendError) -> Capabilities {
        var able = Capabilities()
        able.pushes = true
        able.idempotency = .key
        able.batch = 50
        return able
    }

    func identity() throws(BackendError) -> String? { nil }
    func ping() throws(BackendError) {}
    func pull(_ request: PullRequest) throws(BackendError) -> PullPage { PullPage() }
    func fetch(model: String, ids: [RecordID]) throws(BackendError) -> [RemoteRecord] { [] }

    func push(_ operations: [PushOperation]) throws(BackendError) -> [String: PushOutcome] {
        askedAt = ContinuousClock().now
        return Dictionary(
            uniqueKeysWithValues: operations.map {
                ($0.key, .ok(version: 1, record: $0.record, assignedID: nil))
            })
    }
}
