package import JSON
package import Records

/// One change that the host wants made.
package struct PluginOperation: Sendable, Equatable {
    /// The idempotency key.
    package var key: String
    /// Operations of one command carry the same group.
    package var group: String?
    package var model: String
    package var id: RecordID
    package var kind: Mutation.Kind
    /// The version the change was made on, as the plugin gave it; nil when there was none.
    package var baseVersion: JSONValue?
    /// The changed fields.
    package var set: JSONObject
    /// The whole wanted record; nil for a delete, or when the host does not send it.
    package var record: JSONObject?

    package init(
        key: String, group: String? = nil, model: String, id: RecordID, kind: Mutation.Kind,
        baseVersion: JSONValue? = nil, set: JSONObject = JSONObject(), record: JSONObject? = nil
    ) {
        self.key = key
        self.group = group
        self.model = model
        self.id = id
        self.kind = kind
        self.baseVersion = baseVersion
        self.set = set
        self.record = record
    }

    init(json: JSONValue) throws(PluginError) {
        guard let object = json.members else {
            throw PluginError(.permanent, "an operation of the push is no object")
        }
        let word = try object.requiredText("kind")
        guard let kind = Mutation.Kind(rawValue: word) else {
            throw PluginError(.permanent, "an operation is of the unknown kind \(word)")
        }
        self.init(
            key: try object.requiredText("key"), group: object["group"]?.text,
            model: try object.requiredText("model"),
            id: RecordID(try object.requiredText("id")), kind: kind,
            baseVersion: object.present("base_version"),
            set: object["set"]?.members ?? JSONObject(), record: object["record"]?.members)
    }
}

/// The verdict on one operation.
package enum PluginVerdict: Sendable, Equatable {
    /// Taken; the answer is the truth. A nil record means that it is gone now.
    case ok(version: JSONValue?, record: JSONObject?, assignedID: RecordID? = nil)
    /// The backend moved on first: it has `record` now, or nothing.
    case conflict(version: JSONValue?, record: JSONObject?)
    /// The backend moved on first, and the plugin does not know to what.
    case conflictUnseen(version: JSONValue?)
    /// It will never be taken as it is.
    case rejected(message: String, code: String? = nil, field: String? = nil)
    /// Not now.
    case retry(message: String, afterMilliseconds: Int64? = nil)
    case auth(message: String)
    /// Whether it was done is not known, and why: the host finds out. Nil as a verdict says as much
    /// without a word.
    case unknown(message: String)
}

extension PluginVerdict {
    /// The member of `results` for the operation with `key`.
    package func json(key: String) -> JSONValue {
        var object = JSONObject([("key", .string(key))])
        switch self {
        case .ok(let version, let record, let assignedID):
            object.append("outcome", "ok")
            object.append("version", version ?? .null)
            object.append("record", record.map { .object($0) } ?? .null)
            if let assignedID { object.append("id", .string(assignedID.text)) }
        case .conflict(let version, let record):
            object.append("outcome", "conflict")
            object.append("version", version ?? .null)
            object.append("record", record.map { .object($0) } ?? .null)
        case .conflictUnseen(let version):
            object.append("outcome", "conflict")
            object.append("version", version ?? .null)
        case .rejected(let message, let code, let field):
            object.append("outcome", "rejected")
            object.append("message", .string(message))
            if let code { object.append("code", .string(code)) }
            if let field { object.append("field", .string(field)) }
        case .retry(let message, let delay):
            object.append("outcome", "retry")
            object.append("message", .string(message))
            if let delay { object.append("after_ms", .int(delay)) }
        case .auth(let message):
            object.append("outcome", "auth")
            object.append("message", .string(message))
        case .unknown(let message):
            object.append("outcome", "unknown")
            object.append("message", .string(message))
        }
        return .object(object)
    }
}
