internal import Platform
package import PluginKit

extension GraphQLBackend {
    /// Milliseconds after which a push sends nothing more: the host waits five minutes at most, and
    /// what it does not hear of has to be looked up record by record.
    private static let sending: Int64 = 30_000
    /// Milliseconds that answers are waited for once the host gave up.
    private static let patience: Int64 = 1_500

    package func push(
        _ operations: [PluginOperation], _ call: PluginCall
    ) throws(PluginError) -> [PluginVerdict?] {
        let connection = try reach()
        dropAhead()
        var run = PushRun(
            operations, connection.client, atOnce: connection.settings.concurrency
        ) { (name) throws(PluginError) in try self.plan(name) }
        let clock = Clock.system
        let begun = clock.monotonic()
        var cancelledAt: Int64?
        return try run.run { (done) throws(PluginError) in
            let now = clock.monotonic()
            if cancelledAt == nil, call.isCancelled { cancelledAt = now }
            if let cancelledAt {
                guard now - cancelledAt < Self.patience else { throw .cancelled }
                return false
            }
            call.progress(done, of: operations.count)
            return now - begun < Self.sending
        }
    }
}
