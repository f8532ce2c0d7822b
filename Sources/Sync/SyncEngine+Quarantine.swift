internal import JSON
internal import Records
package import Storage

extension SyncEngine {
    /// Asks for quarantined records again and takes in those that the schema understands now.
    ///
    /// An item without an id cannot be asked for: it stays.
    ///
    /// - Returns: How many left the quarantine.
    /// - Throws: `backend` when it cannot be asked.
    package func retryQuarantine(_ items: [QuarantineItem]) throws(SyncError) -> Int {
        var released = 0
        for model in store.schema.models {
            let wanted = items.filter { $0.model.sameBytes(as: model.name) }
            let ids = wanted.compactMap(\.id)
            if ids.isEmpty { continue }
            let since = try stored { () throws(StoreError) in try store.lastChangeSeq() }
            let records = try asked { () throws(BackendError) in
                try backend.fetch(model: model.name, ids: ids)
            }
            let filter = settings.filters[model.name]?.filter
            released += try stored { () throws(StoreError) in
                try store.write { () throws(StoreError) in
                    var intake = try Intake(
                        self, model, filter: filter, since: since, isFetched: true)
                    for record in records {
                        // A tombstone takes the item along: there is nothing left to understand.
                        if record.isDeleted {
                            try store.removeQuarantine(model.name, record.id)
                        }
                        try intake.take(record)
                    }
                    var left = 0
                    for item in wanted where try store.quarantineItem(item.n) != nil { left += 1 }
                    return wanted.count - left
                }
            }
        }
        return released
    }
}
