package import JSON
package import Records

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
