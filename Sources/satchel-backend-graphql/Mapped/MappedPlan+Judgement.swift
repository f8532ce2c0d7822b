internal import JSON
package import PluginKit
internal import Records

extension MappedPlan {
    package func verdict(
        on operation: PluginOperation, _ verb: ModelPlan.Write, _ answer: GraphQLAnswer,
        root: String
    ) -> PluginVerdict? {
        guard let step = mapping.step(verb) else { return nil }
        let data = JSONValue.object(answer.data)
        if let error = Self.payloadError(step, data) {
            return refusal(operation, error, kind: nil, step)
        }
        guard let result = step.result.value(in: data) else {
            if let fault = answer.errors.first(where: { !isBelow(step, $0) }) ?? answer.errors.first
            {
                // What is below the record is asked for once the write was done.
                guard !isBelow(step, fault) else { return nil }
                let error: JSONValue = [
                    "message": .string(fault.message), "code": .string(fault.type),
                ]
                return refusal(operation, error, kind: fault.kind, step)
            }
            return nothing(operation, verb, step, data)
        }
        if let name = result["__typename"]?.text, name != mapping.type, !isWhole(result),
            mapping.outcomes[name] != nil || result["message"]?.text != nil
        {
            return refusal(operation, result, kind: nil, step)
        }
        guard answer.errors.isEmpty else { return nil }
        if verb == .delete { return deleted(operation, result) }
        if verb == .create, !isFound(result, operation) { return unfound(operation, step, data) }
        guard isWhole(result) else { return nil }
        switch item(result) {
        case .record(let id, let version, let record):
            guard id != operation.id else { return .ok(version: version, record: record) }
            guard verb == .create, mapping.assignsIDs else { return nil }
            return .ok(version: version, record: record, assignedID: id)
        case .deleted(_, let version): return .conflict(version: version, record: nil)
        case .bad: return nil
        }
    }

    /// True when a fault is about a part of the record that a write gives.
    private func isBelow(_ step: MappingStep, _ fault: GraphQLFault) -> Bool {
        fault.path.count > step.result.parts.count
    }

    /// A delete has no more to show than that it was done, but must not tell of another record, or that
    /// it was not.
    private func deleted(_ operation: PluginOperation, _ result: JSONValue) -> PluginVerdict? {
        if result == false || result == 0 {
            return isConditional(.delete) ? .conflictUnseen(version: nil) : nil
        }
        switch item(result) {
        case .record(let id, _, _) where id != operation.id: return nil
        case .deleted(let id, _) where id != operation.id: return nil
        default: return .ok(version: nil, record: nil)
        }
    }

    /// No result and no error: the record that the write was for is not there, or has changed.
    private func nothing(
        _ operation: PluginOperation, _ verb: ModelPlan.Write, _ step: MappingStep,
        _ data: JSONValue
    ) -> PluginVerdict? {
        switch verb {
        // One with an id of ours can be looked at.
        case .create: mapping.assignsIDs ? unfound(operation, step, data) : nil
        case .update: .conflictUnseen(version: nil)
        case .delete:
            isConditional(.delete)
                ? .conflictUnseen(version: nil) : .ok(version: nil, record: nil)
        }
    }

    /// True when an answer to a create tells which record was made.
    private func isFound(_ result: JSONValue, _ operation: PluginOperation) -> Bool {
        switch item(result) {
        case .record(let id, _, _), .deleted(let id, _):
            id == operation.id || mapping.assignsIDs && isWhole(result)
        case .bad: false
        }
    }

    /// An API took a create, as it seems, and does not tell what it made.
    ///
    /// Asked for again it would make another record, and so at each try: a person has to look.
    private func unfound(
        _ operation: PluginOperation, _ step: MappingStep, _ data: JSONValue
    ) -> PluginVerdict {
        let place = step.result.parts.joined(separator: ".")
        let result = step.result.value(in: data)
        let words: String
        if let result, case .record(let id, _, _) = item(result), !mapping.assignsIDs {
            words =
                "the API made it as \(id.text), under an id of its own: say so with assigns_ids of "
                + "config.mapping.models.\(model.name)"
        } else {
            let keys = result?.members?.keys.prefix(8).joined(separator: ", ") ?? "null"
            words =
                "the API's answer has no whole \(model.name) at \(place) (there is: \(keys)): result of "
                + "config.mapping.models.\(model.name).create says where it is, and its query selects "
                + "${fields}"
        }
        return .rejected(message: "\(words); \(Self.advice)", code: "mapping")
    }

