package import JSON
package import Records

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

package enum RemoteEvent: Sendable, Equatable {
    /// Something changed; the record comes along where the backend has it whole.
    case changed(
        model: String, id: RecordID, version: JSONValue?, record: JSONObject?, deleted: Bool,
        originKey: String?)
    /// Events were lost: pull again.
    case gap
}
