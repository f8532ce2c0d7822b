internal import JSON
package import PluginKit
internal import Records

extension MappedBackend {
    package func schema(_ call: PluginCall) throws(PluginError) -> PluginSchema {
        let connection = try reach()
        let api = try introspection(
            connection.client, within: connection.settings.timeout, beat(call))
        let found = MappedSchemaReader(
            api, shape: connection.mapping.shape, named: connection.mapping.named
        ).schema()
        guard !found.models.isEmpty else {
            throw PluginError(
                .permanent,
                "\(connection.client.endpoint.host) has no types that look like records",
                hint: "name them: mapping.models")
        }
        return .models(found.protocolJSON.members ?? JSONObject())
    }
}