    private static let advice =
        "it may have been made: look there first, then queue drop gives it up, and queue retry makes it "
        + "once more"

    package func verdict(onLost operation: PluginOperation) -> PluginVerdict? {
        guard mapping.assignsIDs, operation.kind != .delete, operation.baseVersion == nil else {
            return nil
        }
        return .rejected(
            message:
                "no answer came to its creation, and the API makes the ids itself, so it cannot be "
                + "looked up; \(Self.advice)", code: "unknown")
    }

    /// The first error that a payload holds; nil for none.
    private static func payloadError(_ step: MappingStep, _ data: JSONValue) -> JSONValue? {
        guard let value = step.errors?.value(in: data) else { return nil }
        if let list = value.elements { return list.first }
        return value
    }

    /// What a refusal in the API's own words comes to.
    private func refusal(
        _ operation: PluginOperation, _ error: JSONValue, kind: GraphQLFault.Kind?,
        _ step: MappingStep
    ) -> PluginVerdict? {
        let message = ServerWords.cut(
            error["message"]?.text ?? error.text ?? "the API gives no reason")
        let codes = [
            error["code"]?.text, error["kind"]?.text, error["extensions"]?["code"]?.text,
            error["__typename"]?.text,
        ].compactMap { $0.map(ServerWords.name) }.filter { !$0.isEmpty }
        let named = codes.lazy.compactMap { mapping.outcomes[$0] }.first
        let said = mapping.outcomes.first { name, _ in
            name.hasPrefix("~") && message.range(ofText: String(name.dropFirst())) != nil
        }?.value
        let field = field(error, message, operation)
        switch named ?? said ?? kind.map(Self.outcome) ?? .rejected {
        case .conflict: return conflict(step, error)
        case .gone:
            if operation.kind == .delete { return .ok(version: nil, record: nil) }
            return .conflict(version: nil, record: nil)
        case .rejected:
            return .rejected(message: message, code: codes.first ?? "server", field: field)
        case .permission: return .rejected(message: message, code: "permission", field: field)
        case .auth: return .auth(message: message)
        case .retry: return .retry(message: message)
        case .unknown: return nil
        }
    }

    private static func outcome(_ kind: GraphQLFault.Kind) -> MappingOutcome {
        switch kind {
        case .conflict, .condition: .conflict
        case .permission: .permission
        case .auth: .auth
        case .throttled: .retry
        case .failure, .unreadable: .unknown
        case .tooLarge, .invalid, .disabled, .badToken, .other: .rejected
        }
    }

    private func conflict(_ step: MappingStep, _ error: JSONValue) -> PluginVerdict {
        guard let record = step.current?.value(in: error), isWhole(record) else {
            return .conflictUnseen(version: nil)
        }
        switch item(record) {
        case .record(_, let version, let record):
            return .conflict(version: version, record: record)
        case .deleted(_, let version): return .conflict(version: version, record: nil)
        case .bad: return .conflictUnseen(version: nil)
        }
    }

    /// The field that a refusal is about: the one it names, else the one its words have in them.
    private func field(
        _ error: JSONValue, _ message: String, _ operation: PluginOperation
    ) -> String? {
        let told = error["field"]?.text ?? error["path"]?.elements?.last?.text
        if let told {
            return model.field(told)?.name ?? mapping.fields.first { $0.value == told }?.key
        }
        let words = message.utf8.split { byte in
            !(0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte == 0x5F)
        }
        return operation.set.keys.first { name in
            let theirs = mapping.fields[name] ?? name
            return words.contains { $0.elementsEqual(theirs.utf8) }
        }
    }
}
