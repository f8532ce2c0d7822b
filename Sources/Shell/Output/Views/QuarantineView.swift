package import JSON

/// Incoming data that was not understood, as `quarantine` lists it.
package struct QuarantineView: Listed, Sendable {
    package var number: Int64
    package var model: String
    package var id: String?
    package var reason: String
    /// Milliseconds since 1970.
    package var receivedAt: Int64
    package var bytes: Int

    package init(
        number: Int64, model: String, id: String?, reason: String, receivedAt: Int64, bytes: Int
    ) {
        self.number = number
        self.model = model
        self.id = id
        self.reason = reason
        self.receivedAt = receivedAt
        self.bytes = bytes
    }

    package static let keys = ["n", "model", "id", "reason", "received_at", "bytes"]

    package var values: [JSONValue] {
        [
            .int(number), .string(model), id.map { .string($0) } ?? .null, .string(reason),
            instant(receivedAt), .int(Int64(bytes)),
        ]
    }

    package static let columns = [
        Column("n", .value(0), alignment: .right, isKey: true), Column("model", .value(1)),
        Column("id", .value(2), isElided: true), Column("reason", .value(3), weight: .telling),
        Column("received_at", .value(4), weight: .light),
        Column("bytes", .value(5), alignment: .right, weight: .light),
    ]

    package var cells: [JSONValue] { values }
    package var handle: JSONValue { .int(number) }
}
