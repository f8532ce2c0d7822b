package import JSON
package import Platform
package import PluginKit
internal import Records

/// An AWS AppSync API as a backend, with conflict detection and without.
package final class GraphQLBackend: PluginHandler {
    package let name = "graphql"
    package let version = "1.0"
    package let summary = "keeps records in a GraphQL API, as AWS AppSync and Amplify have it"

    /// Operations a push may hold: requests are in flight within one, so between two there are none.
    static let batch = 500
    /// Milliseconds in which the API must answer while the host waits for a greeting.
    static let greeting: Int64 = 4_000

    /// Milliseconds within which further pages of the API's are put into a page of the host's.
    let gathering: Int64
    let environment: Environment
    var host: PluginHost?
    var schema = Schema()
    /// As the host gave them, or as they were renewed.
    var secrets = JSONObject()
    /// When other credentials may be asked for again.
    var nextRenewal: Int64 = 0
    /// What the configuration comes to; nil before `initialize`.
    var connection: Connection?
    /// Milliseconds for which a page is held that is handed on in parts.
    let holding: Int64
    /// The page that follows the latest one, asked for while the host was busy with that.
    var ahead: PageAhead?
    /// The page that is being handed on in parts.
    var held: HeldPage<PullCursor, GraphQLAnswer>?
    /// How the pulls under way have come, by model.
    var trails: [String: PageTrail] = [:]
    var longTokens = LongTokens()
    /// Models of which the place of a page was refused since their last pull that came to its end.
    var refusedPlaces: Set<String> = []
    /// What was heard of records a moment ago.
    var known = KnownStates()
    /// Records that a pull of everything has to meet yet, by model.
    var expected: [String: Set<RecordID>] = [:]

    /// The subscriptions, once the host has asked for them.
    var live: LiveLink?
    var liveWish: LiveWish?
    /// The thread of their sockets, made once: the library keeps some memory of each.
    var liveService: WebSocketService?

    struct Connection {
        let settings: Settings
        let client: GraphQLClient
        var plans: [String: ModelPlan] = [:]
    }

    package init(environment: Environment, gathering: Int64 = 250, holding: Int64 = 2_000) {
        self.environment = environment
        self.holding = holding
        self.gathering = gathering
    }

    package func initialize(
        _ setup: PluginSetup, host: PluginHost
    ) throws(PluginError) -> PluginWelcome {
        self.host = host
        let settings = try Settings(setup.config)
        secrets = setup.secrets
        if let mode = settings.renewedMode, secrets[settings.tokenKey(mode)] == nil,
            let token = try freshToken(settings, nil)
        {
            secrets[settings.tokenKey(mode)] = .string(token)
        }
        let access = try settings.access(
            secrets: secrets, environment: environment, file: Self.text)
        let client = GraphQLClient(
            settings.endpoint, access: access, http: try settings.http(),
            timeout: settings.timeout)
        // A token may be stale already for the first question.
        self.connection = Connection(settings: settings, client: client)
        client.renew = { [weak self] in self?.renewAccess($0) ?? false }
        schema = setup.description["models"] == nil ? Schema() : try setup.schema()
        let surface = try Self.surface(schema, settings, client)
        var connection = Connection(settings: settings, client: client)
        for model in schema.models {
            let plan = ModelPlan(
                model, in: schema, surface.models[model.name] ?? Surface.Operations(),
                versionField: settings.versionField, modes: settings.modelModes)
            connection.plans[model.name] = plan
            tellMissing(plan)
        }
        tellStray(settings)
        self.connection = connection
        return PluginWelcome(
            capabilities: capabilities(of: connection),
            identity: Self.identity(settings.endpoint, access))
    }

    package func ping(_ call: PluginCall) throws(PluginError) {
        try reach().client.ping(within: Self.greeting, beat(call))
    }

    package func configure(
        answers: JSONObject, _ call: PluginCall
    ) throws(PluginError) -> PluginQuestion {
        try Questions.next(answers)
    }

    package func finish() {
        live = nil
        connection?.client.abandonAll()
    }

    /// The connection; there is one once the host has greeted.
    func reach() throws(PluginError) -> Connection {
        guard let connection else { throw PluginError(.permanent, "there is no configuration yet") }
        return connection
    }

    /// How records of a model are asked for.
    func plan(_ name: String) throws(PluginError) -> ModelPlan {
        guard let plan = try reach().plans[name] else {
            throw PluginError(.permanent, "the schema has no model \(name)")
        }
        return plan
    }

    /// What is done some times a second while an answer is waited for.
    func beat(_ call: PluginCall, _ done: Int = 0, of total: Int? = nil)
        -> () throws(PluginError) -> Void
    {
        { () throws(PluginError) in
            try call.checkCancelled()
            call.progress(done, of: total)
        }
    }
}

extension GraphQLBackend {
    private func capabilities(of connection: Connection) -> PluginCapabilities {
        let isVersioned = connection.plans.values.contains(where: \.isVersioned)
        return PluginCapabilities(
            push: .init(
                idempotency: .conditional, batch: Self.batch, bytes: 8 << 20, isPartial: true),
            pull: .init(
                hasDelta: isVersioned, hasTombstones: isVersioned, hasSnapshot: true,
                page: max(connection.settings.page, Self.records),
                filterOperators: FilterInput.operators),
            sendsEvents: connection.settings.isLive
                && connection.plans.values.contains { !$0.operations.subscriptions.isEmpty },
            answersPing: true)
    }

    /// The API, and whose records it shows: another user's are another data set.
    static func identity(_ endpoint: Endpoint, _ access: AccessBook) -> String {
        "graphql:\(endpoint.url)" + access.subjects.map { "#\($0)" }.joined()
    }

    /// What the API offers: as it tells itself, or as it follows from the names of the models.
    private static func surface(
        _ schema: Schema, _ settings: Settings, _ client: GraphQLClient
    ) throws(PluginError) -> Surface {
        var surface: Surface
        if settings.detection == .auto, !schema.models.isEmpty {
            let answer = try client.ask(Surface.question(schema), within: greeting) {}
            guard answer.value(at: ["__schema", "queryType"]) != nil else {
                let words = answer.errors.first?.message ?? "it gives no reason"
                throw PluginError(
                    .permanent, "\(settings.endpoint.host) does not tell its schema: \(words)",
                    hint: "say whether it detects conflicts: satchel config set "
                        + "contexts.NAME.config.conflict_detection on|off")
            }
            surface = Surface(answer, schema)
        } else {
            surface = Surface(guessing: schema, isVersioned: settings.detection == .on)
        }
        surface.rename(settings.names)
        return surface
    }

    private func tellMissing(_ plan: ModelPlan) {
        let missing = plan.missing.filter { plan.model.field($0)?.isReadOnly == false }
        guard !missing.isEmpty, plan.operations.get != nil else { return }
        host?.log(
            .warning,
            "the API's \(plan.model.name) has no \(missing.joined(separator: ", ")): it stays here")
    }

    private func tellStray(_ settings: Settings) {
        guard !schema.models.isEmpty else { return }
        for name in settings.modelModes.keys.sorted() where schema.model(name) == nil {
            host?.log(.warning, "config.model_auth: the schema has no model \(name)")
        }
        for name in settings.names.keys.sorted() where schema.model(name) == nil {
            host?.log(.warning, "config.names: the schema has no model \(name)")
        }
    }

    static func text(_ path: String) -> String? {
        do throws(SystemError) {
            return String(decoding: try Files.read(path, limit: 1 << 20), as: UTF8.self)
        } catch {
            return nil
        }
    }
}
