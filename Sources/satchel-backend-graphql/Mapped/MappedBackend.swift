package import JSON
package import Platform
package import PluginKit
package import Records

/// Any GraphQL API as a backend, as a mapping of the configuration tells of it.
package final class MappedBackend: PluginHandler {
    package let name = "graphql"
    package let version = "1.0"
    package let summary = "keeps records in a GraphQL API"

    private static let batch = 100
    /// Milliseconds in which the API must answer while the host waits for a greeting.
    private static let greeting: Int64 = 4_000
    /// Records that are asked for at a time.
    private static let together = 25

    let environment: Environment
    private let clock: Clock
    /// Milliseconds for which a page is held that is handed on in parts.
    let holding: Int64
    var host: PluginHost?
    var schema = Schema()
    var connection: Connection?
    /// How the pulls under way have come, by model.
    var trails: [String: PageTrail] = [:]
    /// The page that is being handed on in parts.
    var held: HeldPage<MappedCursor, MappedPageReader.Page>?
    /// What tells of changes; nil before the host has asked for that.
    var feed: LiveFeed?

    struct Connection {
        let settings: Settings
        let mapping: Mapping
        let client: GraphQLClient
        let access: Access
        var plans: [String: MappedPlan] = [:]
    }

    package init(environment: Environment, clock: Clock = .system, holding: Int64 = 2_000) {
        self.environment = environment
        self.holding = holding
        self.clock = clock
    }

    /// Milliseconds since 1970.
    var now: Int64 { clock.now() }

    package func initialize(
        _ setup: PluginSetup, host: PluginHost
    ) throws(PluginError) -> PluginWelcome {
        self.host = host
        let settings = try Settings(setup.config)
        guard let mapping = try Mapping(setup.config) else {
            throw .setting("mapping", "it is missing")
        }
        let access = try settings.access(secrets: setup.secrets, environment: environment) { _ in
            nil
        }
        let client = GraphQLClient(
            settings.endpoint, access: access, http: try settings.http(),
            timeout: settings.timeout)
        schema = setup.description["models"] == nil ? Schema() : try setup.schema()
        var connection = Connection(
            settings: settings, mapping: mapping, client: client, access: access.usual)
        var api: Introspection?
        if mapping.needsIntrospection, !schema.models.isEmpty {
            api = try introspection(client, within: Self.greeting) {}
        }
        for model in schema.models {
            let plan = MappedPlan(model, in: schema, try mapping.model(model, api))
            connection.plans[model.name] = plan
            tellMissing(plan)
        }
        tellStray(mapping)
        self.connection = connection
        return PluginWelcome(
            capabilities: capabilities(of: connection),
            identity: GraphQLBackend.identity(settings.endpoint, access))
    }

    package func ping(_ call: PluginCall) throws(PluginError) {
        try reach().client.ping(within: Self.greeting, beat(call))
    }

    package func push(
        _ operations: [PluginOperation], _ call: PluginCall
    ) throws(PluginError) -> [PluginVerdict?] {
        let connection = try reach()
        held = nil
        var run = PushRun(
            operations, connection.client, atOnce: connection.settings.concurrency
        ) { (name) throws(PluginError) in try self.plan(name) }
        return try run.run(call)
    }

    package func fetch(
        model: String, ids: [RecordID], onto page: PluginPage, _ call: PluginCall
    ) throws(PluginError) {
        let connection = try reach()
        held = nil
        let plan = try plan(model)
        guard let step = plan.mapping.get else {
            throw PluginError(
                .unsupported, "the mapping has no way to get single records of \(model)")
        }
        let host = connection.client.endpoint.host
        var known: [(id: RecordID, request: GraphQLRequest)] = []
        for id in ids {
            guard plan.mayHave(id) else {
                throw PluginError(
                    .permanent,
                    "\(model) \(id.text) has no id of the API's yet: what became of its creation cannot "
                        + "be looked up", hint: "look there, then: satchel queue drop")
            }
            // What cannot be a key is the key of nothing.
            guard let request = plan.fetch(id) else {
                page.append(deleted: id, version: nil)
                continue
            }
            known.append((id, request))
        }
        let outcomes = try connection.client.askAll(
            known.map(\.request), atOnce: connection.settings.concurrency, beat(call))
        for ((id, _), outcome) in zip(known, outcomes) {
            switch outcome {
            case .failure(let failure): throw failure.error
            case .success(let answer):
                let result = step.result.value(in: .object(answer.data))
                if let fault = answer.errors.first(where: {
                    result == nil || $0.kind != .permission
                }) {
                    throw PluginError(fault, doing: "read \(model) \(id.text)", host: host)
                }
                guard let result else {
                    guard step.result.isTold(in: .object(answer.data)) else {
                        throw PluginError(
                            .permanent,
                            "\(host) answered without a \(model) at "
                                + step.result.parts.joined(separator: "."),
                            hint: "say where it is: result of the mapping's get")
                    }
                    page.append(deleted: id, version: nil)
                    continue
                }
                switch plan.item(result) {
                case .record(id, let version, let record):
                    page.append(id: id, version: version, record: record)
                case .deleted(id, let version): page.append(deleted: id, version: version)
                default:
                    page.append(
                        undecodable: id,
                        raw: "another record was given: \(result.serialized())".utf8)
                }
            }
        }
    }

    package func configure(
        answers: JSONObject, _ call: PluginCall
    ) throws(PluginError) -> PluginQuestion {
        try Questions.next(answers)
    }

    package func finish() {
        feed?.close()
        connection?.client.abandonAll()
    }

    func reach() throws(PluginError) -> Connection {
        guard let connection else { throw PluginError(.permanent, "there is no configuration yet") }
        return connection
    }

    func plan(_ name: String) throws(PluginError) -> MappedPlan {
        guard let plan = try reach().plans[name] else {
            throw PluginError(.permanent, "the schema has no model \(name)")
        }
        return plan
    }

    /// What is done some times a second while an answer is waited for.
    func beat(_ call: PluginCall) -> () throws(PluginError) -> Void {
        { () throws(PluginError) in
            try call.checkCancelled()
            call.progress(0)
        }
    }

    /// Asks the API for its types.
    func introspection(
        _ client: GraphQLClient, within timeout: Int64,
        _ beat: () throws(PluginError) -> Void
    ) throws(PluginError) -> Introspection {
        let answer = try client.ask(Introspection.question, within: timeout, beat)
        guard let api = Introspection(answer) else {
            let words = answer.errors.first?.message ?? "it gives no reason"
            throw PluginError(
                .permanent, "\(client.endpoint.host) does not tell its schema: \(words)",
                hint: "a mapping of your own needs none: see docs/graphql.md")
        }
        return api
    }
}

