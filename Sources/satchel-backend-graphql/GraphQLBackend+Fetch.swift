internal import JSON
package import PluginKit
package import Records

extension GraphQLBackend {
    /// Records that one request asks for.
    private static let together = 25
    /// How often they are asked for where an older state comes than is known, and milliseconds in between.
    private static let tries = 3
    private static let pause: Int64 = 200

    package func fetch(
        model: String, ids: [RecordID], onto page: PluginPage, _ call: PluginCall
    ) throws(PluginError) {
        let connection = try reach()
        let plan = try plan(model)
        dropAhead()
        var known: [(id: RecordID, key: JSONObject)] = []
        for id in ids {
            guard let key = plan.model.keyValues(of: id) else {
                // What cannot be a key is the key of nothing.
                page.append(deleted: id, version: nil)
                continue
            }
            known.append((id, key))
        }
        for attempt in 1...Self.tries {
            known = try ask(for: known, plan, onto: page, call)
            if known.isEmpty { return }
            if attempt < Self.tries { try connection.client.pause(Self.pause, beat(call)) }
        }
        throw PluginError(
            .retryable,
            "\(connection.client.endpoint.host) gives an older state of \(model) \(known[0].id.text) "
                + "than it gave before")
    }

    /// Asks for records once.
    ///
    /// - Returns: Those of which an older state came than is known.
    private func ask(
        for known: [(id: RecordID, key: JSONObject)], _ plan: ModelPlan, onto page: PluginPage,
        _ call: PluginCall
    ) throws(PluginError) -> [(id: RecordID, key: JSONObject)] {
        let connection = try reach()
        var requests: [GraphQLRequest] = []
        var places: [Range<Int>] = []
        for start in stride(from: 0, to: known.count, by: Self.together) {
            let range = start..<min(start + Self.together, known.count)
            guard let request = plan.fetch(known[range].map(\.key)) else {
                throw PluginError(
                    .unsupported, "the API has no query for single records of \(plan.model.name)")
            }
            requests.append(request)
            places.append(range)
        }
        let outcomes = try connection.client.askAll(
            requests, atOnce: connection.settings.concurrency, beat(call))
        var past: [(id: RecordID, key: JSONObject)] = []
        for (range, outcome) in zip(places, outcomes) {
            switch outcome {
            case .failure(let failure): throw failure.error
            case .success(let answer):
                // An error that is about none of them may be about any.
                let aliases = Set((0..<range.count).map { JSONValue.string("r\($0)") })
                let stray = answer.errors.first { fault in
                    !(fault.path.first.map(aliases.contains) ?? false)
                }
                if let stray { throw try error(stray, plan, "records") }
                for (index, place) in range.enumerated() {
                    let entry = known[place]
                    if try !hasRead(answer, "r\(index)", entry.id, plan, onto: page) {
                        past.append(entry)
                    }
                }
            }
        }
        return past
    }

    /// Puts one record of an answer down.
    ///
    /// - Returns: False for one that is older than what is known of it.
    /// - Throws: When an error hides it: that is no proof that it is gone.
    private func hasRead(
        _ answer: GraphQLAnswer, _ alias: String, _ id: RecordID, _ plan: ModelPlan,
        onto page: PluginPage
    ) throws(PluginError) -> Bool {
        let faults = answer.errors.filter { $0.path.first == .string(alias) }
        let result = answer.value(at: [alias])
        if let fault = faults.first(where: { fault in
            // A field that this user may not see is null, and so it is shown.
            result == nil || fault.kind != .permission || fault.path.count < 2
        }) {
            throw try error(fault, plan, id.text)
        }
        guard let result else {
            page.append(deleted: id, version: nil)
            return true
        }
        let item = plan.item(result)
        if isPast(item, of: plan.model.name) { return false }
        switch item {
        case .record(let found, _, _) where found == id, .deleted(let found, _) where found == id:
            page.append(item, raw: result, place: id.text)
        default:
            page.append(
                undecodable: id, raw: "another record was given: \(result.serialized())".utf8,
                reason: "another record was given")
        }
        return true
    }

    private func error(
        _ fault: GraphQLFault, _ plan: ModelPlan, _ what: String
    ) throws(PluginError) -> PluginError {
        PluginError(
            fault, doing: "read \(plan.model.name) \(what)",
            host: try reach().client.endpoint.host)
    }
}
