internal import JSON
package import PluginKit
internal import Records

// Answers of AppSync that do not tell enough, where the record does.
extension ModelPlan {
    package func mustLookAfter(
        _ operation: PluginOperation, _ answer: GraphQLAnswer, root: String
    ) -> Bool {
        guard answer.value(at: [root]) == nil, let fault = answer.fault(of: root) else {
            return false
        }
        if fault.isBelow(root) { return true }
        switch fault.kind {
        // What holds the id may be a tombstone.
        case .condition, .conflict: return isVersioned && operation.makes
        // It was done, but something that it selects for others cannot be given, such as a parent.
        case .unreadable: return true
        default: return false
        }
    }

    package func outcome(
        of operation: PluginOperation, _ verb: Write, _ verdict: PluginVerdict?,
        seeing look: GraphQLAnswer
    ) -> PushOutcome {
        guard look.errors.isEmpty else { return .settled(verdict) }
        let result = look.value(at: ["r0"])
        if case .unknown? = verdict {
            return .settled(isDone(operation, verb, result) ?? verdict)
        }
        guard let result else { return .settled(verdict) }
        switch item(result) {
        case .deleted(let id, let version?) where id == operation.id:
            // Made anew on its tombstone it comes back.
            var again = operation
            again.kind = .replace
            again.baseVersion = version
            again.record = operation.record ?? operation.set
            return .again(again)
        case .record(let id, let version, let record) where id == operation.id:
            return .settled(.conflict(version: version, record: record))
        default: return .settled(verdict)
        }
    }

    /// The verdict where the record shows that the write was done; nil where it does not.
    private func isDone(
        _ operation: PluginOperation, _ verb: Write, _ result: JSONValue?
    ) -> PluginVerdict? {
        guard let result else {
            return verb == .delete && !isVersioned ? .ok(version: nil, record: nil) : nil
        }
        switch item(result) {
        case .deleted(let id, let version) where id == operation.id && verb == .delete:
            return isNews(version, to: operation) ? .ok(version: version, record: nil) : nil
        case .record(let id, let version, let record) where id == operation.id && verb != .delete:
            guard isWhole(result), isNews(version, to: operation),
                version != operation.baseVersion || version == nil,
                sent(by: operation).pairs.allSatisfy({ name, value in
                    // What is null of a new record is left to the server.
                    record[name] ?? .null == value || verb == .create && value.isNull
                })
            else { return nil }
            return .ok(version: version, record: record)
        default: return nil
        }
    }
}

extension PluginOperation {
    /// True for one that makes a record which was not there.
    fileprivate var makes: Bool {
        switch kind {
        case .create, .replace: baseVersion == nil
        case .update, .delete: false
        }
    }
}

extension PluginVerdict {
    /// The verdict on a record that was to be made on its own tombstone.
    func onTombstone(_ id: RecordID) -> PluginVerdict {
        switch self {
        case .conflict(_, nil), .rejected(_, "disabled", _):
            .rejected(
                message:
                    "the API keeps the id \(id.text) for a record that was deleted, and does not "
                    + "give it back: give this up (queue drop), and make it under another id",
                code: "deleted")
        default: self
        }
    }
}
