internal import JSON
internal import Platform
package import PluginKit
internal import Records

extension MappedBackend {
    /// Bytes of a page that is full: with the largest record behind them they still fit into a line.
    private static let fullPage = 6 << 20

    package func pull(
        _ query: PluginQuery, onto page: PluginPage, _ call: PluginCall
    ) throws(PluginError) -> PluginPageEnd {
        let connection = try reach()
        let plan = try plan(query.model)
        var cursor = try cursor(of: query, connection)
        let isDelta = cursor.since != nil && plan.hasDelta
        guard let step = isDelta ? plan.mapping.delta : plan.mapping.list else {
            throw PluginError(
                .permanent, "the mapping has no list of \(query.model)",
                hint: "say how: mapping.models.\(query.model).list, or check the name of its type")
        }
        let limit = min(query.limit, connection.settings.page)
        if cursor.base == nil { cursor.base = now }
        // What was written at about that time may have been committed after it was read.
        if isDelta, step.until == nil { cursor.reachBack(by: connection.settings.overlap) }
        if let held,
            held.has(
                query.model, cursor.whole, after: cursor.part, at: Clock.system.monotonic())
        {
            return write(held.content, of: query, cursor, plan, onto: page)
        }
        held = nil
        let begin = Clock.system.monotonic()
        var empty = 0
        while true {
            let request = step.request(
                plan.words, values(cursor, limit))
            let expiry = Clock.system.monotonic() + holding
            let answer: GraphQLAnswer
            do throws(PluginError) {
                answer = try connection.client.ask(request, beat(call))
            } catch {
                throw error.kind == .tooLarge && limit <= 1 ? error.ofOne(query.model) : error
            }
            let reader = MappedPageReader(
                plan: plan, step: step, host: connection.client.endpoint.host)
            let read = try reader.page(
                answer, after: cursor.whole, isDelta: isDelta, limit: limit)
            if let part = cursor.part, !part.isBeginning(of: read.items) {
                throw .changed(query.model)
            }
            let isCircle = trails[query.model, default: PageTrail()].isCircle(
                from: cursor.place, to: read.more ? .some(read.cursor.place) : .none,
                with: read.items
            ) { plan.item($0).identity(of: $0, isDelta: isDelta) }
            if isCircle {
                throw .circle(of: query.model, at: connection.client.endpoint.host)
            }
            if read.items.isEmpty, read.more {
                cursor = read.cursor
                empty += 1
                guard
                    empty >= GraphQLBackend.mostEmpty
                        || Clock.system.monotonic() >= begin + GraphQLBackend.longestEmpty
                else { continue }
                return PluginPageEnd(
                    cursor: cursor.json, more: true, isComplete: read.isComplete)
            }
            if read.items.count > cursor.part?.count ?? 0 {
                held = HeldPage(
                    read, of: query.model, at: cursor.whole, after: cursor.part, until: expiry)
            }
            return write(read, of: query, cursor, plan, onto: page)
        }
    }

    /// Puts a page down, or as much of it as the host takes.
    private func write(
        _ read: MappedPageReader.Page, of query: PluginQuery, _ cursor: MappedCursor,
        _ plan: MappedPlan, onto page: PluginPage
    ) -> PluginPageEnd {
        let start = cursor.part?.count ?? 0
        var end = start
        while end < read.items.count, end - start < query.limit,
            page.bytes.count < Self.fullPage
        {
            read.write(end, by: plan, onto: page)
            end += 1
        }
        guard end == read.items.count else {
            var next = cursor
            let part = (cursor.part ?? PagePart()).adding(read.items[start..<end])
            next.part = part
            held?.note(part)
            return PluginPageEnd(cursor: next.json, more: true, isComplete: read.isComplete)
        }
        held = nil
        let next = read.more ? read.cursor : read.cursor.ended(isComplete: read.isComplete)
        return PluginPageEnd(cursor: next.json, more: read.more, isComplete: read.isComplete)
    }

    /// What the variables of a page's document stand for.
    private func values(_ cursor: MappedCursor, _ limit: Int) -> MappingValues {
        var values = JSONObject([
            ("limit", .int(Int64(limit))), ("offset", .int(cursor.offset)),
        ])
        if let after = cursor.after { values.append("after", after) }
        if let since = cursor.since { values.append("since", since) }
        return MappingValues(values)
    }

    /// The query's cursor, if the pull can still go on from there.
    private func cursor(
        of query: PluginQuery, _ connection: Connection
    ) throws(PluginError) -> MappedCursor {
        guard let json = query.cursor else { return MappedCursor() }
        guard let cursor = MappedCursor(json) else {
            throw PluginError(.cursorExpired, "the cursor is of another backend")
        }
        if cursor.isAtStart, let base = cursor.base, let life = connection.settings.fullAfter,
            now - base >= life || base > now + 86_400_000
        {
            throw PluginError(
                .cursorExpired, "everything is pulled anew, to find what was deleted unseen")
        }
        return cursor
    }
}
