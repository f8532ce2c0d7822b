package import JSON
package import PluginKit
package import Records

/// A record as an answer has it.
package enum Item: Sendable, Equatable {
    case record(RecordID, version: JSONValue?, JSONObject)
    case deleted(RecordID, version: JSONValue?)
    /// No record can be made of it; its id where it tells it.
    case bad(RecordID?, String)

    /// What tells it from the others of a list; nil where nothing does.
    ///
    /// A delta may have several states of a record, a list of all has it once.
    func identity(of json: JSONValue, isDelta: Bool) -> JSONValue? {
        switch self {
        case .record(let id, _, _), .deleted(let id, _): isDelta ? json : .string(id.text)
        case .bad: nil
        }
    }
}

extension ModelPlan {
    /// Reads a record.
    package func item(_ json: JSONValue) -> Item {
        guard case .object(let members) = json else {
            return .bad(nil, "it is \(json.isNull ? "null" : "no object")")
        }
        if let unreadable = UnreadableItem(members) {
            let key = unreadable.members(model.key.map(wireName))
            let known = JSONObject(key.pairs.map { (localName($0.key), $0.value) })
            return .bad(model.id(of: known), "it cannot be read: \(unreadable.reason)")
        }
        var record = JSONObject()
        record.reserveCapacity(members.count)
        var version: JSONValue?
        var isDeleted = false
        for (key, value) in members.pairs {
            guard key.utf8.first == UInt8(ascii: "_") else {
                // The data of a conflict does not know our aliases.
                record.append(hasWireNames ? localName(key) : key, value)
                continue
            }
            switch key {
            case "_version": version = value.isNull ? .none : value
            case "_deleted": isDeleted = value == true
            case "_lastChangedAt", "__typename": break
            default: record.append(key, value)
            }
        }
        for relation in model.relations where model.field(relation.name) == nil {
            record[relation.name] = nil
        }
        if !isVersioned {
            version = stamp.flatMap { record[$0] }
            if version?.isNull ?? true { version = .string(hash(of: record)) }
            if let stamp, model.field(stamp) == nil { record[stamp] = nil }
        }
        guard let id = model.id(of: record) else {
            return .bad(nil, "its key is missing: \(model.key.joined(separator: ", "))")
        }
        return isDeleted ? .deleted(id, version: version) : .record(id, version: version, record)
    }

    /// True when the answer has every field that was asked for, and its version.
    package func isWhole(_ json: JSONValue) -> Bool {
        guard case .object(let members) = json else { return false }
        if isVersioned, members["_version"]?.integer == nil { return false }
        return fields.allSatisfy { members.index(of: $0.name) != nil }
    }

    /// True when the data of a conflict is the record as it is now, all that is null left out.
    package func isTelling(_ json: JSONValue) -> Bool {
        guard case .object(let members) = json else { return false }
        if isVersioned, members["_version"]?.integer == nil { return false }
        if !isVersioned, stamp.map({ members.index(of: $0) == nil }) ?? true { return false }
        if members["_deleted"] == true { return true }
        return fields.allSatisfy { !$0.isRequired || members.index(of: wireName($0.name)) != nil }
    }

    /// A version for records that have none: another state has another one.
    private func hash(of record: JSONObject) -> String {
        var record = record
        for owner in owners where model.field(owner) == nil { record[owner] = nil }
        let digest = Digest.sha256(JSONValue.object(record).bytes())
        return "#\(Digest.hexadecimal(Array(digest.prefix(16))))"
    }
}

extension PluginPage {
    /// Puts an item down.
    ///
    /// Data that is no record is shown as it came, `raw`; where it tells no id, `place` says
    /// where it was found.
    package func append(_ item: Item, raw: JSONValue, place: String) {
        switch item {
        case .record(let id, let version, let record):
            append(id: id, version: version, record: record)
        case .deleted(let id, let version): append(deleted: id, version: version)
        case .bad(let id, let reason):
            let head = id == nil ? "\(place): \(reason)" : reason
            append(
                undecodable: id, raw: "\(head): \(raw.serialized())".utf8.prefix(65_536),
                reason: head)
        }
    }
}
