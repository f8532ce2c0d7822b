internal import JSON
internal import Records
internal import Sync

extension JSONValue {
    /// The value; nil when it is null.
    var unlessNull: JSONValue? {
        // A ternary with nil would give `.null`, which is what nil spells as a JSONValue.
        if isNull { return .none }
        return self
    }
}

/// An item of `records`: what it holds, or why it cannot be used.
enum RemoteItem {
    case record(RemoteRecord)
    case undecodable(Undecodable)

    /// The most that a version, a cursor, an epoch, an identity or an id may take.
    static let opaqueLimit = 4 * 1024
    /// How deep a record may nest.
    static let depthLimit = 128

    /// Integers are taken as ids too: some backends number their records.
    static func id(_ value: JSONValue) -> RecordID? {
        switch value {
        case .string(let text) where !text.isEmpty && text.utf8.count <= opaqueLimit: RecordID(text)
        case .int(let number): RecordID(String(number))
        default: nil
        }
    }

    /// True when a version or a cursor is short enough to be kept.
    static func isOpaque(_ value: JSONValue) -> Bool {
        switch value {
        case .null, .bool, .int, .double: true
        case .string(let text) where text.utf8.count < opaqueLimit / 6: true
        default: value.bytes().count <= opaqueLimit
        }
    }

    /// Most records are flat, so the nested members alone are measured.
    static func isTooDeep(_ record: JSONObject) -> Bool {
        record.pairs.indices.contains { place in
            switch record.pairs[place].value {
            case .array, .object: record.pairs[place].value.depth >= depthLimit
            default: false
            }
        }
    }
}
