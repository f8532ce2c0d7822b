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
                records = try asked { () throws(BackendError) in
                    try backend.fetch(model: model.name, ids: ids)
                }
            }
            records += wanted.filter { !able.hasFetch || $0.id == nil }
                .compactMap { $0.remote(model) }
            let filter = settings.filters[model.name]?.filter
            released += try stored { () throws(StoreError) in
                try store.write { () throws(StoreError) in
                    let heard = try heardSince(vantage, of: model.name)
                    var intake = try Intake(self, model, filter: filter, cursor: nil)
                    for record in records where !heard.contains(record.id) {
                        try intake.take(record, isFetched: true)
                    }
                    return try release(wanted, records)
                }
            }
        }
        return released
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
    /// The record that the kept bytes are, if they are one by now; its version was not kept.
    fileprivate func remote(_ model: Model) -> RemoteRecord? {
        do throws(JSONError) {
            guard case .object(let record) = try JSONValue.parse(raw),
                let id = id ?? model.id(of: record)
            else { return nil }
            return RemoteRecord(id: id, version: nil, record: record)
        } catch {
            return nil
        }
    }
}