extension MappedBackend {
    private func capabilities(of connection: Connection) -> PluginCapabilities {
        let plans = connection.plans.values
        let deltas = plans.filter(\.hasDelta)
        let writes = plans.contains { plan in
            ModelPlan.Write.allCases.contains { plan.mapping.step($0) != nil }
        }
        let isLive =
            connection.settings.isLive && connection.mapping.transport != .off
            && plans.contains { !$0.mapping.subscriptions.isEmpty }
        return PluginCapabilities(
            push: writes || plans.isEmpty
                ? .init(
                    idempotency: plans.allSatisfy(\.isConditional) ? .conditional : .none,
                    batch: Self.batch, bytes: 8 << 20, isPartial: true,
                    assignsIDs: plans.contains { $0.mapping.assignsIDs }) : nil,
            pull: .init(
                hasDelta: !deltas.isEmpty,
                hasTombstones: !deltas.isEmpty
                    && deltas.allSatisfy { $0.mapping.deletion != nil },
                hasSnapshot: true,
                page: max(connection.settings.page, GraphQLBackend.records)),
            sendsEvents: isLive, answersPing: true,
            answersFetch: plans.allSatisfy { $0.mapping.get != nil })
    }

    private func tellStray(_ mapping: Mapping) {
        guard !schema.models.isEmpty else { return }
        for name in mapping.named.sorted() where schema.model(name) == nil {
            let meant = didYouMean(name, among: schema.models.map(\.name))
            host?.log(
                .warning,
                "config.mapping.models: the schema has no model \(name)"
                    + (meant.map { "; did you mean \"\($0)\"?" } ?? ""))
        }
    }

    private func tellMissing(_ plan: MappedPlan) {
        let missing = plan.mapping.missing.filter { plan.model.field($0)?.isReadOnly == false }
        guard !missing.isEmpty else { return }
        let names = missing.sorted().joined(separator: ", ")
        host?.log(.warning, "the API's \(plan.mapping.type) has no \(names): it stays here")
    }
}
