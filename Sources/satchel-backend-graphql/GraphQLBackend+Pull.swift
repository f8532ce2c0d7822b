internal import JSON
package import PluginKit
internal import Records

/// A page that was asked for before the host did.
struct PageAhead {
    let query: PluginQuery
    let ticket: Int
}

extension GraphQLBackend {
    /// Pages without a record that are passed over in one pull.
    private static let mostEmpty = 1_000
    /// Bytes of a page's token that still fit into a cursor.
    private static let longestToken = 3_000

    package func pull(
        _ query: PluginQuery, onto page: PluginPage, _ call: PluginCall
    ) throws(PluginError) -> PluginPageEnd {
        let connection = try reach()
        let plan = try plan(query.model)
        var cursor = try cursor(of: query, connection)
        let reader = PageReader(plan, host: connection.client.endpoint.host)
        for _ in 0..<Self.mostEmpty {
            let request = try request(query, cursor, plan, connection)
            let ticket = ticket(for: query, cursor, request, connection)
            let answer = try connection.client.answer(to: ticket, beat(call, Int(cursor.pages)))
            let end = try reader.end(of: answer, root: request.document.root)
            cursor = cursor.after(token: end.token, startedAt: end.startedAt)
            // A page counts what the server looked at: one without a record may have more behind.
            if end.count == 0, end.token != nil { continue }
            let next = written(cursor)
            if end.token != nil {
                var following = query
                following.cursor = next
                let request = try self.request(query, cursor, plan, connection)
                ahead = PageAhead(query: following, ticket: connection.client.begin(request))
            }
            reader.read(answer, root: request.document.root, onto: page)
            return PluginPageEnd(
                cursor: next, more: end.token != nil, isComplete: end.isComplete)
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
        for query: PluginQuery, _ cursor: PullCursor, _ request: GraphQLRequest,
        _ connection: Connection
    ) -> Int {
        defer { ahead = nil }
        if let ahead {
            // After an empty page the cursor has moved on from the query's.
            if ahead.query == query, written(cursor) == query.cursor ?? .null {
                return ahead.ticket
            }
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
                "\(connection.client.endpoint.host) has no query for pages of \(query.model)",
                hint: "name it: config.names.\(query.model).list")
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
