internal import JSON
internal import Outbox
package import Records
internal import Storage

/// What one page came to.
package enum PullStep: Sendable, Equatable {
    case page(PageTally)
    /// The model is as the backend had it; the tally is of the last page.
    case complete(PageTally)
    /// The backend cut its answer short: what came is kept, the model is not complete.
    case truncated(PageTally)
    /// Another process pulled this model further in the meantime; the page was not used.
    case overtaken
}

/// What a page changed in view.
package struct PageTally: Sendable, Equatable {
    package var applied = 0
    package var deleted = 0
    package var quarantined = 0

    package init() {}
}

extension SyncEngine {
    /// Pulls one page of a model; page, tombstones, change feed and cursor commit together.
    ///
    /// - Parameter full: Starts the model from the beginning; records the backend no longer has
    ///   are then removed at the end.
    package func pullStep(_ model: Model, full: Bool) throws(SyncError) -> PullStep {
        let able = try able()
        let scope = settings.filters[model.name]
        var cursor = try startingPoint(model, scope?.text ?? "", able, full: full)
        let told = cursor.token
        let sendsFilter = scope.flatMap { able.evaluates($0.filter) ? $0.filter : nil }
        let request = PullRequest(
            model: model.name, cursor: told,
            limit: able.page > 0 ? min(pageLimit, able.page) : pageLimit, filter: sendsFilter)
        let since = try sinceWhen(request)
        begun = nil
        let page = try asked { () throws(BackendError) in try backend.pull(request) }
        if let known = cursor.epoch, let found = page.epoch, known != found {
            throw .backend(BackendError(.cursorExpired, "the data set's history began anew"))
        }
        cursor.token = page.cursor ?? told
        cursor.epoch = page.epoch ?? cursor.epoch
        if page.more, page.cursor != told {
            let next = PullRequest(
                model: model.name, cursor: cursor.token, limit: request.limit, filter: sendsFilter)
            begun = (next, try stored { () throws(StoreError) in try store.lastChangeSeq() })
            backend.prefetch(next)
        }
        guard
            let (tally, suspects) = try commit(
                page, model, cursor, replacing: told, since: since, filter: scope?.filter)
        else { return .overtaken }
        var total = tally
        if !suspects.isEmpty { total.add(try refetch(suspects, model, scope?.filter)) }
        if page.more { return .page(total) }
        if page.complete == false { return .truncated(total) }
        return .complete(total)
    }

    /// The model's cursor, or a new one at the beginning where that is asked for or needed.
    private func startingPoint(
        _ model: Model, _ scope: String, _ able: Capabilities, full: Bool
    ) throws(SyncError) -> Cursor {
        let kept = try stored { () throws(StoreError) in try store.cursor(model.name) }
        if let kept, kept.scope.sameBytes(as: scope), !full, able.hasDelta || !kept.complete {
            return kept
        }
        return try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) -> Cursor in
                let hasRecords = try !store.ids(Query(model: model.name, limit: 1), limit: 1)
                    .isEmpty
                let fresh = Cursor(
                    model: model.name, scope: scope, token: nil, epoch: nil, complete: false,
                    syncedAt: kept?.syncedAt, isFull: hasRecords || kept != nil,
                    fullSince: try store.lastChangeSeq())
                try store.deleteCursor(model.name)
                try store.clearSeen(model.name)
                _ = try store.saveCursor(fresh, replacing: nil)
                return fresh
            }
        }
    }

    private func sinceWhen(_ request: PullRequest) throws(SyncError) -> Int64 {
        if let begun, begun.request == request { return begun.since }
        return try stored { () throws(StoreError) in try store.lastChangeSeq() }
    }

    private func commit(
        _ page: PullPage, _ model: Model, _ cursor: Cursor, replacing token: JSONValue?,
        since: Int64, filter: Filter?
    ) throws(SyncError) -> (PageTally, [RecordID])? {
        var notices: [SyncNotice] = []
        let result = try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) -> (PageTally, [RecordID])? in
                guard try store.saveCursor(cursor, replacing: token) else { return nil }
                var intake = try Intake(self, model, filter: filter, since: since)
                for item in page.undecodable { try intake.quarantine(item) }
                for record in page.records {
                    try intake.take(record)
                    if cursor.isFull, !record.isDeleted {
                        try store.markSeen(model.name, record.id)
                    }
                }
                for item in page.undecodable {
                    if cursor.isFull, let id = item.id { try store.markSeen(model.name, id) }
                }
                notices = intake.notices
                return (intake.tally, intake.suspects)
            }
        }
        for notice in notices { notify(notice) }
        return result
    }

    /// Records that were pushed while the page was on its way: the page may be older than what is
    /// known, so their present state is asked for.
    private func refetch(_ ids: [RecordID], _ model: Model, _ filter: Filter?)
        throws(SyncError) -> PageTally
    {
        let since = try stored { () throws(StoreError) in try store.lastChangeSeq() }
        let records = try asked { () throws(BackendError) in
            try backend.fetch(model: model.name, ids: ids)
        }
        return try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) in
                var intake = try Intake(
                    self, model, filter: filter, since: since, isFetched: true)
                for record in records { try intake.take(record) }
                return intake.tally
            }
        }
    }
}

extension PageTally {
    package mutating func add(_ other: PageTally) {
        applied += other.applied
        deleted += other.deleted
        quarantined += other.quarantined
    }
}
