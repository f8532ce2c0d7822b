internal import Storage
internal import Sync

/// Keeps what a session finds out of the network for `status` of other processes, which would show
/// what the last sync by command met.
struct KeptNetwork {
    private var known: NetworkMonitor.State = .unknown
    private var pollAt: Int64?

    /// Writes the state down where the backend was heard or missed since the last call.
    mutating func keep(_ monitor: NetworkMonitor, in store: Store) throws(StoreError) {
        let isNews = monitor.state != known || monitor.pollAt != pollAt
        (known, pollAt) = (monitor.state, monitor.pollAt)
        switch known {
        case .unknown, .paused: return
        case .online, .offline, .needsAuth: break
        }
        guard isNews, try store.meta(.network) != known.rawValue else { return }
        try store.write { () throws(StoreError) in
            try store.setMeta(.network, known.rawValue)
            if known == .online { try store.setMeta(.lastError, nil) }
        }
    }
}
