internal import JSON
internal import Records
internal import Sync

extension RemoteItem {
    /// Reads one item of `model`; what it shows of a bad one is masked by `text`.
    init(_ item: JSONValue, of model: String, text: ForeignText) {
        guard case .object(let members) = item else {
            self = .bad(nil, .item(item.serialized()), "it is no object", text)
            return
        }
        if let named = members["model"]?.text, !named.sameBytes(as: model) {
            self = .bad(
                nil, .item(item.serialized()), "it says that it is of another model than \(model)",
                text)
            return
        }
        let record = members["record"]
        self.init(
            Parts(
                id: members["id"], version: members["version"],
                isDeleted: members["deleted"]?.boolean ?? false, reason: members["reason"]),
            record, text: text
        ) { item.serialized() }
        if case .record(let whole) = self, let fields = whole.record, Self.isTooDeep(fields) {
            self = .bad(whole.id, .record(.object(fields)), Self.tooDeep, text)
        }
    }

    /// Reads an element whose values are id, record, version, deleted, model, reason.
    init(_ row: inout JSONRow, text: ForeignText) {
        let parts = Parts(
            id: row.values[0].take(), version: row.values[2].take(),
            isDeleted: row.values[3].take()?.boolean ?? false, reason: row.values[5].take())
        guard let fault = row.fault else {
            guard row.bytes.first == UInt8(ascii: "{") else {
                self = .bad(nil, .item(row.text), "it is no object", text)
                return
            }
            self.init(parts, row.values[1].take(), text: text) { [bytes = row.bytes] in
                String(decoding: bytes, as: UTF8.self)
            }
            return
        }
        let id = parts.id.flatMap(Self.id)
        let isOfRecord = row.broken?.place == 1
        if isOfRecord, parts.isDeleted, let id {
            // What a deleted record held is nothing that is wanted.
            self = .record(RemoteRecord(id: id, version: parts.opaqueVersion, record: nil))
            return
        }
        let reason = fault.kind == .tooDeep ? Self.tooDeep : "it cannot be read: \(fault.message)"
        let raw =
            if isOfRecord, let record = row.broken?.text { Raw.recordText(record) } else {
                Raw.item(row.text)
            }
        self = .bad(id, raw, text.shown(reason, limit: 300), text)
    }

    /// The members of an item besides its record.
    private struct Parts {
        var id: JSONValue?
        var version: JSONValue?
        var isDeleted: Bool
        /// Why the plugin itself takes it for no record.
        var reason: JSONValue?

        func reason(or words: String, _ text: ForeignText) -> String {
            guard let told = reason?.text, !told.isEmpty else { return words }
            return text.shown(told, limit: 300)
        }

        var opaqueVersion: JSONValue? {
            version?.unlessNull.flatMap { RemoteItem.isOpaque($0) ? $0 : .none }
        }
    }

    private init(
        _ parts: Parts, _ record: JSONValue?, text: ForeignText, item: () -> String
    ) {
        guard let id = parts.id.flatMap(Self.id) else {
            let words = "it has no id, or one longer than \(Self.opaqueLimit) bytes"
            self = .bad(nil, .item(item()), parts.reason(or: words, text), text)
            return
        }
        let version = parts.version?.unlessNull
        if let version, !Self.isOpaque(version) {
            self = .bad(
                id, record.map { .record($0) } ?? .item(item()),
                "its version is longer than \(Self.opaqueLimit) bytes", text)
            return
        }
        if parts.isDeleted {
            self = .record(RemoteRecord(id: id, version: version, record: nil))
            return
        }
        guard case .object(let fields)? = record else {
            self = .bad(
                id, record.map { .record($0) } ?? .item(item()),
                parts.reason(or: "its record is no object", text), text)
            return
        }
        self = .record(RemoteRecord(id: id, version: version, record: fields))
    }

    private static let tooDeep = "it is nested deeper than \(depthLimit) levels"

    /// A record that says that it is of another model than was asked for.
    static func foreign(
        _ record: RemoteRecord, to model: String, _ text: ForeignText
    ) -> Undecodable {
        let item = JSONObject([
            ("id", .string(record.id.text)), ("version", record.version ?? .null),
            ("record", record.record.map { .object($0) } ?? .null),
        ])
        return undecodable(
            nil, .item(JSONValue.object(item).serialized()),
            "it says that it is of another model than \(model)", text)
    }

    /// What is kept of an item that cannot be used.
    private enum Raw {
        case record(JSONValue)
        case recordText(String)
        /// The whole item. It goes into a list: nothing may take it for the record it is around.
        case item(String)

        var text: String {
            switch self {
            // A plugin that cannot read its own data hands it over as a text.
            case .record(let value): value.text ?? value.serialized()
            case .recordText(let text): text
            case .item(let text): "[\(text)]"
            }
        }
    }

    private static func bad(
        _ id: RecordID?, _ raw: Raw, _ reason: String, _ text: ForeignText
    ) -> RemoteItem {
        .undecodable(undecodable(id, raw, reason, text))
    }

    private static func undecodable(
        _ id: RecordID?, _ raw: Raw, _ reason: String, _ text: ForeignText
    ) -> Undecodable {
        Undecodable(id: id, raw: text.masker.mask(raw.text), reason: reason)
    }
}
