internal import JSON
internal import Records
internal import Storage

/// The state of one watch: what is in view, and how far the feed has been told.
struct Watch {
    /// How often the store is asked whether anybody committed; one cheap look at shared memory.
    static let interval: Int64 = 5

    private let open: OpenWorkspace
    private let query: Query?
    private let models: [Model]
    private var writer: WatchWriter
    private var place: Int64 = 0
    private var version: Int64 = -1
    /// The records in view, where a filter or a limit decides that.
    private var inView: Set<RecordID> = []

    init(_ open: OpenWorkspace, query: Query?, models: [Model], writer: WatchWriter) {
        self.open = open
        self.query = query
        self.models = models
        self.writer = writer
    }

    private var store: Store { open.store }
    private var isSelective: Bool { query?.filter != nil || query?.limit != nil }

    /// The snapshot and the word that it is over; after a token, what came since.
    ///
    /// - Returns: False when the token is of no use any more: the snapshot came instead.
    mutating func begin(since: Int64?) throws(ShellError) -> Bool {
        let isResumed = try since.map { (place) throws(ShellError) in try isKept(place) } ?? false
        // Written as it is read: a large snapshot is never held.
        try store.read(
            { () throws(ShellError) in
                do throws(StoreError) {
                    version = try store.dataVersion()
                    place = try store.lastChangeSeq()
                } catch {
                    throw ShellError(error)
                }
                for model in models where isSelective || !isResumed {
                    try store.forEachRow(query ?? Query(model: model.name)) {
                        (row) throws(ShellError) in
                        if isSelective { inView.insert(row.id) }
                        if !isResumed { try tellRow(row, of: model) }
                        return true
                    }
                }
            }, mapping: { ShellError($0) })
        if isResumed, let since { place = since }
        try writer.write(WatchEvent(.ready, token: String(place)))
        if isResumed { try tellChanges() }
        return isResumed || since == nil
    }

    private mutating func tellRow(_ row: borrowing Row, of model: Model) throws(ShellError) {
        let record: JSONObject
        do throws(StoreError) { record = try row.record() } catch { throw ShellError(error) }
        try writer.write(
            WatchEvent(
                .snapshot, token: String(place), key: RecordKey(model.name, row.id),
                record: record))
    }

    /// True while the feed still holds everything after `place`.
    private func isKept(_ place: Int64) throws(ShellError) -> Bool {
        do throws(StoreError) {
            let first = try store.firstChangeSeq() ?? 1
            let last = try store.lastChangeSeq()
            return place >= first - 1 && place <= last
        } catch {
            throw ShellError(error)
        }
    }

    /// Tells what was committed since the last time.
    mutating func advance() throws(ShellError) {
        do throws(StoreError) {
            let now = try store.dataVersion()
            if now == version { return }
            version = now
        } catch {
            throw ShellError(error)
        }
        if try isKept(place) { return try tellChanges() }
        // Stopped for so long that the feed was pruned meanwhile.
        inView = []
        _ = try begin(since: nil)
    }

    mutating func tellNetwork(_ state: String) throws(ShellError) {
        try writer.write(WatchEvent(.network, token: String(place), origin: state))
    }

    private mutating func tellChanges() throws(ShellError) {
        var events: [WatchEvent] = []
        do throws(StoreError) {
            try store.read { () throws(StoreError) in
                let changes = try store.changes(after: place, model: query?.model)
                for change in Change.final(changes) {
                    if let event = try event(change) { events.append(event) }
                }
                place = max(place, try store.lastChangeSeq())
            }
        } catch {
            throw ShellError(error)
        }
        for event in events { try writer.write(event) }
    }

    /// What a change means to this watch; nil when it does not concern it.
    private mutating func event(_ change: Change) throws(StoreError) -> WatchEvent? {
        guard let kind = WatchEvent.Kind(rawValue: change.kind.rawValue),
            let model = models.first(where: { $0.name.sameBytes(as: change.model) })
        else { return nil }
        let key = RecordKey(change.model, change.id)
        let record = try store.record(model, change.id)?.record
        var event = WatchEvent(
            kind, token: String(change.seq), key: key, record: record,
            origin: change.origin.rawValue,
            refused: kind == .rejected ? try refused(key) : nil)
        guard isSelective else { return event }
        let was = inView.contains(change.id)
        let isNow = record == nil ? false : try isSelected(key)
        switch (was, isNow) {
        case (false, false): return nil
        case (false, true):
            inView.insert(change.id)
            if kind != .rejected { event.kind = .insert }
        case (true, false):
            inView.remove(change.id)
            if kind != .rejected { event.kind = .delete }
            event.record = nil
        case (true, true): event.kind = kind == .insert ? .update : kind
        }
        return event
    }

    /// The last change of a record that was refused.
    private func refused(_ key: RecordKey) throws(StoreError) -> Mutation? {
        try store.mutations(of: key).last { $0.state == .rejected }
    }

    private func isSelected(_ key: RecordKey) throws(StoreError) -> Bool {
        guard let query else { return true }
        if query.limit != nil { return try store.ids(query).contains(key.id) }
        return try query.filter.map { (filter) throws(StoreError) in
            try store.matches(key, filter: filter)
        } ?? true
    }
}

extension Change {
    /// What a watch tells of lines of the feed: one a record a commit, the last that is shown, for
    /// it has the final state.
    fileprivate static func final(_ changes: [Change]) -> [Change] {
        var last: [Place: Int64] = [:]
        let shown = changes.filter { $0.kind != .heard }
        for change in shown { last[Place(change)] = change.seq }
        return shown.filter { last[Place($0)] == $0.seq }
    }

    private struct Place: Hashable {
        var commit: Int64
        var record: RecordKey

        init(_ change: Change) {
            commit = change.commit
            record = RecordKey(change.model, change.id)
        }
    }
}
