/// What a person asked of one sync.
package struct SyncOptions: Sendable, Equatable {
    package var pushes = true
    package var pulls = true
    /// Nil for all models.
    package var models: [String]?
    package var full = false
    package var acceptDeletions = false
    package var acceptRemote = false
    /// Only this command's mutations.
    package var group: String?
    /// True where a person waits: stored delays that the backend did not announce do not count.
    package var isAsked = true
    /// Milliseconds since 1970 by which it has to end; nil for no bound.
    package var deadline: Int64?

    package init() {}
}

/// What one sync did and what it left: `sync`'s answer.
package struct SyncReport: Sendable, Equatable {
    package var pushed = 0
    package var pulled = 0
    package var deleted = 0
    /// Items in quarantine now.
    package var quarantined = 0
    /// Records in conflict now.
    package var conflicts = 0
    /// Rejected mutations in the queue now.
    package var rejected = 0
    package var waiting = 0
    /// Mutations still to be delivered.
    package var remaining = 0
    /// Every model asked for was pulled to its end.
    package var complete = true
    package var refusedModels: [String] = []
    /// The backend takes no changes.
    package var isReadOnly = false

    package init() {}
}

/// A sync's report, and why it stopped early if it did.
package struct SyncOutcome: Sendable, Equatable {
    package var report: SyncReport
    package var failure: SyncError?
    /// The pull came to its end, whatever became of the push.
    package var hasPulled = false
}
