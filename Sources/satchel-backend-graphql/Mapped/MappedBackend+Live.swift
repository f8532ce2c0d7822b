package import JSON
package import PluginKit
internal import Records

extension MappedBackend {
    package func subscribe(
        models: [String]?, filters: JSONValue?, _ call: PluginCall
    ) throws(PluginError) {
        let connection = try reach()
        guard let host else { return }
        feed?.close()
        let wanted = models ?? schema.models.map(\.name)
        let plans = wanted.compactMap { connection.plans[$0] }
            .filter { !$0.mapping.subscriptions.isEmpty }
        guard connection.settings.isLive else {
            throw PluginError(.unsupported, "live changes are off: config.live")
        }
        guard !plans.isEmpty, connection.mapping.transport != .off else {
            throw PluginError(.unsupported, "the mapping has no subscriptions")
        }
        feed = try LiveFeed(connection, plans, host: host, in: environment)
    }

    package var watchedDescriptors: [Int32] { feed?.descriptors ?? [] }

    package func react(to descriptor: Int32) { _ = feed?.advance() }

    package func idle() -> PluginIdle { feed?.advance() ?? .done }
}
