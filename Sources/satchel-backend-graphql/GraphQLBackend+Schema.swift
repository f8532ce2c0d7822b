internal import JSON
package import PluginKit
internal import Records

extension GraphQLBackend {
    package func schema(_ call: PluginCall) throws(PluginError) -> PluginSchema {
        let connection = try reach()
        let host = connection.client.endpoint.host
        let answer = try connection.client.ask(Introspection.question, beat(call))
        guard let api = Introspection(answer) else {
            let words = answer.errors.first?.message ?? "it gives no reason"
            throw PluginError(
                .permanent, "\(host) does not tell its schema: \(words)",
                hint: "take the schema.graphql of the Amplify project")
        }
        var reader = SchemaReader(api)
        let schema = reader.schema()
        guard !schema.models.isEmpty else {
            throw PluginError(
                .permanent, "\(host) has no models as Amplify generates them")
        }
        return .models(schema.protocolJSON.members ?? JSONObject())
    }
}
