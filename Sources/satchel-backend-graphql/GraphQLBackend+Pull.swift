internal import JSON
internal import Platform
package import PluginKit
internal import Records

/// A page that was asked for before the host did.
struct PageAhead {
    let query: PluginQuery
    let ticket: Int
}

extension GraphQLBackend {
    /// Records that one page of the host's may hold: several pages of the API's where they come fast.
    ///
    /// The host takes in a page as one change of its store, which costs the same for few and for many.
    static let records = 5_000
    /// Bytes of a page that is full.
    private static let fullPage = 2 << 20
    /// Pages without a record that are passed over in one pull.
    private static let mostEmpty = 1_000
    /// Bytes of a page's token that still fit into a cursor.
    private static let longestToken = 3_000

    package func pull(
        _ query: PluginQuery, onto page: PluginPage, _ call: PluginCall
    ) throws(PluginError) -> PluginPageEnd {
        let connection = try reach()
        let plan = try plan(query.model)
        let reader = PageReader(plan, host: connection.client.endpoint.host)
        let deadline = Clock.system.monotonic() + gathering
        let size = min(query.limit, connection.settings.page)
        var query = query
        var cursor = try cursor(of: query, connection)
        var isComplete = true
        var empty = 0
        let isDelta = plan.isVersioned && cursor.since != nil
        var delta = NewestItems()
        while true {
            let request = try request(query, cursor, plan, connection)
            let answer: GraphQLAnswer
            let end: PageReader.End
            do throws(PluginError) {
                let ticket = ticket(for: query, request, connection)
                answer = try connection.client.answer(to: ticket, beat(call, Int(cursor.pages)))
                end = try reader.end(of: answer, root: request.document.root)
            } catch {
                if error.kind == .tooLarge, size <= 1 { throw error.ofOne(query.model) }
                // What came is kept; the pull that goes on from here meets the same. Of a delta it may
                // be older than what is known.
                guard page.count > 0, error.kind != .cancelled else { throw error }
                return PluginPageEnd(cursor: written(cursor), more: true, isComplete: isComplete)
            }
            if cursor.token == nil { trails[query.model] = PageTrail() }
            let isCircle = trails[query.model, default: PageTrail()].isCircle(
                from: cursor.token.map { .string($0) } ?? .null,
                to: end.token.map { .string($0) },
                with: answer.value(at: [request.document.root, "items"])?.elements ?? [])
            if isCircle {
                throw .circle(of: query.model, at: connection.client.endpoint.host)
            }
            cursor = cursor.after(token: end.token, startedAt: end.startedAt)
            isComplete = isComplete && end.isComplete
            query.cursor = written(cursor)
            if end.token != nil {
                let next = try self.request(query, cursor, plan, connection)
                ahead = PageAhead(query: query, ticket: connection.client.begin(next))
            }
            reader.read(answer, root: request.document.root) { item, raw, place in
                if isDelta {
                    delta.take(item, raw: raw, place: place)
                } else {
                    page.append(item, raw: raw, place: place)
                }
            }
            let count = isDelta ? delta.count : page.count
            // A page counts what the server looked at: one without a record may have more behind.
            empty = end.count == 0 ? empty + 1 : 0
            let isFull =
                count + size > query.limit || page.bytes.count > Self.fullPage
                || !isDelta && Clock.system.monotonic() >= deadline
            if end.token == nil || count > 0 && isFull {
                delta.write(onto: page)
                return PluginPageEnd(
                    cursor: query.cursor ?? .null, more: end.token != nil, isComplete: isComplete)
            }
            guard empty < Self.mostEmpty else { break }
        }
        throw PluginError(
            .retryable,
            "\(connection.client.endpoint.host) gave \(Self.mostEmpty) pages without a \(query.model)"
        )
    }

    /// Gives up the page that was asked for ahead of time.
    func dropAhead() {
        if let ahead { connection?.client.abandon(ahead.ticket) }
        ahead = nil
    }

    /// The request for the page, which may be under way since the last one.
    private func ticket(
        for query: PluginQuery, _ request: GraphQLRequest, _ connection: Connection
    ) -> Int {
        defer { ahead = nil }
        if let ahead {
            if ahead.query == query { return ahead.ticket }
            connection.client.abandon(ahead.ticket)
        }
        return connection.client.begin(request)
    }

    private func request(
        _ query: PluginQuery, _ cursor: PullCursor, _ plan: ModelPlan, _ connection: Connection
    ) throws(PluginError) -> GraphQLRequest {
        var variables = JSONObject([
            ("limit", .int(Int64(min(query.limit, connection.settings.page))))
        ])
        if let token = cursor.token { variables.append("nextToken", .string(token)) }
        if let since = cursor.since {
            variables.append("lastSync", .int(max(0, since - connection.settings.overlap)))
        }
        var filter: JSONValue?
        // A delta has to tell of records that do not match any more.
        if cursor.since == nil, !plan.hasWireNames, let wanted = try query.filter(of: plan.model) {
            filter = FilterInput.of(wanted, model: plan.model, schema: schema)
        }
        if let filter { variables.append("filter", filter) }
        guard let document = plan.page(filtered: filter != nil) else {
            throw PluginError(
                .permanent,
                "\(connection.client.endpoint.host) has no query for pages of \(query.model): "
                    + "take the API's own models (satchel schema pull), or name the query "
                    + "(config.names.\(query.model).list)")
        }
        return GraphQLRequest(document, variables)
    }
}

extension GraphQLBackend {
    /// The query's cursor, if the server can still go on from there.
    private func cursor(
        of query: PluginQuery, _ connection: Connection
    ) throws(PluginError) -> PullCursor {
        guard let json = query.cursor else { return PullCursor() }
        guard var cursor = PullCursor(json) else {
            throw PluginError(.cursorExpired, "the cursor is of another backend")
        }
        if let token = cursor.token, token.utf8.first == UInt8(ascii: "@") {
            guard let whole = longTokens[token] else {
                throw PluginError(
                    .cursorExpired, "the page's token was only known to a process before")
            }
            cursor.token = whole
        }
        let settings = connection.settings
        let reason = cursor.staleness(
            at: connection.client.serverNow, fullAfter: settings.fullAfter,
            tombstoneLife: settings.tombstoneLife)
        if let reason { throw PluginError(.cursorExpired, "everything is pulled anew: \(reason)") }
        return cursor
    }

    /// The cursor as the host keeps it.
    private func written(_ cursor: PullCursor) -> JSONValue {
        guard let token = cursor.token, token.utf8.count > Self.longestToken else {
            return cursor.json
        }
        let digest = Digest.hexadecimal(Array(Digest.sha256(Array(token.utf8)).prefix(12)))
        if longTokens.count > 100 { longTokens = [:] }
        longTokens["@\(digest)"] = token
        var short = cursor
        short.token = "@\(digest)"
        return short.json
    }
}
