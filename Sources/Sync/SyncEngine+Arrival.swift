internal import Records
internal import Sabotage
internal import Storage

/// A page on its way into the store.
struct Arrival {
    var page: PullPage
    var model: Model
    /// Where the model stood when the page was asked for.
    var start: Cursor
    /// Where it stands once the page is in.
    var cursor: Cursor
    var asked: Vantage
    var filter: Filter?
    /// True where the backend was asked for what passes the filter alone.
    var isFiltered: Bool
    /// Records of the page that were asked for again, one by one, and when.
    var fetched: [RecordID: RemoteRecord] = [:]
    var fetchedAt: Vantage?

    var isLast: Bool { !page.more && page.complete != false }
}

extension SyncEngine {
    private enum Commit {
        case done(PageTally)
        case overtaken
        /// Records of which the store heard since the page was asked for: the page may be older.
        case suspects([RecordID])
    }

    /// Takes a page in, with its cursor and all.
    ///
    /// What the page may tell too late is asked for before anything is committed: once the cursor
    /// has passed the page nobody would ask again.
    ///
    /// - Returns: Nil when the page was overtaken.
    func take(_ arrival: Arrival, _ able: Capabilities) throws(SyncError) -> PageTally? {
        var arrival = arrival
        if sabotage(.advanceCursorEarly) { try passBy(arrival) }
        for _ in 0..<5 {
            switch try commit(arrival) {
            case .done(let tally): return tally
            case .overtaken: return nil
            case .suspects(let ids):
                guard able.hasFetch else { return nil }
                arrival.fetchedAt = try vantage()
                let sparing = try tellsCulprits()
                let fetched = try asked { () throws(BackendError) in
                    try fetch(ids, of: arrival.model.name, sparing: sparing)
                }
                // A page that is asked for anew tells of them too.
                if !fetched.untold.isEmpty { return nil }
                arrival.fetched = Dictionary(
                    fetched.records.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
            }
        }
        return nil
    }

    private func commit(_ arrival: Arrival) throws(SyncError) -> Commit {
        try written { (notices) throws(StoreError) -> Commit in
            // Not the token alone: it may have come round to the same in another pull.
            guard
                try store.cursor(arrival.model.name) == arrival.start
                    || sabotage(.ignoreCursorSwap) || sabotage(.advanceCursorEarly)
            else { return .overtaken }
            let suspects = try suspects(of: arrival)
            if !suspects.isEmpty { return .suspects(suspects) }
            _ = try store.saveCursor(arrival.cursor, replacing: arrival.start.token)
            var intake = try Intake(
                self, arrival.model, filter: arrival.filter, cursor: arrival.cursor,
                isFiltered: arrival.isFiltered)
            try take(arrival, into: &intake)
            notices = intake.notices
            if arrival.isLast { try conclude(arrival.model, arrival.cursor, &notices) }
            return .done(intake.tally)
        }
    }

    /// What `advanceCursorEarly` does.
    private func passBy(_ arrival: Arrival) throws(SyncError) {
        try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) in
                _ = try store.saveCursor(arrival.cursor, replacing: arrival.start.token)
            }
        }
    }

    private func suspects(of arrival: Arrival) throws(StoreError) -> [RecordID] {
        let heard = try heardSince(arrival.asked, of: arrival.model.name)
        if heard.isEmpty || sabotage(.trustOldPage) { return [] }
        var ids = Set(arrival.page.records.map(\.id).filter(heard.contains))
        if ids.isEmpty { return [] }
        if let fetchedAt = arrival.fetchedAt {
            let heard = try heardSince(fetchedAt, of: arrival.model.name)
            let isSettled = ids.allSatisfy {
                arrival.fetched[$0] != nil && !heard.contains($0)
            }
            if isSettled { ids = [] }
        }
        return ids.sorted { $0.text < $1.text }
    }

    private func take(_ arrival: Arrival, into intake: inout Intake) throws(StoreError) {
        let model = arrival.model.name
        for item in arrival.page.undecodable {
            let n = try intake.quarantine(item)
            guard arrival.cursor.isFull else { continue }
            if let id = item.id { try store.markSeen(model, id) } else { try store.markSeen(n) }
        }
        let records = arrival.page.records
        for record in records.prefix(sabotage(.applyHalfPage) ? records.count / 2 : .max) {
            let fetched = arrival.fetched[record.id]
            try intake.take(fetched ?? record, isFetched: fetched != nil)
            if arrival.cursor.isFull, !(fetched ?? record).isDeleted {
                try store.markSeen(model, record.id)
            }
        }
    }
}
