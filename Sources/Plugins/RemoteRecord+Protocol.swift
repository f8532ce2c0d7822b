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

    /// Reads one item of `model`; what it shows of a bad one is masked by `text`.
    init(_ item: JSONValue, of model: String, text: ForeignText) {
        guard case .object(let members) = item else {
            self = .bad(nil, item, "it is no object", text)
            return
        }
        var id: RecordID?
        var version: JSONValue?
        var record: JSONValue?
        var isDeleted = false
        var isOther = false
        // By place: to take a member out costs counting it, and the count is far away by now.
        for place in members.pairs.indices {
            switch members.pairs[place].key {
            case "id": id = Self.id(members.pairs[place].value)
            case "version": version = members.pairs[place].value.unlessNull
            case "record": record = members.pairs[place].value
            case "model":
                isOther = members.pairs[place].value.text.map { !$0.sameBytes(as: model) } ?? false
            case "deleted": isDeleted = members.pairs[place].value.boolean ?? false
            default: break
            }
        }
        guard let id else {
            self = .bad(
                nil, item, "it has no id, or one longer than \(Self.opaqueLimit) bytes", text)
            return
        }
        if isOther {
            self = .bad(nil, item, "it says that it is of another model than \(model)", text)
            return
        }
        if let version, !Self.isOpaque(version) {
            self = .bad(id, item, "its version is longer than \(Self.opaqueLimit) bytes", text)
            return
        }
        if isDeleted {
            self = .record(RemoteRecord(id: id, version: version, record: nil))
            return
        }
        guard case .object(let fields)? = record else {
            self = .bad(id, record ?? item, "its record is no object", text)
            return
        }
        guard !Self.isTooDeep(fields) else {
            self = .bad(
                id, .object(fields), "it is nested deeper than \(Self.depthLimit) levels", text)
            return
        }
        self = .record(RemoteRecord(id: id, version: version, record: fields))
    }

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

    private static func bad(
        _ id: RecordID?, _ raw: JSONValue, _ reason: String, _ text: ForeignText
    ) -> RemoteItem {
        // A plugin that cannot read its own data hands it over as a text.
        let raw = raw.text ?? raw.serialized()
        return .undecodable(Undecodable(id: id, raw: text.masker.mask(raw), reason: reason))
    }
}
