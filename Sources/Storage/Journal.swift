package import JSON
package import Records

/// What one command did to one record.
package struct JournalEntry: Sendable, Equatable {
    package var key: RecordKey
    /// The changed fields, or the whole record, as they were; nil where there was no record.
    package var before: JSONObject?
    /// The same after the command; nil where there is no record, or, for a create, where its
    /// values are no longer known.
    package var after: JSONObject?

    package init(key: RecordKey, before: JSONObject?, after: JSONObject?) {
        self.key = key
        self.before = before
        self.after = after
    }

    package var isCreate: Bool { before == nil }
}

/// A command's writes, undone as one.
package struct UndoGroup: Sendable, Equatable {
    package var group: String
    /// Milliseconds since 1970.
    package var at: Int64

    package init(group: String, at: Int64) {
        self.group = group
        self.at = at
    }
}
