internal import Records
internal import Storage
internal import Sync

/// That the backend refused to delete a record after it had deleted what belonged to it.
struct CascadeLoss: Equatable {
    let record: RecordKey
    /// How many of their records are gone, by model.
    let gone: [String: Int]

    /// Nil where a notice is about something else, or nothing is gone.
    init?(notice: SyncNotice, in store: Store) {
        guard case .rejected(let mutation) = notice, mutation.kind == .delete else { return nil }
        do throws(StoreError) {
            var gone: [String: Int] = [:]
            for entry in try store.journal(of: mutation.group)
            where entry.after == nil && entry.before != nil && entry.key != mutation.record {
                guard let model = store.schema.model(entry.key.model),
                    try !store.recordExists(model, entry.key.id),
                    try store.mutations(of: entry.key).isEmpty
                else { continue }
                gone[entry.key.model, default: 0] += 1
            }
            guard !gone.isEmpty else { return nil }
            record = mutation.record
            self.gone = gone
        } catch {
            // A store that cannot be read says so to the command itself.
            return nil
        }
    }

    /// As it is warned of, the models by their names.
    var text: String {
        let counts = gone.sorted { $0.key < $1.key }
            .map { Quantity.count($0.value, "\($0.key) record") }.joined(separator: ", ")
        return "\(record.model) \(record.id) stays, but what belonged to it was deleted before: "
            + counts
    }
}
