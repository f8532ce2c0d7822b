internal import JSON
internal import Records
package import Storage

extension SyncEngine {
    /// Asks for quarantined records again and takes in those that the schema understands now.
    ///
    /// A backend that cannot be asked for single records gave all there is: the kept bytes.
    ///
    /// - Returns: How many left the quarantine.
    /// - Throws: `backend` when it cannot be asked.
    package func retryQuarantine(_ items: [QuarantineItem]) throws(SyncError) -> Int {
        let able = try able()
        var released = 0
        for model in store.schema.models {
            let wanted = items.filter { $0.model.sameBytes(as: model.name) }
            if wanted.isEmpty { continue }
            let vantage = try vantage()
            let ids = wanted.compactMap(\.id)
            var records: [RemoteRecord] = []
            if able.hasFetch, !ids.isEmpty {
                // What is refused stays where it is.
                records = try asked { () throws(BackendError) in
                    try fetch(ids, of: model.name)
                }.records
            }
            if !able.hasFetch || ids.count < wanted.count {
                records += try stored { () throws(StoreError) in
                    try kept(wanted.filter { !able.hasFetch || $0.id == nil }, model)
                }
            }
            released += try stored { () throws(StoreError) in
                try store.write { () throws(StoreError) in
                    // Whoever tries them again knows of them.
                    _ = try takeFetched(records, of: model, asked: vantage)
                    return try release(wanted, records)
                }
            }
        }
        return released
    }

    /// After a schema change: takes in what is understood by now.
    ///
    /// The kept bytes will do where they surely are the latest word on their record; the backend
    /// is asked for the others, if it can be.
    func reexamineQuarantine() throws(SyncError) {
        let isDue = try stored { () throws(StoreError) in
            try store.meta(.quarantineDue) != nil
        }
        guard isDue else { return }
        for model in store.schema.models {
            let filter = settings.filters[model.name]?.filter
            try stored { () throws(StoreError) in
                try store.write { () throws(StoreError) in
                    // Read within: another process may put newer bytes in their place.
                    let wanted = try store.quarantine().filter {
                        $0.model.sameBytes(as: model.name)
                    }
                    if wanted.isEmpty { return }
                    var intake = try Intake(self, model, filter: filter, cursor: nil)
                    let records = try kept(wanted.filter { $0.version != nil }, model)
                    for record in records { try intake.take(record) }
                    _ = try release(wanted, records)
                }
            }
        }
        let items = try stored { () throws(StoreError) in try store.quarantine() }
        do throws(SyncError) {
            if try able().hasFetch, !items.isEmpty { _ = try retryQuarantine(items) }
        } catch {
            // The pull that follows says what is wrong with the backend; next time, then.
            guard case .backend(let cause) = error, cause.kind != .cancelled else { throw error }
            return
        }
        try stored { () throws(StoreError) in try store.setMeta(.quarantineDue, nil) }
    }

    /// The records that kept bytes are by now, of those that are their records' latest word.
    private func kept(_ items: [QuarantineItem], _ model: Model)
        throws(StoreError) -> [RemoteRecord]
    {
        var records: [RemoteRecord] = []
        for item in items {
            guard let record = item.remote(model), try store.isLatest(item, of: record.id) else {
                continue
            }
            records.append(record)
        }
        return records
    }

    private func release(_ wanted: [QuarantineItem], _ taken: [RemoteRecord])
        throws(StoreError) -> Int
    {
        let left = try store.quarantine()
        var released = 0
        for item in wanted {
            if let id = item.id {
                if !left.contains(where: { $0.id == id && $0.model == item.model }) {
                    released += 1
                }
                continue
            }
            guard let model = model(item.model), let remote = item.remote(model),
                taken.contains(remote), try store.recordExists(model, remote.id)
            else { continue }
            try store.removeQuarantine(item.n)
            released += 1
        }
        return released
    }
}

extension QuarantineItem {
    /// The record that the kept bytes are, if they are one by now.
    fileprivate func remote(_ model: Model) -> RemoteRecord? {
        do throws(JSONError) {
            guard case .object(let record) = try JSONValue.parse(raw),
                let id = id ?? model.id(of: record)
            else { return nil }
            return RemoteRecord(id: id, version: version, record: record)
        } catch {
            return nil
        }
    }
}
