internal import JSON
package import Outbox
internal import Records
internal import Sabotage
package import Storage

/// Brings a store and a backend together, one step at a time.
///
/// No transaction is open while the backend is asked. A step that fails leaves the store as if
/// the process had been killed there: the next step goes on from it.
package final class SyncEngine {
    package let store: Store
    package let outbox: Outbox
    let backend: any Backend
    let settings: SyncSettings
    let ports: SyncPorts
    package var notify: (SyncNotice) -> Void
    package private(set) var capabilities: Capabilities?

    var pageLimit: Int
    /// Mutations that failed alone and let others pass until an instant.
    var heldBack: [Int64: Int64] = [:]
    /// Mutations that failed alone since others last passed, and by what.
    var failedAlone: [Int64: String] = [:]
    /// The pulls that were begun early, by model, and when: until it is collected, the backend may
    /// hold such a page for however long.
    var begun: [String: (request: PullRequest, asked: Vantage)] = [:]
    /// Full pulls that have come to their end and wait for consent to remove records.
    var unfinished: [String: Cursor] = [:]
    /// The next batch of a push, chosen while the one before it was on its way.
    var prepared: PreparedBatch?
    /// What ended pulls removed.
    var removed: [String: Int] = [:]

    package init(
        store: Store, backend: any Backend, settings: SyncSettings, ports: SyncPorts,
        notify: @escaping (SyncNotice) -> Void = { _ in }
    ) {
        self.store = store
        self.backend = backend
        self.settings = settings
        self.ports = ports
        self.notify = notify
        outbox = Outbox(store: store, now: ports.now, makeKey: ports.makeKey)
        pageLimit = settings.page
    }

    /// Greets the backend and checks that it is the data set this store belongs to.
    ///
    /// With `acceptRemote` a changed data set is the new one: all is pulled anew and the outbox
    /// stays.
    package func open(acceptRemote: Bool) throws(SyncError) -> Capabilities {
        let found = try asked { () throws(BackendError) in try backend.capabilities() }
        capabilities = found
        try keep(isReadOnly: !found.pushes)
        guard let identity = try asked({ () throws(BackendError) in try backend.identity() })
        else { return found }
        let known = try stored { () throws(StoreError) in try store.meta(.identity) }
        if let known, !known.sameBytes(as: identity), !acceptRemote, !sabotage(.ignoreIdentity) {
            throw .identityChanged(known: known, found: identity)
        }
        if known.map({ $0.sameBytes(as: identity) }) ?? false { return found }
        try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) in
                if known != nil {
                    for model in store.schema.models { try store.deleteCursor(model.name) }
                }
                try store.setMeta(.identity, identity)
            }
        }
        return found
    }

    /// Keeps for those who write later, and do not ask the backend, whether it takes changes.
    private func keep(isReadOnly: Bool) throws(SyncError) {
        try stored { () throws(StoreError) in
            guard (try store.meta(.readOnly) != nil) != isReadOnly else { return }
            try store.write { () throws(StoreError) in
                try store.setMeta(.readOnly, isReadOnly ? "true" : nil)
            }
        }
    }

    /// What the backend can do, asked once.
    func able() throws(SyncError) -> Capabilities {
        if let capabilities { return capabilities }
        return try open(acceptRemote: false)
    }

    /// Takes the push lease; what a dead owner was sending has an unknown outcome.
    package func takeLease() throws(SyncError) {
        let lease = lease
        // Marked as unknown with the rest: whether it was put back before, nobody need know.
        prepared = nil
        let holder = try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) -> Lease? in
                if let holder = try store.takeLease(
                    lease, now: ports.now(), isAlive: ports.isAlive)
                {
                    return holder
                }
                if sabotage(.treatUnknownAsUnsent) { try forgetSending() }
                if !sabotage(.forgetInFlight) { _ = try store.markAllSendingUnknown() }
                return nil
            }
        }
        if let holder { throw .leaseHeld(pid: holder.pid) }
    }

    /// What `treatUnknownAsUnsent` does.
    private func forgetSending() throws(StoreError) {
        for var mutation in try store.mutations(states: [.sending]) {
            mutation.state = .queued
            mutation.isFrozen = false
            mutation.key = ports.makeKey()
            try store.updateMutation(mutation)
        }
    }

    package func releaseLease() throws(SyncError) {
        try putBackPrepared()
        try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) in try store.releaseLease(owner: ports.owner) }
        }
    }

    /// Keeps the change feed within 90 days and 200,000 lines.
    ///
    /// The lines of the last hour and the newest 10,000 stay: whoever waits for an answer finds in
    /// them what was heard meanwhile.
    func pruneFeed() throws(SyncError) {
        let (hour, day): (Int64, Int64) = (3_600_000, 86_400_000)
        let now = ports.now()
        let bounds = FeedBounds(
            oldest: now - 90 * day, count: 200_000, young: now - hour, sparing: 10_000)
        try stored { () throws(StoreError) in
            while !ports.isInterrupted(), try store.pruneChanges(bounds) > 0 {}
        }
    }

    /// Writes in one transaction, and tells what it came to once that is committed.
    func written<T>(
        _ body: (_ notices: inout [SyncNotice]) throws(StoreError) -> T
    ) throws(SyncError) -> T {
        var notices: [SyncNotice] = []
        let result = try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) in try body(&notices) }
        }
        for notice in notices { notify(notice) }
        return result
    }

    /// This process's claim to push, from now on.
    var lease: Lease {
        Lease(
            owner: ports.owner, pid: ports.pid, bootID: ports.bootID,
            expiresAt: ports.now() + SyncEngine.leaseMilliseconds)
    }

    /// Longer than the longest request, so that a lease never runs out under a push.
    package static let leaseMilliseconds: Int64 = 330_000

    func model(_ name: String) -> Model? { store.schema.model(name) }
}
