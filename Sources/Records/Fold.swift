package import JSON

/// The backend's last known state of a record.
package struct Base: Sendable, Equatable {
    /// Opaque to Satchel; compared for equality only.
    package var version: JSONValue?
    /// Nil when the record does not exist there.
    package var record: JSONObject?
    /// The last record known before the backend deleted it: shown beside a kept edit.
    package var deletedRecord: JSONObject?

    package init(
        version: JSONValue? = nil, record: JSONObject? = nil, deletedRecord: JSONObject? = nil
    ) {
        self.version = version
        self.record = record
        self.deletedRecord = deletedRecord
    }

    package static let absent = Base()
}

extension Mutation {
    /// What `record` becomes under this mutation; nil stands for no record.
    ///
    /// An update of a record that is gone keeps what the user had of it: `deletedRecord` is the
    /// ground it stands on, so that nothing the user sees disappears while it waits for them.
    package func applied(to record: JSONObject?, orElse deletedRecord: JSONObject? = nil)
        -> JSONObject?
    {
        switch kind {
        case .create, .replace: set
        case .update: (record ?? deletedRecord).map { $0.overlaid(with: set) }
        case .delete: state == .conflict ? record : nil
        }
    }
}

/// The state in view: `base` with the live mutations of `mutations` applied in their order.
package func fold(_ base: Base, _ mutations: [Mutation]) -> JSONObject? {
    var record = base.record
    for mutation in mutations where mutation.state.isLive {
        record = mutation.applied(to: record, orElse: base.deletedRecord)
    }
    return record
}
