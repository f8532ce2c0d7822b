package import JSON
package import Records

/// A change that happened, as `log` lists it.
package struct LogEntry: Listed, Sendable {
    /// What `--since` takes.
    package var token: String
    /// Milliseconds since 1970.
    package var at: Int64
    package var origin: String
    package var kind: String
    package var key: RecordKey
    package var group: String?
    /// The names of the fields that changed.
    package var fields: [String]

    package init(
        token: String, at: Int64, origin: String, kind: String, key: RecordKey, group: String?,
        fields: [String]
    ) {
        self.token = token
        self.at = at
        self.origin = origin
        self.kind = kind
        self.key = key
        self.group = group
        self.fields = fields
    }

    package static let keys = [
        "token", "at", "origin", "kind", "model", "id", "group", "fields",
    ]

    package var values: [JSONValue] {
        [
            .string(token), instant(at), .string(origin), .string(kind), .string(key.model),
            .string(key.id.text), group.map { .string($0) } ?? .null,
            .array(fields.map { .string($0) }),
        ]
    }

    package static let columns = [
        Column("token", .value(0), isKey: true), Column("at", .value(1), isKey: true),
        Column("kind", .value(2)), Column("origin", .value(3), weight: .light),
        Column("model", .value(4)), Column("id", .value(5), isElided: true),
        Column("fields", .value(6)),
    ]

    package var cells: [JSONValue] {
        [
            .string(token), instant(at), .string(kind), .string(origin), .string(key.model),
            .string(key.id.text), .string(fields.joined(separator: ", ")),
        ]
    }

    package var handle: JSONValue { .string(token) }
}
