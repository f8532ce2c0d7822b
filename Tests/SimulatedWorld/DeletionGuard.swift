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
        for (model, ids) in try Self.looked(process.store) { before[model] = ids.clean }
    }

    private static func looked(_ store: Store) throws
        -> [String: (present: Set<RecordID>, clean: Set<RecordID>)]
    {
        let queued = Dictionary(
            grouping: try store.mutations().filter(\.state.isLive), by: \.model)
        var found: [String: (present: Set<RecordID>, clean: Set<RecordID>)] = [:]
        for model in store.schema.models {
            let present = Set(try store.ids(Query(model: model.name), limit: .max))
            let busy = (queued[model.name] ?? []).map(\.id)
            found[model.name] = (present, present.subtracting(busy))
        }
        return found
    }

    func check(_ world: World, _ process: SimulatedProcess) throws {
        if process.acceptsDeletions || process.wasInterleaved { return }
        let looked = try Self.looked(process.store)
        for (model, after) in looked.sorted(by: { $0.key < $1.key }) {
            let gone = try (before[model] ?? []).filter { id in
                let key = RecordKey(model, id)
                // One that was edited in this step is there, though it is not clean any more.
                if after.present.contains(id) || process.told.contains(key) { return false }
                // What left the filter goes with each page that says so.
                let record = world.server.entries[key]?.record
                return try record.map { try process.client.wants(key, $0) } ?? true
            }
            if gone.count > Self.few, gone.count * 2 > after.clean.count + gone.count {
                throw Violation(
                    invariant: "guard",
                    detail: "\(process.name) lost \(gone.map(\.text).sorted()) of \(model) "
                        + "without consent")
            }
        }
    }
}
