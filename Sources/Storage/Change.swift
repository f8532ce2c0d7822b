package import JSON
package import Records

package enum ChangeKind: String, Sendable, Equatable, CaseIterable {
    case insert, update, delete
    /// The backend took it; nothing changed in view.
    case synced
    /// The backend will never take it.
    case rejected
    /// The backend told the record's present state outside a pull, and nothing changed in view: a
    /// page that was asked for before may be older. Not shown.
    case heard
}

package enum ChangeOrigin: String, Sendable, Equatable, CaseIterable {
    /// A command of this workspace.
    case local
    /// A pull or an event.
    case remote
    /// The answer to a push.
    case push
    /// Taking back what was refused, dropped or undone.
    case rollback
    /// A merge.
    case rebase
}

/// A line of the change feed: what happened to a record in view.
package struct Change: Sendable, Equatable {
    /// The place in the feed; 0 before it has one.
    package var seq: Int64
    package var model: String
    package var id: RecordID
    package var kind: ChangeKind
    package var origin: ChangeOrigin
    package var group: String?
    /// Milliseconds since 1970.
    package var at: Int64
    /// The fields that changed.
    ///
    /// An insert or delete concerns all: none are kept for it, and the model's are given back.
    package var fields: [String]
    package var version: JSONValue?
    /// The place of the first line that its transaction wrote, the same for what was committed
    /// together; given by the store.
    package var commit: Int64

    package init(
        seq: Int64 = 0, model: String, id: RecordID, kind: ChangeKind, origin: ChangeOrigin,
        group: String? = nil, at: Int64, fields: [String] = [], version: JSONValue? = nil,
        commit: Int64 = 0
    ) {
        self.seq = seq
        self.model = model
        self.id = id
        self.kind = kind
        self.origin = origin
        self.group = group
        self.at = at
        self.fields = fields
        self.version = version
        self.commit = commit
    }
}
