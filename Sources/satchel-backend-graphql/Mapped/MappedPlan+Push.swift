internal import JSON
package import PluginKit
internal import Records

extension MappedPlan: WritePlan {
    package func mustLookFirst(_ operation: PluginOperation) -> Bool {
        guard let base = operation.baseVersion else { return false }
        let verb: ModelPlan.Write = operation.kind == .delete ? .delete : .update
        return !isConditional(verb) || base.text?.hasPrefix("#") == true
    }

    package func look(at operation: PluginOperation) -> GraphQLRequest? { fetch(operation.id) }

    package func objection(
        to operation: PluginOperation, _ answer: GraphQLAnswer
    ) -> PluginVerdict? {
        guard answer.errors.isEmpty, let step = mapping.get else {
            return .conflictUnseen(version: nil)
        }
        let data = JSONValue.object(answer.data)
        guard let result = step.result.value(in: data) else {
            // Where the path leads nowhere the mapping is wrong, and nothing is known to be gone.
            guard step.result.isTold(in: data) else { return .conflictUnseen(version: nil) }
            if operation.kind == .delete { return .ok(version: nil, record: nil) }
            return .conflict(version: nil, record: nil)
        }
        switch item(result) {
        case .record(_, let version, let record):
            return version == operation.baseVersion
                ? nil : .conflict(version: version, record: record)
        case .deleted(_, let version):
            if operation.kind == .delete { return .ok(version: version, record: nil) }
            return .conflict(version: version, record: nil)
        case .bad: return .conflictUnseen(version: nil)
        }
    }

    package func request(for operation: PluginOperation) -> PushRequest {
        if let verdict = fault(in: operation) { return .settled(verdict) }
        guard let (key, id) = keyValues(operation.id) else {
            return .settled(
                .rejected(
                    message: "\(operation.id.text) is no id of \(model.name)", code: "validation",
                    field: model.key.first))
        }
        let isNew = operation.baseVersion == nil
        let verb: ModelPlan.Write =
            switch operation.kind {
            case .create, .replace: isNew ? .create : .update
            case .update: .update
            case .delete: .delete
            }
        guard let step = mapping.step(verb) else {
            return .settled(
                .rejected(
                    message: "the mapping has no way to \(verb.rawValue) a \(model.name)",
                    code: "disabled"))
        }
        let record = remote(writable(operation.record ?? operation.set))
        var set = operation.kind == .update ? remote(writable(operation.set)) : record
        if operation.kind != .update, verb == .update {
            // What a replaced record does not have any more is null.
            var whole = JSONObject()
            for field in fields where !field.isReadOnly && !isKey(field.name) {
                whole.append(mapping.fields[field.name] ?? field.name, .null)
            }
            set = whole.overlaid(with: set)
        }
        if verb == .create {
            // What is null is left out, and so is a default of the server's own.
            set = JSONObject(unchecked: set.pairs.filter { !$0.value.isNull })
        }
        let isKeyless = verb == .create && mapping.assignsIDs
        var values = JSONObject([
            ("key", .object(key)), ("id", id), ("set", .object(set)), ("record", .object(record)),
            ("input", .object(isKeyless ? set : key.overlaid(with: set))),
        ])
        if let base = operation.baseVersion, base.text?.hasPrefix("#") != true {
            values.append("version", base)
        }
        return .send(step.request(words, MappingValues(values), isMutation: true), verb)
    }

    /// What is wrong with an operation by the schema alone.
    private func fault(in operation: PluginOperation) -> PluginVerdict? {
        guard operation.kind != .delete else { return nil }
        for (name, value) in operation.set.pairs {
            guard let field = model.field(name) else {
                return .rejected(
                    message: "\(model.name) has no field \(name)", code: "schema", field: name)
            }
            if mapping.missing.contains(name), !field.isReadOnly, !value.isNull {
                return .rejected(
                    message: "the API's \(mapping.type) has no field \(name)", code: "schema",
                    field: name)
            }
            if field.isRequired, value.isNull, !field.isReadOnly {
                return .rejected(
                    message: "\(name) may not be null", code: "required", field: name)
            }
        }
        return nil
    }
}
