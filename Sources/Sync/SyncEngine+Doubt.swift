internal import Records
internal import Storage

// A pull of everything that met an item without a readable id: that item may be any of the records
// which the pull did not meet, so that none of them is surely gone.
extension SyncEngine {
    /// Finds out which records that a pull of everything did not meet the backend has all the same,
    /// where one of its items told no id.
    ///
    /// Those, and all that it cannot be asked for, count as met. Records that were pushed since the
    /// pull began are not removed at its end: here they are what the backend says.
    ///
    /// - Throws: `backend` when it cannot be asked now; the pull then ends at another time.
    func settleDoubts(_ model: Model, _ cursor: Cursor) throws(SyncError) {
        var removable: Set<RecordID> = []
        let doubted = try stored { () throws(StoreError) -> [RecordID] in
            guard try store.hasMetNameless(model.name) else { return [] }
            removable = Set(try unmet(model, pushedSince: cursor.fullSince))
            return try unmet(model, pushedSince: .max)
                + store.unseenQuarantined(model.name, since: cursor.fullSince)
        }
        if doubted.isEmpty { return }
        let vantage = try vantage()
        var fetched = Fetched()
        var untold = doubted
        if try able().hasFetch {
            fetched = try asked { () throws(BackendError) in try fetch(doubted, of: model.name) }
            untold = fetched.untold.map(\.id)
        }
        let present = fetched.records.filter { !$0.isDeleted }
        let told = fetched.records.filter { !$0.isDeleted || !removable.contains($0.id) }
        try written { (notices) throws(StoreError) in
            guard try store.cursor(model.name) == cursor else { return }
            notices = try takeFetched(told, of: model, asked: vantage, cursor: cursor)
            for id in present.map(\.id) + untold { try store.markSeen(model.name, id) }
            if untold.isEmpty { return }
            notices.append(.doubtful(model: model.name, count: untold.count))
        }
    }

    private func unmet(_ model: Model, pushedSince: Int64) throws(StoreError) -> [RecordID] {
        try store.unseenCleanRecords(model, pushedSince: pushedSince)
            + store.unseenBases(model, pushedSince: pushedSince)
    }
}
