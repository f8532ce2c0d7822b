extension BackgroundSync {
    /// What the session shows.
    package enum Notice: Sendable, Equatable {
        case network(NetworkMonitor.State)
        case record(SyncNotice)
        /// A sync ended with this many delivered and taken in; only when there were any.
        case synced(pushed: Int, pulled: Int, deleted: Int)
        case failed(SyncError)
    }
}

/// Which failures a person has heard of.
struct ToldFailures: Sendable, Equatable {
    /// What the last sync that did not succeed failed by.
    private var last: SyncError?
    /// What the store failed by beside a sync, in this turn and in the one before.
    private var beside: SyncError?
    private var besideBefore: SyncError?

    /// A turn begins.
    mutating func begin() {
        besideBefore = beside
        beside = nil
    }

    /// A sync failed: news where the one before did not fail so.
    mutating func isNews(_ failure: SyncError) -> Bool {
        defer { last = failure }
        return failure != last && failure != beside
    }

    /// The store failed beside a sync: news once a turn, where nothing failed so before.
    mutating func isNews(beside failure: SyncError) -> Bool {
        guard beside == nil else { return false }
        beside = failure
        return failure != besideBefore && failure != last
    }

    /// A sync pulled everything: what fails from now on is news.
    mutating func recover() { last = nil }
}
