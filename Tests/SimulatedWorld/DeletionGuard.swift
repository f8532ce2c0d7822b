import Records
import Storage

/// Watches that a full pull removes many records only where the person agreed.
struct DeletionGuard {
    /// What may go without consent: small, for worlds are.
    static let few = 1

    private var before: [String: Set<RecordID>] = [:]

    /// Nil where the action takes in nothing.
    init?(_ action: Action, _ process: SimulatedProcess) throws {
        guard [.pull, .sync, .turn, .chase, .relay].contains(action) else { return nil }
        for model in process.store.schema.models {
            before[model.name] = try Self.clean(model, process.store)
        }
    }

    private static func clean(_ model: Model, _ store: Store) throws -> Set<RecordID> {
        let queued = Set(
            try store.mutations().filter { $0.model == model.name && $0.state.isLive }.map(\.id))
        return Set(try store.ids(Query(model: model.name), limit: .max)).subtracting(queued)
    }

    func check(_ world: World, _ process: SimulatedProcess) throws {
        if process.acceptsDeletions || process.wasInterleaved { return }
        for model in process.store.schema.models {
            let after = try Self.clean(model, process.store)
            let gone = try (before[model.name] ?? []).filter { id in
                let key = RecordKey(model.name, id)
                if after.contains(id) || process.told.contains(key) { return false }
                // What left the filter goes with each page that says so.
                let record = world.server.entries[key]?.record
                return try record.map { try process.client.wants(key, $0) } ?? true
            }
            if gone.count > Self.few, gone.count * 2 > after.count + gone.count {
                throw Violation(
                    invariant: "guard",
                    detail: "\(process.name) lost \(gone.map(\.text).sorted()) of \(model.name) "
                        + "without consent")
            }
        }
    }
}
