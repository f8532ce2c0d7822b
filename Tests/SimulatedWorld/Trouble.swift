import Storage

/// Strikes at a boundary of a transaction, or at a call of the store.
final class Trouble {
    /// Commit boundaries until the process is gone.
    var crash: Int?
    /// Store calls until one fails.
    var failure: (left: Int, kind: StoreError.Kind)?
    var atBegin: () -> Void = {}
    var atCommitted: () -> Void = {}
    var struck: (Fault) -> Void = { _ in }

    private(set) var isGone = false
    var isPaused = false
    private(set) var commits = 0

    func clear() {
        crash = nil
        isGone = false
        failure = nil
    }

    func strike(_ point: StorePoint) throws(StoreError) {
        if point == .committed { commits += 1 }
        if isPaused { return }
        if point == .committed { atCommitted() }
        if point == .begin { atBegin() }
        if point != .committed, let (left, kind) = failure {
            failure = left > 0 ? (left - 1, kind) : nil
            if left == 0 {
                struck(kind == .full ? .storeFull : .storeBusy)
                throw StoreError(kind, "simulated")
            }
        }
        guard point == .commit || point == .committed, let left = crash else { return }
        if left > 0 {
            crash = left - 1
            return
        }
        // Once gone it stays gone: nothing of the step gets any further.
        if !isGone { struck(.crash) }
        isGone = true
        throw StoreError(.closed, "killed")
    }
}
