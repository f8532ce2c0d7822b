package import JSON
package import Records

/// A backend as the engine sees it: one remote data set, asked one question at a time.
///
/// Calls block until answered, until the conformer's deadline, or until it is told to stop.
/// A conformer is confined to one thread.
package protocol Backend: AnyObject {
    /// What messages call it, such as "plugin folder".
    var title: String { get }

    /// What the backend can do; asks it first if that is not known yet.
    func capabilities() throws(BackendError) -> Capabilities

    /// Names the remote data set; nil when the backend cannot tell.
    func identity() throws(BackendError) -> String?

    /// Returns when the backend itself has answered.
    func ping() throws(BackendError)

    /// One page of the model's records after the request's cursor.
    func pull(_ request: PullRequest) throws(BackendError) -> PullPage

    /// May begin to answer `request` now; a `pull` with an equal request then collects it.
    func prefetch(_ request: PullRequest)

    /// The present state of some records; one that is not there comes back as deleted.
    func fetch(model: String, ids: [RecordID]) throws(BackendError) -> [RemoteRecord]

    /// Offers operations; sending one key twice must have the effect of sending it once where
    /// the backend declares that it deduplicates keys.
    ///
    /// - Returns: The verdict by key; a key without one has an unknown outcome.
    func push(_ operations: [PushOperation]) throws(BackendError) -> [String: PushOutcome]

    /// As `push`; `meanwhile` is called once while the backend works, or not at all.
    func push(
        _ operations: [PushOperation], meanwhile: () -> Void
    ) throws(BackendError) -> [String: PushOutcome]

    /// Asks for events from now on; `nextEvents` then returns them.
    func subscribe(models: [String]) throws(BackendError)

    /// Events that have arrived, oldest first; never waits.
    func nextEvents() throws(BackendError) -> [RemoteEvent]
}

extension Backend {
    package var title: String { "the backend" }
    package func prefetch(_ request: PullRequest) {}
    package func push(
        _ operations: [PushOperation], meanwhile: () -> Void
    ) throws(BackendError) -> [String: PushOutcome] {
        try push(operations)
    }
    package func subscribe(models: [String]) throws(BackendError) {
        throw BackendError(.unsupported, "the backend sends no events")
    }
    package func nextEvents() throws(BackendError) -> [RemoteEvent] { [] }
}

package struct PullRequest: Sendable, Equatable {
    package var model: String
    /// Opaque; nil starts from the beginning.
    package var cursor: JSONValue?
    package var limit: Int
    /// Only records that match, where the backend can filter.
    package var filter: Filter?

    package init(model: String, cursor: JSONValue?, limit: Int, filter: Filter? = nil) {
        self.model = model
        self.cursor = cursor
        self.limit = limit
        self.filter = filter
    }
}

package struct PullPage: Sendable, Equatable {
    package var records: [RemoteRecord]
    /// Data of this page that is no record: kept raw, the page goes on.
    package var undecodable: [Undecodable]
    /// Where the next pull continues; nil on a last page where it begins at the start.
    package var cursor: JSONValue?
    /// True when another page follows at once.
    package var more: Bool
    /// Changes when the history of the data set starts anew.
    package var epoch: JSONValue?
    /// False when the backend cut its answer short; nil when it does not say.
    package var complete: Bool?

    package init(
        records: [RemoteRecord] = [], undecodable: [Undecodable] = [], cursor: JSONValue? = nil,
        more: Bool = false, epoch: JSONValue? = nil, complete: Bool? = nil
    ) {
        self.records = records
        self.undecodable = undecodable
        self.cursor = cursor
        self.more = more
        self.epoch = epoch
        self.complete = complete
    }
}

package struct Undecodable: Sendable, Equatable {
    package var id: RecordID?
    /// The bytes as they came.
    package var raw: String
    package var reason: String

    package init(id: RecordID?, raw: String, reason: String) {
        self.id = id
        self.raw = raw
        self.reason = reason
    }
}

