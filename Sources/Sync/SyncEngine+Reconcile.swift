internal import JSON
internal import Outbox
package import Records
internal import Sabotage
internal import Storage

extension SyncEngine {
    /// Ends a model's pull where `pullStep` could not: a full pull that would remove many records
    /// needs consent.
    ///
    /// - Returns: How many records the pull's end removed: those the backend no longer has.
    /// - Throws: `deletionsRefused` when that would be more than half of the model's clean records
    ///   and more than 100, or more than half of however few where the backend looks reset, and
    ///   `accept` is false; the cursor keeps its place, so a later pull goes on from here.
    package func finish(_ model: Model, acceptDeletions accept: Bool) throws(SyncError) -> Int {
        guard let ended = unfinished[model.name] else {
            return removed.removeValue(forKey: model.name) ?? 0
        }
        unfinished[model.name] = nil
        try settleDoubts(model, ended)
        let outcome = try written { (notices) throws(StoreError) -> Result<Int, Refusal> in
            // Another process may have gone on from here, or begun anew.
            guard let cursor = try store.cursor(model.name), cursor == ended else {
                return .success(0)
            }
            let gone = try store.countUnseenCleanRecords(model, pushedSince: cursor.fullSince)
            let clean = try store.countCleanRecords(model)
            if !accept, needsConsent(gone: gone, of: clean, cursor) {
                return .failure(Refusal(count: gone, of: clean))
            }
            return .success(try close(model, cursor, &notices))
        }
        switch outcome {
        case .success(let count): return count
        case .failure(let refusal):
            throw .deletionsRefused(model: model.name, count: refusal.count, of: refusal.of)
        }
    }

    /// The last page is in: closes the pull, unless that needs consent.
    func conclude(
        _ model: Model, _ cursor: Cursor, _ notices: inout [SyncNotice]
    ) throws(StoreError) {
        unfinished[model.name] = nil
        removed[model.name] = nil
        if cursor.isFull {
            let gone = try store.countUnseenCleanRecords(model, pushedSince: cursor.fullSince)
            if try store.hasMetNameless(model.name), !sabotage(.trustNamelessPull) {
                unfinished[model.name] = cursor
                return
            }
            if gone > bound(cursor),
                needsConsent(gone: gone, of: try store.countCleanRecords(model), cursor)
            {
                unfinished[model.name] = cursor
                return
            }
        }
        removed[model.name] = try close(model, cursor, &notices)
    }

    private struct Refusal: Error {
        var count: Int
        var of: Int
    }

    private func needsConsent(gone: Int, of clean: Int, _ cursor: Cursor) -> Bool {
        gone > bound(cursor) && gone * 2 > clean && !sabotage(.skipDeletionGuard)
    }

    /// A backend that begins anew may have lost what it had: then a few records count as well.
    private func bound(_ cursor: Cursor) -> Int {
        cursor.isReset ? 0 : settings.deletionsWithoutConsent
    }

    private func close(
        _ model: Model, _ cursor: Cursor, _ notices: inout [SyncNotice]
    ) throws(StoreError) -> Int {
        var cursor = cursor
        var removed = 0
        if cursor.isFull {
            removed = try removeUnseen(model, cursor.fullSince)
            if !sabotage(.keepVanishedBase), !isFilteredThere(model) {
                notices += try buryUnseen(model, cursor)
            }
            try store.removeUnseenQuarantine(model.name, since: cursor.fullSince)
            try store.clearSeen(model.name)
            cursor.isFull = false
            cursor.isReset = false
        }
        cursor.complete = true
        cursor.syncedAt = ports.now()
        _ = try store.saveCursor(cursor, replacing: cursor.token)
        return removed
    }

    private func removeUnseen(_ model: Model, _ since: Int64) throws(StoreError) -> Int {
        var removed = 0
        while true {
            let ids = try store.unseenCleanRecords(model, pushedSince: since, limit: 1_000)
            if ids.isEmpty { return removed }
            for id in ids {
                try store.removeRecord(model, id)
                try feed(.delete, .remote, RecordKey(model.name, id), [])
            }
            removed += ids.count
        }
    }

    /// A backend that filters does not tell what is gone from what left the filter: the push finds
    /// out.
    private func isFilteredThere(_ model: Model) -> Bool {
        guard let scope = settings.filters[model.name] else { return false }
        return capabilities?.evaluates(scope.filter) ?? false
    }

    /// Records with live mutations stay, but stand on what the backend no longer has.
    private func buryUnseen(
        _ model: Model, _ cursor: Cursor
    ) throws(StoreError) -> [SyncNotice] {
        let ids = try store.unseenBases(model, pushedSince: cursor.fullSince)
        if ids.isEmpty { return [] }
        var intake = try Intake(self, model, filter: nil, cursor: cursor)
        for id in ids {
            try intake.take(RemoteRecord(id: id, version: nil, record: nil))
        }
        return intake.notices
    }
}
