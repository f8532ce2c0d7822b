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
            let words = Mapping.Shape.seen(in: api).map {
                "it looks like \($0.rawValue): satchel config set contexts.NAME.config.mapping "
                    + $0.rawValue
            }
            throw PluginError(
                .permanent, "\(host) has no models as Amplify generates them",
                hint: words ?? "another API needs a mapping: see docs/graphql.md")
        }
        return .models(schema.protocolJSON.members ?? JSONObject())
    }
}
