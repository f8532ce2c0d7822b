package import JSON

/// How far a model has been pulled.
package struct Cursor: Sendable, Equatable {
    package var model: String
    /// What of the model is pulled: another scope needs a pull from the start.
    package var scope: String
    /// Where the next pull goes on; nil at the start.
    package var token: JSONValue?
    package var epoch: JSONValue?
    /// True once a pull has come to its end.
    package var complete: Bool
    /// Milliseconds since 1970.
    package var syncedAt: Int64?
    /// True while a pull of everything is under way that will remove what it does not meet.
    package var isFull: Bool
    /// True while such a pull is under way because the backend refused the cursor, or its history
    /// began anew.
    package var isReset: Bool
    /// The change feed's end when that pull began.
    package var fullSince: Int64

    package init(
        model: String, scope: String = "", token: JSONValue? = nil, epoch: JSONValue? = nil,
        complete: Bool = false, syncedAt: Int64? = nil, isFull: Bool = false,
        isReset: Bool = false, fullSince: Int64 = 0
    ) {
        self.model = model
        self.scope = scope
        self.token = token
        self.epoch = epoch
        self.complete = complete
        self.syncedAt = syncedAt
        self.isFull = isFull
        self.isReset = isReset
        self.fullSince = fullSince
    }
}
