package import JSON

/// One queued change of one record.
package struct Mutation: Sendable, Equatable {
    package enum Kind: String, Sendable, Equatable {
        case create, update, delete
        /// A delete and a create of one id: the record's whole state is set anew.
        case replace
    }

    package enum State: String, Sendable, Equatable, CaseIterable {
        case queued
        case sending
        /// Sent; the outcome is not known.
        case unknown
        /// Held until a mutation it depends on is delivered.
        case waiting
        /// Parked until a person chooses; its values stay in view.
        case conflict
        /// The backend will never take it; out of view, kept with its reason.
        case rejected

        /// Live mutations are part of what the user sees.
        package var isLive: Bool { self != .rejected }
    }

    /// Why the backend, or Satchel on its behalf, did not take a mutation.
    package struct Failure: Sendable, Equatable {
        /// Such as `rule`, `permission`, `dependency`, `conflict`, `edit-delete`, `schema`.
        package var kind: String
        package var message: String
        package var field: String?

        package init(kind: String, message: String, field: String? = nil) {
            self.kind = kind
            self.message = message
            self.field = field
        }
    }

    /// The place in the queue; 0 before it has one.
    package var seq: Int64
    /// The idempotency key, a UUID: frozen with the payload at the first send.
    package var key: String
    /// The command that made it: undone as one.
    package var group: String
    package var model: String
    package var id: RecordID
    package var kind: Kind
    /// The changed fields; the whole record of a create or replace; empty for a delete.
    package var set: JSONObject
    /// What the backend held of those fields when they were first touched.
    package var was: JSONObject
    /// The version the change was made on; nil for a create.
    package var baseVersion: JSONValue?
    package var state: State
    /// Sends charged to this mutation.
    package var attempts: Int
    /// True once sent: key and payload no longer change.
    package var isFrozen: Bool
    /// Not to be sent before this instant, in milliseconds since 1970; 0 for at once.
    package var notBefore: Int64
    package var failure: Failure?
    /// Milliseconds since 1970.
    package var createdAt: Int64

    package init(
        seq: Int64 = 0, key: String, group: String, model: String, id: RecordID, kind: Kind,
        set: JSONObject = JSONObject(), was: JSONObject = JSONObject(),
        baseVersion: JSONValue? = nil, state: State = .queued, attempts: Int = 0,
        isFrozen: Bool = false, notBefore: Int64 = 0, failure: Failure? = nil,
        createdAt: Int64 = 0
    ) {
        self.seq = seq
        self.key = key
        self.group = group
        self.model = model
        self.id = id
        self.kind = kind
        self.set = set
        self.was = was
        self.baseVersion = baseVersion
        self.state = state
        self.attempts = attempts
        self.isFrozen = isFrozen
        self.notBefore = notBefore
        self.failure = failure
        self.createdAt = createdAt
    }

    package var record: RecordKey { RecordKey(model, id) }
}
