import Records
import Storage

/// Watches that a full pull removes many records only where the person agreed.
struct DeletionGuard {
    /// What may go without consent: small, for worlds are.
    static let few = 1

    private var before: [String: Set<RecordID>] = [:]
    /// Records that had unsent work when the step began.
    private let busy: Set<RecordKey>

    /// Nil where the action takes in nothing.
    init?(_ action: Action, _ process: SimulatedProcess) throws {
        guard [.pull, .sync, .turn, .chase, .relay].contains(action) else { return nil }
        busy = Set(try process.store.mutations().filter(\.state.isLive).map(\.record))
        for model in process.store.schema.models {
            before[model.name] = try Self.present(model, process.store)
        }
    }

    private static func present(_ model: Model, _ store: Store) throws -> Set<RecordID> {
        Set(try store.ids(Query(model: model.name), limit: .max))
    }

    func check(_ world: World, _ process: SimulatedProcess) throws {
        if process.acceptsDeletions || process.wasInterleaved { return }
        // What was delivered before the pull in the same step was clean when the pull came.
        let stayedBusy = busy.intersection(
            try process.store.mutations().filter(\.state.isLive).map(\.record))
        for model in process.store.schema.models {
            let after = try Self.present(model, process.store)
            let gone = try (before[model.name] ?? []).subtracting(after).filter { id in
                let key = RecordKey(model.name, id)
                if process.told.contains(key) || busy.contains(key) { return false }
                // What left the filter goes with each page that says so.
                let record = world.server.entries[key]?.record
                return try record.map { try process.client.wants(key, $0) } ?? true
            }
            if gone.count <= Self.few { continue }
            let clean = after.filter { !stayedBusy.contains(RecordKey(model.name, $0)) }
            if gone.count * 2 > clean.count + gone.count {
                throw Violation(
                    invariant: "guard",
                    detail: "\(process.name) lost \(gone.map(\.text).sorted()) of \(model.name) "
                        + "without consent")
            }
        }
    }
}
