internal import JSON
internal import Records
package import Storage

// The quarantine may hold any number of items: they are looked at in parts, each in a transaction of
// its own, and what one part freed stays free whatever becomes of the next.
extension SyncEngine {
    private static let partSize = 500

    /// What a look at the quarantine carries from part to part.
    private struct Look {
        var places: HeardPlaces
        /// How many records the backend refused to tell of, by model.
        var refused: [String: Int] = [:]
    }

    /// Asks for quarantined records again and takes in those that the schema understands now.
    ///
    /// A backend that cannot be asked for single records gave all there is: the kept bytes.
    ///
    /// - Parameter items: Which; nil for all that are there now.
    /// - Returns: How many there were, and how many of them left the quarantine.
    /// - Throws: `backend` when it cannot be asked, or on an interrupt; what was freed before stays so.
    package func retryQuarantine(
        _ items: [QuarantineItem]? = nil
    ) throws(SyncError) -> (tried: Int, released: Int) {
        _ = try able()
        var look = try beginLook()
        var done = (tried: 0, released: 0)
        func take(_ part: ArraySlice<QuarantineItem>) throws(SyncError) {
            done.released += try retry(part, &look)
            done.tried += part.count
        }
        guard let items else {
            try eachPart(take)
            return done
        }
        for start in stride(from: 0, to: items.count, by: Self.partSize) {
            try take(items[start..<min(start + Self.partSize, items.count)])
        }
        return done
    }

    /// After a schema change: takes in what is understood by now.
    ///
    /// The kept bytes will do where they surely are the latest word on their record; the backend
    /// is asked for the others, if it can be. Where this ends early the next sync does it again, with
    /// what is left.
    func reexamineQuarantine() throws(SyncError) {
        let isDue = try stored { () throws(StoreError) in
            try store.meta(.quarantineDue) != nil
        }
        guard isDue else { return }
        var look = try beginLook()
        try eachPart { (part) throws(SyncError) in
            for (model, items) in byModel(part) {
                _ = try release(items.filter { $0.version != nil }, model, &look)
            }
        }
        do throws(SyncError) {
            let isLeft = try stored { () throws(StoreError) in try store.hasQuarantine() }
            if isLeft, try able().hasFetch {
                try eachPart { (part) throws(SyncError) in _ = try retry(part, &look) }
            }
        } catch {
            // The pull that follows says what is wrong with the backend; next time, then.
            guard case .backend(let cause) = error, cause.kind != .cancelled else { throw error }
            return
        }
        try stored { () throws(StoreError) in try store.setMeta(.quarantineDue, nil) }
    }

    private func beginLook() throws(SyncError) -> Look {
        try stored { () throws(StoreError) in
            guard let place = try store.firstQuarantinePlace() else {
                return Look(places: HeardPlaces(since: try store.lastChangeSeq()))
            }
            return Look(places: HeardPlaces(since: place))
        }
    }

    /// Passes the items that are there now to `body`, oldest first.
    private func eachPart(
        _ body: (ArraySlice<QuarantineItem>) throws(SyncError) -> Void
    ) throws(SyncError) {
        // What is not understood once more comes back under a number above.
        let last = try stored { () throws(StoreError) in try store.lastQuarantineNumber() }
        guard let last else { return }
        var after = Int64.min
        while after < last {
            let part = try stored { () throws(StoreError) in
                try store.quarantine(after: after, limit: Self.partSize)
            }
            guard let end = part.last?.n else { return }
            after = end
            try body(part.prefix { $0.n <= last })
        }
    }

    private func byModel(_ items: ArraySlice<QuarantineItem>) -> [(Model, [QuarantineItem])] {
        store.schema.models.compactMap { model in
            let own = items.filter { $0.model.sameBytes(as: model.name) }
            return own.isEmpty ? nil : (model, own)
        }
    }

    private func retry(
        _ part: ArraySlice<QuarantineItem>, _ look: inout Look
    ) throws(SyncError) -> Int {
        let hasFetch = try able().hasFetch
        var released = 0
        for (model, items) in byModel(part) {
            // First, for what the backend tells now is newer.
            let kept = hasFetch ? items.filter { $0.id == nil } : items
            released += try release(kept, model, &look)
            let ids = items.compactMap(\.id)
            if hasFetch, !ids.isEmpty { released += try fetchQuarantined(ids, model, &look) }
        }
        return released
    }

    /// Asks the backend for quarantined records.
    ///
    /// - Returns: How many are in quarantine no more.
    private func fetchQuarantined(
        _ ids: [RecordID], _ model: Model, _ look: inout Look
    ) throws(SyncError) -> Int {
        if look.refused[model.name, default: 0] >= Self.patienceWithRefusals { return 0 }
        try requireUninterrupted()
        let vantage = try vantage()
        // What is refused, or fails alone, stays where it is.
        let fetched = try asked { () throws(BackendError) in
            try fetch(ids, of: model.name, sparing: true)
        }
        look.refused[model.name, default: 0] += fetched.untold.count
        return try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) in
                // Whoever tries them again knows of them.
                _ = try takeFetched(fetched.records, of: model, asked: vantage)
                return try released(ids, model)
            }
        }
    }

    /// Takes in the kept bytes of items that are records by now, and their records' latest word.
    ///
    /// - Returns: How many of the items are in quarantine no more.
    private func release(
        _ items: [QuarantineItem], _ model: Model, _ look: inout Look
    ) throws(SyncError) -> Int {
        if items.isEmpty { return 0 }
        try requireUninterrupted()
        return try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) in
                let kept = try latest(items, model, &look.places)
                if !kept.isEmpty {
                    let filter = settings.filters[model.name]?.filter
                    var intake = try Intake(self, model, filter: filter, cursor: nil)
                    for (_, remote) in kept { try intake.take(remote) }
                    // Of two items of one record the later one counts, whichever parts they are in.
                    look.places.pass(to: try store.lastChangeSeq())
                }
                var count = try released(items.compactMap(\.id), model)
                for (item, remote) in kept where item.id == nil {
                    guard try store.recordExists(model, remote.id) else { continue }
                    try store.removeQuarantine(item.n)
                    count += 1
                }
                return count
            }
        }
    }

    /// Items whose kept bytes are records by now, and surely their records' latest word.
    private func latest(
        _ items: [QuarantineItem], _ model: Model, _ places: inout HeardPlaces
    ) throws(StoreError) -> [(QuarantineItem, RemoteRecord)] {
        guard let telling = try store.tellingPlaces(of: model.name) else { return [] }
        try store.read(&places)
        var latest: [(QuarantineItem, RemoteRecord)] = []
        for item in items {
            // Read anew: another process may have put newer bytes in their place.
            guard let item = try store.quarantineItem(item.n), let heard = item.heard,
                telling.contains(heard), let remote = item.remote(model),
                places.isSilent(RecordKey(model.name, remote.id), since: heard)
            else { continue }
            latest.append((item, remote))
        }
        return latest
    }

    private func released(_ ids: [RecordID], _ model: Model) throws(StoreError) -> Int {
        var count = 0
        for id in ids where try !store.isQuarantined(RecordKey(model.name, id)) { count += 1 }
        return count
    }

    private func requireUninterrupted() throws(SyncError) {
        if ports.isInterrupted() { throw .backend(SyncRun.interrupted) }
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
