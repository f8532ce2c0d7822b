internal import JSON
internal import Records
package import Sync

extension PluginBackend {
    package func push(
        _ operations: [PushOperation]
    ) throws(BackendError) -> [String: PushOutcome] {
        try push(operations) {}
    }

    package func push(
        _ operations: [PushOperation], meanwhile: () -> Void
    ) throws(BackendError) -> [String: PushOutcome] {
        let answer = try ask(
            .push, JSONObject([("ops", .array(operations.map(Self.description)))]),
            meanwhile: meanwhile)
        guard case .array(let results)? = answer["results"] else {
            throw malformed(.push, "there is no list of results")
        }
        var asked: [String: PushOperation] = [:]
        for operation in operations { asked[operation.key] = operation }
        var verdicts: [String: PushOutcome] = [:]
        var disputed: Set<String> = []
        for result in results {
            guard let key = result["key"]?.text, let operation = asked[key] else {
                note("a verdict on an operation that was not pushed is ignored")
                continue
            }
            let verdict =
                outcome(result, of: operation) ?? .unknown(message: "a verdict that cannot be read")
            if let other = verdicts[key], other != verdict {
                verdicts[key] = .unknown(message: "two verdicts that contradict each other")
                disputed.insert(key)
            } else if !disputed.contains(key) {
                verdicts[key] = verdict
            }
        }
        return verdicts
    }

    private static func description(_ operation: PushOperation) -> JSONValue {
        [
            "key": .string(operation.key), "group": .string(operation.group),
            "model": .string(operation.model), "id": .string(operation.id.text),
            "kind": .string(operation.kind.rawValue),
            "base_version": operation.baseVersion ?? .null,
            "set": .object(operation.set),
            "record": operation.record.map { .object($0) } ?? .null,
        ]
    }

    private func outcome(_ result: JSONValue, of operation: PushOperation) -> PushOutcome? {
        guard case .object(let members) = result else { return nil }
        let version = members["version"]?.unlessNull
        if let version, !RemoteItem.isOpaque(version) { return nil }
        let message = text.shown(members["message"]?.text ?? "no reason given")
        switch members["outcome"]?.text {
        case "ok": return taken(members, version, operation)
        case "conflict": return conflict(members, version)
        case "rejected":
            return .rejected(
                message: message, code: members["code"]?.text.map { text.shown($0, limit: 100) },
                field: members["field"]?.text.map { text.shown($0, limit: 200) })
        case "retry":
            return .retry(message: message, afterMilliseconds: members["after_ms"]?.delay)
        case "auth": return .auth(message: message)
        case "unknown": return .unknown(message: "no verdict: \(message)")
        default: return nil
        }
    }

    private func taken(
        _ members: JSONObject, _ version: JSONValue?, _ operation: PushOperation
    ) -> PushOutcome? {
        let id = members["id"].flatMap(RemoteItem.id)
        let assigned = id == operation.id ? nil : id
        // Some backends answer a delete with the record that was deleted.
        if operation.kind == .delete {
            return .ok(version: version, record: nil, assignedID: assigned)
        }
        switch members["record"] {
        case .object(let record)? where !RemoteItem.isTooDeep(record):
            return .ok(version: version, record: record, assignedID: assigned)
        case .null?: return .ok(version: version, record: nil, assignedID: assigned)
        // Not told: it was taken as it was sent.
        case nil: return .ok(version: version, record: operation.record, assignedID: assigned)
        default: return nil
        }
    }

    private func conflict(_ members: JSONObject, _ version: JSONValue?) -> PushOutcome? {
        switch members["record"] {
        case .object(let record)? where !RemoteItem.isTooDeep(record):
            .conflict(.record(record, version: version))
        case .null?: .conflict(.gone(version: version))
        case nil: .conflict(.unknown)
        default: nil
        }
    }

    func note(_ words: String) {
        setting.log(
            PluginLog(plugin: setting.name, source: .host, message: text.shown(words)))
    }
}
