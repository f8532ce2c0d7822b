internal import JSON
internal import Records
internal import Storage

// Pulling: each model to its end, unless its pages never end.
extension SyncRun {
    /// - Returns: Why a model's records were not removed, which nobody had agreed to or of which the
    ///   backend did not tell: the first one's reason. The others were pulled all the same.
    mutating func pull() throws(SyncError) -> SyncError? {
        var unasked: SyncError?
        for model in engine.store.schema.models
        where options.models?.contains(model.name) ?? true {
            do throws(SyncError) {
                try pull(model)
            } catch {
                if case .deletionsRefused = error {
                    report.complete = false
                    unasked = unasked ?? error
                    continue
                }
                guard case .backend(let cause) = error,
                    cause.kind == .permanent || cause.kind == .unsupported
                else { throw error }
                report.complete = false
                report.refusedModels.append(model.name)
                engine.notify(.modelRefused(model: model.name, reason: cause.message))
            }
        }
        return unasked ?? unended
    }

    /// Ends a model's pull.
    ///
    /// What cannot be found out now is asked for by the next sync, which goes on from here; the other
    /// models do not wait for it.
    private mutating func end(_ model: Model) throws(SyncError) {
        do throws(SyncError) {
            report.deleted += try engine.finish(model, acceptDeletions: options.acceptDeletions)
        } catch {
            guard case .backend(let cause) = error, cause.mayPass, engine.isAnswered() else {
                throw error
            }
            report.complete = false
            unended = unended ?? error
        }
    }

    private mutating func pull(_ model: Model) throws(SyncError) {
        var full = options.full
        var isReset = false
        var restarts = 0
        var pauses = 0
        var count = 0
        var met: Set<JSONValue> = []
        var barren = 0
        while true {
            if ports.isInterrupted() { throw .backend(SyncRun.interrupted) }
            do throws(SyncError) {
                let step = try engine.pullStep(model, full: full, isReset: isReset)
                full = false
                isReset = false
                switch step {
                case .overtaken: continue
                case .page(let tally):
                    add(tally, model, &count)
                    try refuseCircle(model, &met)
                    // What is quarantined again and again is no news.
                    barren = tally.applied + tally.deleted == 0 ? barren + 1 : 0
                    try refuseBarren(model, pages: barren)
                case .truncated(let tally):
                    add(tally, model, &count)
                    report.complete = false
                    return
                case .complete(let tally):
                    add(tally, model, &count)
                    return try end(model)
                }
            } catch {
                guard case .backend(let cause) = error else { throw error }
                switch cause.kind {
                case .cursorExpired:
                    restarts += 1
                    if restarts > 1 {
                        throw .backend(
                            BackendError(
                                .broken,
                                "\(engine.backend.title) refused its own cursor of \(model.name) "
                                    + "right after a full pull began"))
                    }
                    full = true
                    isReset = true
                    met = []
                    engine.notify(.restarted(model: model.name, reason: cause.message))
                case .tooLarge where engine.pageLimit > 1: engine.pageLimit /= 2
                case .tooLarge:
                    throw .backend(
                        BackendError(
                            .broken, "\(cause.message) (one record of \(model.name) was asked for)",
                            hint: cause.hint))
                case .rateLimited(let delay):
                    // A bound, for a backend that only ever says later.
                    pauses += 1
                    guard let delay, pauses <= SyncRun.patience, wait(delay, for: cause)
                    else { throw error }
                default: throw error
                }
            }
        }
    }

    /// A cursor that comes again would have pages without end.
    private func refuseCircle(_ model: Model, _ met: inout Set<JSONValue>) throws(SyncError) {
        let cursor = try stored { () throws(StoreError) in try engine.store.cursor(model.name) }
        guard let cursor, let token = cursor.token else { return }
        // Another process may have begun anew: then its cursors come again rightly.
        let place: JSONValue = [token, .bool(cursor.isFull), .int(cursor.fullSince)]
        guard !met.insert(place).inserted else { return }
        throw .backend(
            BackendError(
                .broken,
                "\(engine.backend.title) gave a cursor of \(model.name) that it had given before",
                hint: "its pages would never end; report it to its author"))
    }

    /// Ever new cursors that bring nothing would go on for ever too.
    ///
    /// A pull of everything may meet each known record on a page of its own, and find it unchanged:
    /// so many pages are no fault.
    private func refuseBarren(_ model: Model, pages: Int) throws(SyncError) {
        let bound = engine.settings.barrenPages
        guard pages >= bound, pages % bound == 0 else { return }
        let known = try stored { () throws(StoreError) in
            try engine.store.count(Query(model: model.name)) + engine.store.quarantineCount()
        }
        guard pages > known else { return }
        throw .backend(
            BackendError(
                .broken,
                "\(engine.backend.title) gave \(pages) pages of \(model.name) in a row that brought "
                    + "nothing new, each with a new cursor",
                hint: "its pages seem never to end: report it to its author; "
                    + "the next sync goes on from here"))
    }

    private mutating func add(_ tally: PageTally, _ model: Model, _ count: inout Int) {
        report.pulled += tally.applied
        report.deleted += tally.deleted
        count += tally.applied
        engine.notify(.pulled(model: model.name, count: count))
    }
}
