internal import JSON

/// The identity of a record within its model, as text.
///
/// One key field: its value's text (`42`, `0190c2…`). A composite key: the compact JSON array of
/// its values in key order, such as `["c1",7]`, which no separator in a value can forge.
package struct RecordID: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    package init(_ text: String) { self.text = text }

    package var description: String { text }

    package static func == (left: RecordID, right: RecordID) -> Bool {
        left.text.sameBytes(as: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        var copy = text
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// A record of a model: what queue, base and feed are keyed by.
package struct RecordKey: Sendable, Hashable {
    package let model: String
    package let id: RecordID

    package init(_ model: String, _ id: RecordID) {
        self.model = model
        self.id = id
    }
}
