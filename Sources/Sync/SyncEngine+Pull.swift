internal import JSON
internal import Outbox
package import Records
internal import Sabotage
internal import Storage

/// What one page came to.
package enum PullStep: Sendable, Equatable {
    case page(PageTally)
    /// The model is as the backend had it; the tally is of the last page.
    case complete(PageTally)
    /// The backend cut its answer short: what came is kept, the model is not complete.
    case truncated(PageTally)
    /// Another process pulled this model further in the meantime, or pushed what the page holds;
    /// the page was not used.
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
    /// A `full` pull starts the model from the beginning; records the backend no longer has are
    /// then removed at the end. With `isReset` that is for the backend's sake: it refused the
    /// cursor.
    package func pullStep(_ model: Model, full: Bool, isReset: Bool = false)
        throws(SyncError) -> PullStep
    {
        let able = try able()
        let scope = settings.filters[model.name]
        let start = try startingPoint(model, scope?.text ?? "", able, full: full, isReset: isReset)
        var cursor = start
        let sendsFilter = scope.flatMap { able.evaluates($0.filter) ? $0.filter : nil }
        let request = PullRequest(
            model: model.name, cursor: start.token,
            limit: able.page > 0 ? min(pageLimit, able.page) : pageLimit, filter: sendsFilter)
        let vantage = try vantage(of: request)
        let page = try asked { () throws(BackendError) in try backend.pull(request) }
        if begun[model.name]?.request == request { begun[model.name] = nil }
        if let known = cursor.epoch, let found = page.epoch, known != found,
            !sabotage(.ignoreEpoch)
        {
            guard start.token == nil else {
                throw .backend(BackendError(.cursorExpired, "the data set's history began anew"))
            }
            cursor.isReset = cursor.isFull
        }
        if let token = page.cursor {
            cursor.token = token
        } else if !start.complete, !page.more {
            // A pull of everything that ends without a cursor leaves nothing to go on from: that of
            // its last page but one would hide what is deleted before it.
            cursor.token = nil
        }
        cursor.epoch = page.epoch ?? cursor.epoch
        if page.more, page.cursor != start.token {
            let next = PullRequest(
                model: model.name, cursor: cursor.token, limit: request.limit, filter: sendsFilter)
            begun[model.name] = (next, try self.vantage())
            backend.prefetch(next)
        }
        let arrival = Arrival(
            page: page, model: model, start: start, cursor: cursor, asked: vantage,
            filter: scope?.filter, isFiltered: sendsFilter != nil)
        guard let tally = try take(arrival, able) else { return .overtaken }
        if page.more { return .page(tally) }
        return page.complete == false ? .truncated(tally) : .complete(tally)
    }

    private func vantage(of request: PullRequest) throws(SyncError) -> Vantage {
        if let begun = begun[request.model], begun.request == request { return begun.asked }
        return try vantage()
    }

    /// The model's cursor, or a new one at the beginning where that is asked for or needed.
    private func startingPoint(
        _ model: Model, _ scope: String, _ able: Capabilities, full: Bool, isReset: Bool
    ) throws(SyncError) -> Cursor {
        let kept = try stored { () throws(StoreError) in try store.cursor(model.name) }
        // Where nothing came yet, what is known may have grown since: then it begins anew.
        if let kept, kept.scope.sameBytes(as: scope) || sabotage(.keepCursorOfOldScope), !full,
            kept.token != nil,
            able.hasDelta || !kept.complete
        {
            return kept
        }
        return try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) -> Cursor in
                try store.deleteCursor(model.name)
                try store.clearSeen(model.name)
                let since = try store.lastChangeSeq()
                // Delivered before the first pull, or of an earlier one.
                var known = try store.unseenCleanRecords(model, pushedSince: since, limit: 1)
                known += try store.unseenBases(model, pushedSince: since)
                let isFull = !known.isEmpty || kept != nil
                let fresh = Cursor(
                    model: model.name, scope: scope, token: nil, epoch: kept?.epoch,
                    complete: false, syncedAt: kept?.syncedAt, isFull: isFull,
                    isReset: isFull && (isReset || kept?.isReset ?? false), fullSince: since)
                _ = try store.saveCursor(fresh, replacing: nil)
                return fresh
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
