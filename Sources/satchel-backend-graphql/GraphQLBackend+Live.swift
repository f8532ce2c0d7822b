package import JSON
package import PluginKit
internal import Platform
internal import Records

extension GraphQLBackend {
    /// How long `subscribe` may keep the host: what stands later tells a gap.
    private static let patience: Int64 = 2_000

    package func subscribe(
        models: [String]?, filters: JSONValue?, _ call: PluginCall
    ) throws(PluginError) {
        let connection = try reach()
        guard connection.settings.isLive else {
            throw PluginError(.unsupported, "live changes are off: config.live")
        }
        let wanted = LiveWish(models: models, filters: filters)
        if let live, wanted == liveWish {
            live.hurry()
            return try live.settle(within: Self.patience, call)
        }
        self.live = nil
        let link = try link(wanted, connection)
        live = link
        liveWish = wanted
        try link.settle(within: Self.patience, call)
    }

    private func link(
        _ wish: LiveWish, _ connection: Connection
    ) throws(PluginError) -> LiveLink {
        let settings = connection.settings
        var subjects: [LiveSubject] = []
        for model in schema.models where wish.models?.contains(model.name) ?? true {
            guard let plan = connection.plans[model.name] else { continue }
            let names = connection.client.access[plan.mode].ownerNames(settings.ownerClaim)
            var filter: JSONValue?
            if let json = wish.filters?[model.name], !json.isNull, !plan.hasWireNames {
                let query = PluginQuery(model: model.name, filter: json)
                filter = try query.filter(of: model).flatMap {
                    FilterInput.of($0, model: model, schema: schema)
                }
            }
            for verb in ModelPlan.Write.allCases {
                let subject = LiveSubject(plan, verb, names: names, filter: filter)
                if let subject { subjects.append(subject) }
            }
        }
        guard !subjects.isEmpty, let host else {
            throw PluginError(.unsupported, "the API has no subscriptions of these models")
        }
        return LiveLink(
            subjects, connection.plans, connection.client, address: settings.realTime,
            way: settings.realTimeWay, service: try service(settings), host: host,
            renew: { [weak self] in self?.renewLive($0) ?? false })
    }

    private func service(_ settings: Settings) throws(PluginError) -> WebSocketService {
        if let liveService { return liveService }
        do throws(SystemError) {
            let made = try WebSocketService(
                caFile: settings.caFile, proxy: Proxy.of(settings.realTime, in: environment))
            liveService = made
            return made
        } catch {
            throw PluginError(.permanent, error.message)
        }
    }

    package var watchedDescriptors: [Int32] { live?.descriptors ?? [] }

    package func react(to descriptor: Int32) { live?.turn() }

    package func idle() -> PluginIdle {
        guard let live else { return .done }
        live.turn()
        return live.pause.map { .later(milliseconds: $0) } ?? .done
    }
}

/// What the host wants to hear of.
struct LiveWish: Equatable {
    /// Nil for all.
    let models: [String]?
    /// By model, as the protocol writes a filter.
    let filters: JSONValue?
}
