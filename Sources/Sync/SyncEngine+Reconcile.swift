internal import JSON
internal import Outbox
package import Records
internal import Storage

extension SyncEngine {
    /// Ends a model's pull: after a full one, clean records the backend no longer has go.
    ///
    /// - Returns: How many were removed.
    /// - Throws: `deletionsRefused` when that would be more than 100 and more than half of the
    ///   model's clean records and `accept` is false; the cursor keeps its place, so a later call
    ///   goes on from here.
    package func finish(_ model: Model, acceptDeletions accept: Bool) throws(SyncError) -> Int {
        let removed = try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) -> Result<Int, Refusal> in
                guard var cursor = try store.cursor(model.name) else { return .success(0) }
                var removed = 0
                if cursor.isFull {
                    let gone = try store.countUnseenCleanRecords(
                        model, pushedSince: cursor.fullSince)
                    let clean = try store.countCleanRecords(model)
                    if gone > 100, gone * 2 > clean, !accept {
                        return .failure(Refusal(count: gone, of: clean))
                    }
                    removed = try removeUnseen(model, cursor.fullSince)
                    try store.clearSeen(model.name)
                    cursor.isFull = false
                }
                cursor.complete = true
                cursor.syncedAt = ports.now()
                _ = try store.saveCursor(cursor, replacing: cursor.token)
                return .success(removed)
            }
        }
        switch removed {
        case .success(let count): return count
        case .failure(let refusal):
            throw .deletionsRefused(model: model.name, count: refusal.count, of: refusal.of)
        }
    }

    private struct Refusal: Error {
        var count: Int
        var of: Int
    }

    private func removeUnseen(_ model: Model, _ since: Int64) throws(StoreError) -> Int {
        var removed = 0
        while true {
            let ids = try store.unseenCleanRecords(model, pushedSince: since, limit: 1_000)
            if ids.isEmpty { return removed }
            for id in ids {
                try store.removeRecord(model, id)
                _ = try store.appendChange(
                    Change(
                        seq: 0, model: model.name, id: id, kind: .delete, origin: .remote,
                        group: nil, at: ports.now(), fields: []))
            }
            removed += ids.count
        }
    }
}
