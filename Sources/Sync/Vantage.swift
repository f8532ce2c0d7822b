internal import Records
internal import Storage

/// The moment at which the backend was asked something: what others heard of it since may be newer
/// than the answer.
struct Vantage {
    /// The change feed's end.
    var feed: Int64
    /// Tells whether other processes have committed since.
    var data: Int64
}

extension SyncEngine {
    func vantage() throws(SyncError) -> Vantage {
        try stored { () throws(StoreError) in
            Vantage(feed: try store.lastChangeSeq(), data: try store.dataVersion())
        }
    }

    /// The model's records of which the store heard from the backend after `vantage`: an answer
    /// that was asked for then may be older.
    ///
    /// Our own pages come one after the other; those of another process do not count as ours.
    func heardSince(_ vantage: Vantage, of model: String) throws(StoreError) -> Set<RecordID> {
        if try store.dataVersion() == vantage.data {
            return try store.recordsPushed(since: vantage.feed, model: model)
        }
        return try store.recordsHeard(since: vantage.feed, model: model)
    }
}
