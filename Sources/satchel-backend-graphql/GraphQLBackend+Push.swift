package import PluginKit

extension GraphQLBackend {
    package func push(
        _ operations: [PluginOperation], _ call: PluginCall
    ) throws(PluginError) -> [PluginVerdict?] {
        let connection = try reach()
        dropAhead()
        var run = PushRun(
            operations, connection.client, atOnce: connection.settings.concurrency
        ) { (name) throws(PluginError) in try self.plan(name) }
        let verdicts = try run.run(call)
        noteWrites(operations, verdicts)
        return verdicts
    }
}