/// A record as the backend holds it, or its tombstone.
package struct RemoteRecord: Sendable, Equatable {
    package var id: RecordID
    package var version: JSONValue?
    /// Nil when the record is deleted there.
    package var record: JSONObject?

    package init(id: RecordID, version: JSONValue?, record: JSONObject?) {
        self.id = id
        self.version = version
        self.record = record
    }

    package var isDeleted: Bool { record == nil }
}

/// One mutation on its way to the backend.
package struct PushOperation: Sendable, Equatable {
    package var key: String
    package var group: String
    package var model: String
    package var id: RecordID
    package var kind: Mutation.Kind
    package var baseVersion: JSONValue?
    package var set: JSONObject
    /// The whole wanted record; nil for a delete.
    package var record: JSONObject?

    package init(
        key: String, group: String, model: String, id: RecordID, kind: Mutation.Kind,
        baseVersion: JSONValue?, set: JSONObject, record: JSONObject?
    ) {
        self.key = key
        self.group = group
        self.model = model
        self.id = id
        self.kind = kind
        self.baseVersion = baseVersion
        self.set = set
        self.record = record
    }
}

/// The backend's verdict on one mutation.
package enum PushOutcome: Sendable, Equatable {
    /// Taken; the answer is the truth, also where it differs from what was asked.
    /// A nil record means the record is gone (a delete), `assignedID` an id made there.
    case ok(version: JSONValue?, record: JSONObject?, assignedID: RecordID?)
    /// The backend moved on first.
    case conflict(ConflictAnswer)
    /// It will never be taken as it is.
    case rejected(message: String, code: String?, field: String?)
    /// Not now; ask again after the delay, in milliseconds.
    case retry(message: String, afterMilliseconds: Int64?)
    /// Credentials are missing or expired: nothing is charged.
    case auth(message: String)
    /// What was said tells nothing, such as "a verdict that cannot be read": as no verdict.
    case unknown(message: String)

    package enum ConflictAnswer: Sendable, Equatable {
        case record(JSONObject, version: JSONValue?)
        case gone(version: JSONValue?)
        /// Not told: fetch it.
        case unknown
    }
}

package enum RemoteEvent: Sendable, Equatable {
    /// Something changed; the record comes along where the backend has it whole.
    case changed(
        model: String, id: RecordID, version: JSONValue?, record: JSONObject?, deleted: Bool,
        originKey: String?)
    /// Events were lost: pull again.
    case gap
}

package struct Capabilities: Sendable, Equatable {
    package enum Idempotency: String, Sendable { case key, conditional, none }

    package var pushes: Bool = false
    package var idempotency: Idempotency = .none
    /// Operations a push may hold.
    package var batch: Int = 1
    /// Bytes a push may hold; 0 for no bound but the protocol's.
    package var batchBytes: Int = 0
    package var isAtomic: Bool = false
    package var assignsIDs: Bool = false
    package var hasDelta: Bool = false
    package var hasTombstones: Bool = false
    package var hasSnapshot: Bool = false
    /// Records a page may hold; 0 for no bound.
    package var page: Int = 0
    package var filterOperators: [String] = []
    package var hasEvents: Bool = false
    package var answersPing: Bool = false
    package var hasFetch: Bool = true

    package init() {}
}

/// Why a whole request failed.
package struct BackendError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// The network, the server, a time-out on the way: the whole context waits.
        case retryable
        /// As `retryable`, with the backend's own delay; no attempt is charged.
        case rateLimited(afterMilliseconds: Int64?)
        /// Credentials are missing or expired.
        case auth
        /// Asking again will not help, such as a model that may not be read.
        case permanent
        /// The cursor is of another history: pull from the start.
        case cursorExpired
        /// Halve the batch or the page.
        case tooLarge
        case unsupported
        /// The user interrupted, or the command's time is over.
        case cancelled
        /// The plugin broke the protocol or died: exit code 7.
        case broken
        /// The plugin missed a deadline, and was stopped: exit code 7. It is not asked again at once,
        /// which would take as long again.
        case hung
        /// The plugin may not be run here, or cannot be found.
        case unavailable
        /// The workspace is not trusted: exit code 9.
        case untrusted
    }

    package var kind: Kind
    package var message: String
    package var hint: String?

    package init(_ kind: Kind, _ message: String, hint: String? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
    }
}
