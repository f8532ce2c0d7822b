internal import Records
internal import Storage

// A pull of everything that met an item without a readable id: that item may be any of the records
// which the pull did not meet, so that none of them is surely gone.
extension SyncEngine {
    /// As many records are asked for at once.
    private static let doubtsAtOnce = 100
    /// So many refusals of a single record end the asking: it seems to be refused as such.
    private static let patienceWithDoubts = 20

    /// Finds out which records that a pull of everything did not meet the backend has all the same,
    /// where one of its items told no id.
    ///
    /// Those, and all that it cannot be asked for, count as met.
    ///
    /// - Throws: `backend` when it cannot be asked now; the pull then ends at another time.
    func settleDoubts(_ model: Model, _ cursor: Cursor) throws(SyncError) {
        let doubted = try stored { () throws(StoreError) -> [RecordID] in
            guard try store.hasMetNameless(model.name) else { return [] }
            let since = cursor.fullSince
            return try store.unseenCleanRecords(model, pushedSince: since)
                + store.unseenBases(model, pushedSince: since)
                + store.unseenQuarantined(model.name, since: since)
        }
        if doubted.isEmpty { return }
        var batches = stride(from: 0, to: doubted.count, by: Self.doubtsAtOnce).map {
            doubted[$0..<min($0 + Self.doubtsAtOnce, doubted.count)]
        }
        var kept: [RecordID] = []
        var mayAsk = try able().hasFetch
        while let ids = batches.popLast() {
            if mayAsk, try settle(ids, model, cursor) { continue }
            if mayAsk, ids.count > 1 {
                let middle = ids.startIndex + ids.count / 2
                batches += [ids[..<middle], ids[middle...]]
                continue
            }
            kept += ids
            mayAsk = mayAsk && kept.count < Self.patienceWithDoubts
        }
        if kept.isEmpty { return }
        try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) in
                guard try store.cursor(model.name) == cursor else { return }
                for id in kept { try store.markSeen(model.name, id) }
            }
        }
        notify(.doubtful(model: model.name, count: kept.count))
    }

    /// - Returns: False when the backend refuses to tell of these records.
    private func settle(_ ids: ArraySlice<RecordID>, _ model: Model, _ cursor: Cursor)
        throws(SyncError) -> Bool
    {
        let asked = try vantage()
        let records: [RemoteRecord]
        do throws(BackendError) {
            records = try backend.fetch(model: model.name, ids: Array(ids))
        } catch {
            guard [.permanent, .tooLarge, .unsupported].contains(error.kind) else {
                throw .backend(error)
            }
            return false
        }
        let present = records.filter { !$0.isDeleted }
        try written { (notices) throws(StoreError) in
            guard try store.cursor(model.name) == cursor else { return }
            notices = try takeFetched(
                present, of: model, asked: asked, cursor: cursor)
            for record in present { try store.markSeen(model.name, record.id) }
        }
        return true
    }
}
