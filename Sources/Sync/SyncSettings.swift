package import JSON
package import Storage
package import Records

/// What a workspace says about syncing its models.
package struct SyncSettings: Sendable {
    /// Selective sync: only records that match are kept; the text names the scope.
    package var filters: [String: (text: String, filter: Filter)]
    package var policies: [String: MergePolicies]
    /// Records a page asks for at most.
    package var page: Int
    /// Consecutive conflicts of one record before it is parked.
    package var conflictBound: Int
    /// Records of a model that the end of a full pull may remove without consent, whatever their
    /// share.
    package var deletionsWithoutConsent: Int
    /// Pages in a row that may bring nothing new, with ever new cursors, before the backend is taken
    /// for one whose pages never end.
    package var barrenPages: Int

    package init(
        filters: [String: (text: String, filter: Filter)] = [:],
        policies: [String: MergePolicies] = [:], page: Int = 5_000, conflictBound: Int = 8,
        deletionsWithoutConsent: Int = 100, barrenPages: Int = 10_000
    ) {
        self.filters = filters
        self.policies = policies
        self.page = page
        self.conflictBound = conflictBound
        self.deletionsWithoutConsent = deletionsWithoutConsent
        self.barrenPages = barrenPages
    }

    package func policies(of model: String) -> MergePolicies {
        policies[model] ?? MergePolicies(model: .manual, fields: [:])
    }
}

/// What the program of a merge policy made of a conflict.
package enum MergeAnswer: Sendable, Equatable {
    /// The merged record. What is said of fields that are not the program's to decide is passed over.
    case record(JSONObject)
    /// It could not decide, for this reason: the record waits for a person.
    case failed(String)
    /// It was not run, for this reason: the next sync asks it again.
    case unasked(String)
}

/// The world's edges that the engine needs: passed in, so that a test can run it in virtual time.
package struct SyncPorts {
    /// Milliseconds since 1970.
    package var now: () -> Int64
    package var random: () -> UInt64
    /// Makes UUIDs.
    package var makeKey: () -> String
    /// Waits so many milliseconds; false when the user interrupted.
    package var wait: (Int64) -> Bool
    package var isInterrupted: () -> Bool
    /// Who takes the push lease.
    package var owner: String
    package var pid: Int32
    package var bootID: String
    /// True while the process that holds a lease runs.
    package var isAlive: (Lease) -> Bool
    /// Asks the program of a merge policy, named by its command line; nil where none is run.
    ///
    /// The input is `{"model", "id", "base", "local", "remote", "fields"}`: three whole records, and
    /// the names of the fields that this program decides. No transaction is open meanwhile.
    package var resolve: ((_ program: String, _ input: JSONValue) -> MergeAnswer)?

    package init(
        now: @escaping () -> Int64, random: @escaping () -> UInt64,
        makeKey: @escaping () -> String, wait: @escaping (Int64) -> Bool,
        isInterrupted: @escaping () -> Bool, owner: String, pid: Int32, bootID: String,
        isAlive: @escaping (Lease) -> Bool,
        resolve: ((_ program: String, _ input: JSONValue) -> MergeAnswer)? = nil
    ) {
        self.now = now
        self.random = random
        self.makeKey = makeKey
        self.wait = wait
        self.isInterrupted = isInterrupted
        self.owner = owner
        self.pid = pid
        self.bootID = bootID
        self.isAlive = isAlive
        self.resolve = resolve
    }
}

/// What happened to one record or model while syncing: shown as it happens.
package enum SyncNotice: Sendable, Equatable {
    case delivered(Mutation)
    /// Rolled back in view, kept in the queue.
    case rejected(Mutation)
    /// Of the kind "command" where a program is about to be asked.
    case conflict(RecordKey, kind: String)
    /// The program of its merge policy did not decide: the conflict waits.
    case undecided(RecordKey, reason: String)
    case quarantined(RecordKey, reason: String)
    /// Records that a pull of everything did not meet are kept: an item without an id may be them.
    case doubtful(model: String, count: Int)
    /// Records of the model applied so far, in this run.
    case pulled(model: String, count: Int)
    case modelRefused(model: String, reason: String)
    /// The history there is another one: everything is pulled again.
    case restarted(model: String, reason: String)
    case waiting(milliseconds: Int64, reason: String)
}

extension Mutation {
    /// Such as "update of Post 0190c2".
    package var summary: String { "\(kind.rawValue) of \(model) \(id)" }
}
