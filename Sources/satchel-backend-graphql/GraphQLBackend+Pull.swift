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
    /// Pages in a row without a record, and milliseconds, after which the host is told how far it came:
    /// it keeps that, has a bound of its own, and what follows may be far.
    static let mostEmpty = 50
    static let longestEmpty: Int64 = 10_000

    package func pull(
        _ query: PluginQuery, onto page: PluginPage, _ call: PluginCall
    ) throws(PluginError) -> PluginPageEnd {
        let connection = try reach()
        let plan = try plan(query.model)
        let reader = PageReader(plan, host: connection.client.endpoint.host)
        let begin = Clock.system.monotonic()
        let deadline = begin + gathering
        let size = min(query.limit, connection.settings.page)
        var query = query
        var cursor = try cursor(of: query, connection)
        var empty = 0
        let isDelta = plan.isVersioned && cursor.since != nil
        if !isDelta, cursor.token == nil, cursor.part == nil { expectWritten(query.model) }
        var delta = NewestItems()
        while true {
            let request = try request(query, cursor, plan, connection)
            let root = request.document.root
            let answer: GraphQLAnswer
            let end: PageReader.End
            var count = isDelta ? delta.count : page.count
            do throws(PluginError) {
                (answer, end) = try self.page(for: request, reader, query, cursor, call)
                try refuseCircle(answer, end, root, plan, cursor, isDelta: isDelta)
            } catch {
                // What came is kept; the pull that goes on from here meets the same. Of a delta it may
                // be older than what is known.
                guard page.count > 0, error.kind != .cancelled else {
                    throw error.kind == .tooLarge && size <= 1
                        ? error.ofOne(query.model) : ending(error, query.model, cursor)
                }
                return PluginPageEnd(cursor: written(cursor), more: true)
            }
            let start = cursor.part?.count ?? 0
            let isTooMany = end.count - start > query.limit - count
            let part = start..<(isTooMany ? count > 0 ? start : start + query.limit : end.count)
            reader.read(answer, root: root, in: part) { item, raw, place in
                if hasPassed(item, of: query.model, isDelta: isDelta) { return }
                if isDelta {
                    delta.take(item, raw: raw, place: place)
                } else {
                    page.append(item, raw: raw, place: place)
                }
            }
            if isTooMany {
                if count == 0 { cursor.part = handOn(part, of: answer, root, after: cursor.part) }
                delta.write(onto: page)
                return PluginPageEnd(cursor: written(cursor), more: true)
            }
            held = nil
            var isComplete = true
            if end.token == nil {
                refusedPlaces.remove(query.model)
                if !isDelta { isComplete = try hasMetAll(plan, onto: page, query.limit, call) }
            }
            cursor = cursor.after(token: end.token, startedAt: end.startedAt)
            // A pull of everything that is not complete leaves nothing to go on from.
            query.cursor = isComplete ? written(cursor) : .null
            if end.token != nil {
                let next = try self.request(query, cursor, plan, connection)
                ahead = PageAhead(query: query, ticket: connection.client.begin(next))
            }
            count = isDelta ? delta.count : page.count
            // A page counts what the server looked at: one without a record may have more behind.
            empty = end.count == 0 ? empty + 1 : 0
            let now = Clock.system.monotonic()
            let isFull =
                count + size > query.limit || page.bytes.count > Self.fullPage
                || !isDelta && now >= deadline
            let isFar =
                empty >= Self.mostEmpty || empty > 0 && now >= begin + Self.longestEmpty
            if end.token == nil || count > 0 && isFull || isFar {
                delta.write(onto: page)
                return PluginPageEnd(
                    cursor: query.cursor ?? .null, more: end.token != nil, isComplete: isComplete)
            }
        }
    }

    /// Gives up what was asked for before the host did.
    func dropAhead() {
        held = nil
        if let ahead { connection?.client.abandon(ahead.ticket) }
        ahead = nil
    }

    /// The answer with the page, which may be under way since the last one, or being handed on in parts.
    func answer(
        to request: GraphQLRequest, _ query: PluginQuery, _ cursor: PullCursor,
        _ connection: Connection, _ call: PluginCall
    ) throws(PluginError) -> GraphQLAnswer {
        let now = Clock.system.monotonic()
        if let held, held.has(query.model, cursor.whole, after: cursor.part, at: now) {
            return held.content
        }
        held = nil
        let ticket = ticket(for: query, request, connection)
        let answer = try connection.client.answer(to: ticket, beat(call, Int(cursor.pages)))
        let items = answer.value(at: [request.document.root, "items"])?.elements ?? []
        if let part = cursor.part, !part.isBeginning(of: items) { throw .changed(query.model) }
        held = HeldPage(
            answer, of: query.model, at: cursor.whole, after: cursor.part, until: now + holding)
        return answer
    }

    /// Takes note of what of the answer that is held has been handed on.
    private func handOn(
        _ part: Range<Int>, of answer: GraphQLAnswer, _ root: String, after before: PagePart?
    ) -> PagePart {
        let items = answer.value(at: [root, "items"])?.elements ?? []
        let part = (before ?? PagePart()).adding(items[part])
        held?.note(part)
        return part
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
        if let name = cursor.token {
            guard let token = longTokens.token(named: name) else {
                throw PluginError(
                    .cursorExpired, "the page's token was only known to a process before")
            }
            cursor.token = token
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
        var short = cursor
        short.token = cursor.token.map { longTokens.name(for: $0) }
        return short.json
    }
}
