package import JSON
package import Platform
package import PluginKit
package import Records

/// The backend of this program: AppSync's API, or any other that a mapping tells of.
package final class EitherBackend: PluginHandler {
    package let name = "graphql"
    package let version = "1.0"
    package let summary =
        "keeps records in a GraphQL API: AWS AppSync and Amplify, or any other by a mapping"

    private let environment: Environment
    private let holding: Int64
    private var chosen: any PluginHandler

    /// A page that is handed on in parts is held for `holding` milliseconds.
    package init(environment: Environment, holding: Int64 = 2_000) {
        self.environment = environment
        self.holding = holding
        chosen = GraphQLBackend(environment: environment)
    }

    package func initialize(
        _ setup: PluginSetup, host: PluginHost
    ) throws(PluginError) -> PluginWelcome {
        chosen.finish()
        let isMapped = setup.config["mapping"].map { !$0.isNull } ?? false
        chosen =
            isMapped
            ? MappedBackend(environment: environment, holding: holding)
            : GraphQLBackend(environment: environment, holding: holding)
        return try chosen.initialize(setup, host: host)
    }

    package func ping(_ call: PluginCall) throws(PluginError) { try chosen.ping(call) }

    package func pull(
        _ query: PluginQuery, onto page: PluginPage, _ call: PluginCall
    ) throws(PluginError) -> PluginPageEnd {
        try chosen.pull(query, onto: page, call)
    }

    package func fetch(
        model: String, ids: [RecordID], onto page: PluginPage, _ call: PluginCall
    ) throws(PluginError) {
        try chosen.fetch(model: model, ids: ids, onto: page, call)
    }

    package func push(
        _ operations: [PluginOperation], _ call: PluginCall
    ) throws(PluginError) -> [PluginVerdict?] {
        try chosen.push(operations, call)
    }

    package func subscribe(
        models: [String]?, filters: JSONValue?, _ call: PluginCall
    ) throws(PluginError) {
        try chosen.subscribe(models: models, filters: filters, call)
    }

    package func schema(_ call: PluginCall) throws(PluginError) -> PluginSchema {
        try chosen.schema(call)
    }

    package func configure(
        answers: JSONObject, _ call: PluginCall
    ) throws(PluginError) -> PluginQuestion {
        try chosen.configure(answers: answers, call)
    }

    package var watchedDescriptors: [Int32] { chosen.watchedDescriptors }
    package func react(to descriptor: Int32) { chosen.react(to: descriptor) }
    package func idle() -> PluginIdle { chosen.idle() }
    package func finish() { chosen.finish() }
}
