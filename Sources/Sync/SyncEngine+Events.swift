internal import JSON
internal import Outbox
internal import Records
internal import Storage

extension SyncEngine {
    /// Takes events for the hints they are: what they name is asked for or pulled, nothing that
    /// they say is written.
    ///
    /// An event may be late, doubled, or in the wrong order, and versions cannot be compared.
    ///
    /// - Returns: The models to pull, in schema order.
    func takeHints(_ events: [RemoteEvent]) throws(SyncError) -> [String] {
        let able = try able()
        var pulls: Set<String> = []
        var fetches: [String: [RecordID]] = [:]
        for event in events {
            switch event {
            case .gap: pulls.formUnion(store.schema.models.map(\.name))
            case .changed(let name, let id, let version, _, let isDeleted, _):
                guard let model = model(name),
                    try isNews(model, id, version, isDeleted: isDeleted)
                else { continue }
                // A delta without tombstones does not tell of a deletion: the record is asked for.
                let tells = able.hasDelta && (!isDeleted || able.hasTombstones)
                if tells || !able.hasFetch {
                    pulls.insert(name)
                } else if fetches[name]?.contains(id) != true {
                    fetches[name, default: []].append(id)
                }
            }
        }
        for (name, ids) in fetches.sorted(by: { $0.key < $1.key }) where !pulls.contains(name) {
            guard let model = model(name) else { continue }
            // What it does not tell of single records a pull may bring.
            if try !hasFetched(ids, of: model) { pulls.insert(name) }
        }
        return store.schema.models.map(\.name).filter(pulls.contains)
    }

    private func isNews(
        _ model: Model, _ id: RecordID, _ version: JSONValue?, isDeleted: Bool
    ) throws(SyncError) -> Bool {
        let base = try stored { () throws(StoreError) in try outbox.state(of: model, id).base }
        if isDeleted { return base.record != nil }
        return version == nil || version != base.version || base.record == nil
    }

    /// - Returns: False when it does not tell of some of them.
    private func hasFetched(_ ids: [RecordID], of model: Model) throws(SyncError) -> Bool {
        let vantage = try vantage()
        let sparing = try tellsCulprits()
        let fetched = try asked { () throws(BackendError) in
            try fetch(ids, of: model.name, sparing: sparing)
        }
        try written { (notices) throws(StoreError) in
            notices = try takeFetched(fetched.records, of: model, asked: vantage)
        }
        return fetched.untold.isEmpty
    }

    // Takes in records that were asked for by their ids at `asked`, but for those of which the store
    // heard since. The cursor is that of the pull to which they belong, if they belong to one.
    func takeFetched(
        _ records: [RemoteRecord], of model: Model, asked: Vantage, cursor: Cursor? = nil
    ) throws(StoreError) -> [SyncNotice] {
        let heard = try heardSince(asked, of: model.name)
        var intake = try Intake(
            self, model, filter: settings.filters[model.name]?.filter, cursor: cursor)
        for record in records where !heard.contains(record.id) {
            try intake.take(record, isFetched: true)
        }
        return intake.notices
    }
}
