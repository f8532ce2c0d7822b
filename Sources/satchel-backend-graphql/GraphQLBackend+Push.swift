internal import JSON
package import PluginKit
internal import Records

extension GraphQLBackend {
    package func push(
        _ operations: [PluginOperation], _ call: PluginCall
    ) throws(PluginError) -> [PluginVerdict?] {
        let connection = try reach()
        dropAhead()
        var run = PushRun(
            operations.map(onTombstone), connection.client,
            atOnce: connection.settings.concurrency
        ) { (name) throws(PluginError) in try self.plan(name) }
        let verdicts = try run.run(call)
        for (operation, verdict) in zip(operations, verdicts) where operation.makesNew {
            guard case .conflict(let version?, nil)? = verdict else { continue }
            noteTombstone(RecordKey(operation.model, operation.id), version)
        }
        return verdicts
    }

    /// A create whose id lies under a tombstone is written onto that: while it is there, no create of
    /// that id succeeds, and a write with its version brings the record back.
    private func onTombstone(_ operation: PluginOperation) -> PluginOperation {
        guard operation.makesNew,
            let version = tombstones[RecordKey(operation.model, operation.id)]
        else { return operation }
        var operation = operation
        operation.kind = .replace
        operation.baseVersion = version
        return operation
    }

    /// Tombstones that are remembered.
    private static let mostTombstones = 10_000

    /// Remembers the version of a tombstone, as the host finds it once a create is refused; nil where
    /// there is none.
    func noteTombstone(_ key: RecordKey, _ version: JSONValue?) {
        if tombstones.count >= Self.mostTombstones { tombstones = [:] }
        tombstones[key] = version
    }
}

extension PluginOperation {
    /// True where it makes a record.
    fileprivate var makesNew: Bool { baseVersion == nil && (kind == .create || kind == .replace) }
}
