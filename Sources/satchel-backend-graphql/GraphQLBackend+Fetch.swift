internal import JSON
package import PluginKit
package import Records

extension GraphQLBackend {
    /// Records that one request asks for.
    private static let together = 25

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
        var requests: [GraphQLRequest] = []
        var places: [Range<Int>] = []
        for start in stride(from: 0, to: known.count, by: Self.together) {
            let range = start..<min(start + Self.together, known.count)
            guard let request = plan.fetch(known[range].map(\.key)) else {
                throw PluginError(
                    .unsupported, "the API has no query for single records of \(model)")
            }
            requests.append(request)
            places.append(range)
        }
        let outcomes = try connection.client.askAll(
            requests, atOnce: connection.settings.concurrency, beat(call))
        for (range, outcome) in zip(places, outcomes) {
            switch outcome {
            case .failure(let failure): throw failure.error
            case .success(let answer):
                for (index, place) in range.enumerated() {
                    try read(answer, "r\(index)", known[place].id, plan, onto: page)
                }
            }
        }
    }

    /// Puts one record of an answer down.
    ///
    /// - Throws: When an error hides it: that is no proof that it is gone.
    private func read(
        _ answer: GraphQLAnswer, _ alias: String, _ id: RecordID, _ plan: ModelPlan,
        onto page: PluginPage
    ) throws(PluginError) {
        let faults = answer.errors.filter { fault in
            fault.path.isEmpty || fault.path.first == .string(alias)
        }
        let host = try reach().client.endpoint.host
        let result = answer.value(at: [alias])
        if let fault = faults.first(where: { result == nil || $0.kind != .permission }) {
            throw PluginError(fault, doing: "read \(plan.model.name) \(id.text)", host: host)
        }
        guard let result else {
            noteTombstone(RecordKey(plan.model.name, id), nil)
            return page.append(deleted: id, version: nil)
        }
        let item = plan.item(result)
        switch item {
        case .record(let found, _, _) where found == id, .deleted(let found, _) where found == id:
            var version: JSONValue?
            if case .deleted(_, let found) = item, plan.isVersioned { version = found }
            noteTombstone(RecordKey(plan.model.name, id), version)
            page.append(item, raw: result, place: id.text)
        default:
            page.append(
                undecodable: id, raw: "another record was given: \(result.serialized())".utf8)
        }
    }
}
