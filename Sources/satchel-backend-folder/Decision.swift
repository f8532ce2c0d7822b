internal import JSON
package import PluginKit
internal import Records

/// What becomes of a record under an operation, as far as its version and the rules say.
package enum Decision: Equatable, Sendable {
    /// The record becomes this.
    case apply(StoredRecord)
    /// There is nothing to do: it is as wanted already.
    case unchanged
    /// The operation was made on another state: perhaps by another client's change, perhaps by
    /// this very operation, sent before. The log tells which.
    case stale
    case rejected(Rules.Breach)

    /// Decides on `operation`, with `stored` what the folder has of the record now.
    package init(_ operation: PluginOperation, on stored: StoredRecord?, rules: Rules) {
        let next = (stored?.version ?? 0) + 1
        switch operation.kind {
        case .create:
            // A record may be created anew where one was deleted.
            guard stored?.record == nil else {
                self = .stale
                return
            }
            let record = operation.record ?? operation.set
            self = Self.applying(record, changed: nil, operation.model, next, rules)
        case .update:
            guard let stored, let record = stored.record, operation.isMade(on: stored) else {
                self = .stale
                return
            }
            self = Self.applying(
                record.overlaid(with: operation.set), changed: operation.set.keys,
                operation.model, next, rules)
        case .replace:
            guard operation.isMade(on: stored) else {
                self = .stale
                return
            }
            let record = operation.record ?? operation.set
            self = Self.applying(record, changed: nil, operation.model, next, rules)
        case .delete:
            guard let stored, stored.record != nil else {
                self = .unchanged
                return
            }
            guard operation.isMade(on: stored) else {
                self = .stale
                return
            }
            if let breach = rules.breach(deletingIn: operation.model) {
                self = .rejected(breach)
            } else {
                self = .apply(StoredRecord(version: next, record: nil))
            }
        }
    }

    private static func applying(
        _ record: JSONObject, changed: [String]?, _ model: String, _ version: Int64, _ rules: Rules
    ) -> Decision {
        if let breach = rules.breach(of: record, changed: changed, in: model) {
            return .rejected(breach)
        }
        return .apply(StoredRecord(version: version, record: record))
    }
}

extension PluginOperation {
    /// True when the change was made on the state the folder has.
    ///
    /// Without a base version nothing is known, which is right only where nothing is there.
    fileprivate func isMade(on stored: StoredRecord?) -> Bool {
        switch (baseVersion, stored) {
        case (.int(let base)?, let stored?): base == stored.version
        case (nil, nil): true
        case (nil, let stored?): stored.record == nil
        default: false
        }
    }
}
