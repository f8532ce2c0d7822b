internal import JSON
package import PluginKit
internal import Records

extension ModelPlan {
    /// The verdict on an operation, from what the server answered to its mutation.
    ///
    /// - Returns: Nil when the answer does not tell whether it was done: the host looks.
    package func verdict(
        on operation: PluginOperation, _ verb: Write, _ answer: GraphQLAnswer, root: String
    ) -> PluginVerdict? {
        if let result = answer.value(at: [root]) {
            // Beside an error about the whole of it, a record does not tell that it was written.
            guard answer.errors.allSatisfy({ $0.path.count > 1 && $0.path[0] == .string(root) })
            else { return nil }
            return taken(operation, verb, result, faults(in: answer, below: root))
        }
        guard let fault = answer.fault(of: root) else { return nil }
        // What is below the write's field is asked for once it was done.
        guard !fault.isBelow(root) else { return .unknown(message: fault.message) }
        switch fault.kind {
        case .conflict: return conflict(operation, fault.data)
        case .condition: return conflict(operation, fault.data)
        case .permission: return .rejected(message: fault.message, code: "permission")
        case .auth: return .auth(message: fault.message)
        case .throttled: return .retry(message: fault.message)
        case .tooLarge: return .rejected(message: fault.message, code: "too_large")
        case .disabled: return .rejected(message: fault.message, code: "disabled")
        case .failure, .unreadable: return .unknown(message: fault.message)
        case .invalid, .badToken:
            return .rejected(
                message: fault.message, code: "validation", field: field(blamedBy: fault, operation)
            )
        case .other:
            return .rejected(
                message: fault.message, code: fault.type.isEmpty ? "server" : fault.type,
                field: field(blamedBy: fault, operation))
        }
    }

    /// Errors about fields of the record; relations are selected for other clients only.
    private func faults(in answer: GraphQLAnswer, below root: String) -> [GraphQLFault] {
        answer.errors.filter { fault in
            guard fault.path.count > 1, fault.path[0] == .string(root),
                let name = fault.path[1].text
            else { return false }
            return model.relation(name) == nil
        }
    }

    private func taken(
        _ operation: PluginOperation, _ verb: Write, _ result: JSONValue, _ faults: [GraphQLFault]
    ) -> PluginVerdict? {
        let item = item(result)
        if verb == .delete {
            switch item {
            case .deleted(let id, let version) where id == operation.id:
                guard isNews(version, to: operation) else { return nil }
                return .ok(version: version, record: nil)
            // Without tombstones the answer is the record as it was last.
            case .record(let id, _, _) where id == operation.id && !isVersioned:
                return .ok(version: nil, record: nil)
            default: return nil
            }
        }
        guard faults.allSatisfy({ $0.kind == .permission }), isWhole(result) else { return nil }
        switch item {
        case .record(let id, _, _) where id != operation.id: return nil
        case .record(_, let version, var record):
            guard isNews(version, to: operation) else { return nil }
            // What may be written but not read is as it was written.
            for case let name? in faults.map({ $0.path[1].text }) {
                if let sent = operation.set[name] { record[name] = sent }
            }
            if wasOverruled(operation, version, record) {
                return .conflict(version: version, record: record)
            }
            return .ok(version: version, record: record)
        case .deleted(_, let version):
            guard isNews(version, to: operation) else { return nil }
            return .conflict(version: version, record: nil)
        case .bad: return nil
        }
    }

    /// True when a write can have led to a version: each makes a higher one than it was made on.
    func isNews(_ version: JSONValue?, to operation: PluginOperation) -> Bool {
        guard isVersioned, let base = operation.baseVersion?.integer else { return true }
        return version.flatMap(\.integer).map { $0 > base } ?? false
    }

    /// True when the server merged the write into a newer state and kept its own value of a plain
    /// field: saying that it was taken would lose the user's value in silence.
    ///
    /// The version tells: it grew by more than this write.
    private func wasOverruled(
        _ operation: PluginOperation, _ version: JSONValue?, _ record: JSONObject
    ) -> Bool {
        guard isVersioned, let base = operation.baseVersion?.integer,
            let now = version?.integer, base < .max, now > base + 1
        else { return false }
        return sent(by: operation).pairs.contains { name, value in
            switch value {
            // The server merges these item by item.
            case .array, .object: false
            default: record[name] ?? .null != value
            }
        }
    }

    private func conflict(_ operation: PluginOperation, _ data: JSONValue?) -> PluginVerdict {
        guard let data, isTelling(data) else { return .conflictUnseen(version: nil) }
        let told = item(data)
        // What is older than what the write was made on is not what stood against it.
        guard !isVersioned || !told.isBefore(operation.baseVersion) else {
            return .conflictUnseen(version: nil)
        }
        switch told {
        case .deleted(_, let version):
            // Wanted and there already.
            if operation.kind == .delete { return .ok(version: version, record: nil) }
            return .conflict(version: version, record: nil)
        case .record(let id, let version, let record) where id == operation.id:
            return .conflict(version: version, record: record)
        case .record, .bad: return .conflictUnseen(version: nil)
        }
    }

    /// The field that a refusal is about: the one it names, else the only one that it can mean.
    private func field(blamedBy fault: GraphQLFault, _ operation: PluginOperation) -> String? {
        let names = operation.set.keys.filter { name in model.field(name) != nil }
        let words = fault.message.utf8.split { byte in
            !(0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte == 0x5F)
        }
        if let named = names.first(where: { name in
            words.contains { $0.elementsEqual(name.utf8) }
        }) {
            return named
        }
        let kinds = names.filter { name in
            guard let field = model.field(name), let value = operation.set[name] else {
                return false
            }
            return !field.accepts(remote: value, in: Schema())
        }
        if kinds.count == 1 { return kinds[0] }
        let own = names.filter { name in !model.key.contains { $0.sameBytes(as: name) } }
        return own.count == 1 ? own[0] : nil
    }
}

extension Item {
    /// True when its version is a number below that one.
    fileprivate func isBefore(_ base: JSONValue?) -> Bool {
        guard let base = base?.integer else { return false }
        switch self {
        case .record(_, let version, _), .deleted(_, let version):
            return version.flatMap(\.integer).map { $0 < base } ?? false
        case .bad: return false
        }
    }
}
