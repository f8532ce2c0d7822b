internal import JSON
internal import Records
package import Sync

extension PluginBackend {
    package func subscribe(models: [String]) throws(BackendError) {
        let able = try capabilities()
        guard able.hasEvents else {
            throw BackendError(.unsupported, "plugin \(setting.name) sends no events")
        }
        _ = try ask(.subscribe, subscription(models, able))
        subscribed = models
    }

    package func nextEvents() throws(BackendError) -> [RemoteEvent] {
        guard subscribed != nil else { return [] }
        do throws(PluginError) {
            let connection = try connected().connection
            defer { passSecrets(of: connection) }
            var events: [RemoteEvent] = missedEvents ? [.gap] : []
            missedEvents = false
            for message in try connection.takeEvents() {
                if let event = event(message) { events.append(event) }
            }
            return events
        } catch {
            throw error.asBackendError
        }
    }

    func subscription(_ models: [String], _ able: Capabilities) -> JSONObject {
        let filters = JSONObject(
            models.compactMap { model in
                context.filters[model].flatMap {
                    FilterDescription.value(of: $0, operators: able.filterOperators)
                }.map { (model, $0) }
            })
        return JSONObject([
            ("models", .array(models.map { .string($0) })), ("filters", .object(filters)),
        ])
    }

    /// An event that cannot be read is still a sign of a change: a gap.
    private func event(_ message: PluginMessage) -> RemoteEvent? {
        switch message {
        case .gap: return .gap
        case .event(let params):
            guard let model = params["model"]?.text, let id = params["id"].flatMap(RemoteItem.id)
            else { return .gap }
            var record = params["record"]?.members
            if let whole = record, RemoteItem.isTooDeep(whole) { record = nil }
            let version = params["version"]?.unlessNull
            if let version, !RemoteItem.isOpaque(version) { return .gap }
            return .changed(
                model: model, id: id,
                version: version, record: record,
                deleted: params["deleted"]?.boolean ?? false,
                originKey: params["origin_key"]?.text)
        default: return nil
        }
    }
}
