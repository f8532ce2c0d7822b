internal import JSON
package import PluginKit
internal import Records

/// What becomes of an operation before anything is sent.
package enum PushRequest: Sendable, Equatable {
    case send(GraphQLRequest, ModelPlan.Write)
    /// Its verdict without asking the server.
    case settled(PluginVerdict)
}

extension ModelPlan {
    /// The mutation for an operation.
    ///
    /// Only the changed fields travel: two clients that change different fields both keep theirs,
    /// and a list that the server merges does not double.
    package func request(for operation: PluginOperation) -> PushRequest {
        if let verdict = fault(in: operation) { return .settled(verdict) }
        guard let key = model.keyValues(of: operation.id) else {
            return .settled(
                .rejected(
                    message: "\(operation.id.text) is no id of \(model.name)", code: "validation",
                    field: model.key.first))
        }
        let verb: Write
        var input: JSONObject
        switch operation.kind {
        case .create where operation.baseVersion == nil,
            .replace where operation.baseVersion == nil:
            verb = .create
            input = key.overlaid(with: sent(by: operation))
            // What is null is left out, and so is a default of the server's own.
            input = JSONObject(unchecked: input.pairs.filter { !$0.value.isNull })
        case .create, .replace, .update:
            verb = .update
            input = key.overlaid(with: sent(by: operation))
        case .delete:
            verb = .delete
            input = key
        }
        var variables = JSONObject()
        var isConditional = false
        if let base = operation.baseVersion, verb != .create {
            if isVersioned {
                input["_version"] = base
            } else if let stamp, canCondition, base.text?.hasPrefix("#") != true {
                isConditional = true
                let equal = JSONValue.object(JSONObject([("eq", base)]))
                variables.append("condition", .object(JSONObject([(stamp, equal)])))
            }
        }
        let named = input.pairs.map { (key: wireName($0.key), value: $0.value) }
        variables.append("input", .object(JSONObject(unchecked: named)))
        guard let document = write(verb, conditional: isConditional) else {
            return .settled(
                .rejected(
                    message: "the API has no mutation to \(verb.rawValue) a \(model.name)",
                    code: "disabled"))
        }
        return .send(GraphQLRequest(document, variables), verb)
    }

    /// The values that a write sends, beside the key.
    func sent(by operation: PluginOperation) -> JSONObject {
        switch operation.kind {
        case .create where operation.baseVersion == nil,
            .replace where operation.baseVersion == nil:
            return writable(operation.record ?? operation.set)
        case .create, .replace:
            var whole = JSONObject()
            // Whose it is stays, unless somebody says otherwise.
            for field in fields where !field.isReadOnly && !isKey(field.name) {
                if !owners.contains(wireName(field.name)) { whole.append(field.name, .null) }
            }
            return whole.overlaid(with: writable(operation.record ?? operation.set))
        case .update: return writable(operation.set)
        case .delete: return JSONObject()
        }
    }

    /// True when the server cannot judge what the write was made on: it has to be looked at first.
    package func mustLookFirst(_ operation: PluginOperation) -> Bool {
        guard !isVersioned, let base = operation.baseVersion else { return false }
        return stamp == nil || !canCondition || base.text?.hasPrefix("#") == true
    }

    /// What is wrong with an operation by the schema alone: the server would do it half.
    private func fault(in operation: PluginOperation) -> PluginVerdict? {
        guard operation.kind != .delete else { return nil }
        for (name, value) in operation.set.pairs {
            guard let field = model.field(name) else {
                // It was read, and is set by the server.
                if owners.contains(name) { continue }
                return .rejected(
                    message: "\(model.name) has no field \(name)", code: "schema", field: name)
            }
            if missing.contains(where: { $0.sameBytes(as: name) }) {
                if field.isReadOnly || value.isNull { continue }
                return .rejected(
                    message: "the API's \(model.name) has no field \(name) yet", code: "schema",
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
