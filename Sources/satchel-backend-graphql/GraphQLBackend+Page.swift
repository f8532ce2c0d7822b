internal import JSON
internal import Platform
internal import PluginKit
internal import Records

// One page of a pull, and what says that it is none.
extension GraphQLBackend {
    /// How often a model's own failure is asked about, and milliseconds before each further time.
    private static let tries = 3
    private static let pauses: [Int64] = [200, 1_000]
    /// Milliseconds after which nothing is asked again.
    private static let patience: Int64 = 20_000

    /// A page, and what follows it.
    ///
    /// An answer of the API's that has no page says something of this model alone: where it stays so,
    /// the others go on without it. A network that fails, or a server that asks for a pause, says it
    /// of all.
    ///
    /// - Throws: Kind `.permanent` for a failure that is this model's own.
    func page(
        for request: GraphQLRequest, _ reader: PageReader, _ query: PluginQuery,
        _ cursor: PullCursor, _ call: PluginCall
    ) throws(PluginError) -> (GraphQLAnswer, PageReader.End) {
        let connection = try reach()
        let begun = Clock.system.monotonic()
        var tries = 1
        while true {
            let answer = try answer(to: request, query, cursor, connection, call)
            do throws(PluginError) {
                return (answer, try reader.end(of: answer, root: request.document.root))
            } catch {
                held = nil
                switch error.kind {
                case .retryable:
                    guard tries < Self.tries, Clock.system.monotonic() - begun < Self.patience
                    else { throw error.ofModel("asked \(tries) times") }
                    try connection.client.pause(Self.pauses[tries - 1], beat(call))
                    tries += 1
                default: throw error
                }
            }
        }
    }

    /// The error that ends a pull of one model.
    ///
    /// The place of a page that is refused may be an old one, and everything is pulled anew; but not where
    /// there is none, or one was refused since the last pull that came to its end.
    func ending(_ error: PluginError, _ model: String, _ cursor: PullCursor) -> PluginError {
        guard error.kind == .cursorExpired, cursor.part == nil else { return error }
        if cursor.token != nil, refusedPlaces.insert(model).inserted { return error }
        return error.ofModel("the API gave that place itself")
    }

    /// - Throws: Kind `.permanent` for a page that leads back to where the pull was.
    func refuseCircle(
        _ answer: GraphQLAnswer, _ end: PageReader.End, _ root: String, _ plan: ModelPlan,
        _ cursor: PullCursor, isDelta: Bool
    ) throws(PluginError) {
        let model = plan.model.name
        // A delta has a line for each write of a record; a list has a record once, whatever its state.
        let isCircle = trails[model, default: PageTrail()].isCircle(
            from: cursor.token.map { .string($0) } ?? .null, to: end.token.map { .string($0) },
            with: answer.value(at: [root, "items"])?.elements ?? []
        ) { plan.item($0).identity(of: $0, isDelta: isDelta) }
        if isCircle { throw .circle(of: model, at: try reach().client.endpoint.host) }
    }
}

extension PluginError {
    /// The same as what is wrong with one model, whatever is asked of the others.
    fileprivate func ofModel(_ words: String) -> PluginError {
        PluginError(.permanent, "\(message) (\(words))", hint: hint)
    }
}
